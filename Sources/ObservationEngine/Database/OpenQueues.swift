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

  /// Closes the connections to the database soon that have nothing to do, whoever they belong to, and
  /// whatever would be gone with them.
  func closeAllIdle(_ database: FileIdentity) {
    let references = queues.withLock { $0[database].map { Array($0.values) } ?? [] }
    for reference in references { reference.queue?.closeWhenIdle(keepsState: false) }
  }
}
