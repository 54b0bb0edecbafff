internal import Synchronization

/// The queues of this process that have a connection open, of every database, observed or not.
final class OpenQueues: Sendable {
  private struct Reference: Sendable {
    weak let queue: ConnectionQueue?
  }

  /// By the identity of the database file.
  private let queues = Mutex<[FileIdentity: [ObjectIdentifier: Reference]]>([:])

  func didOpen(_ database: FileIdentity, _ queue: ConnectionQueue) {
    queues.withLock {
      $0[database, default: [:]][ObjectIdentifier(queue)] = Reference(queue: queue)
    }
  }

  func didClose(_ database: FileIdentity, _ queue: ObjectIdentifier) {
    queues.withLock { queues in
      queues[database]?[queue] = nil
      if queues[database]?.isEmpty == true { queues[database] = nil }
    }
  }

  /// Closes the connections to the database soon that have nothing to do, whatever would be gone with
  /// them.
  ///
  /// - Parameter generations: Whose; nil for whoever they belong to.
  func closeAllIdle(_ database: FileIdentity, of generations: FileGeneration? = nil) {
    let references = queues.withLock { $0[database].map { Array($0.values) } ?? [] }
    for queue in references.compactMap(\.queue) {
      guard generations.map({ queue.serves($0) }) ?? true else { continue }
      queue.closeWhenIdle(keepsState: false)
    }
  }
}
