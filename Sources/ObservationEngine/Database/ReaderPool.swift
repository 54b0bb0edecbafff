internal import Synchronization

/// Connections that read, opened as they are needed.
///
/// In WAL mode each reads its own snapshot while others read and one writes; with a rollback journal
/// they share the file as its locks allow.
package final class ReaderPool: Sendable {
  private let file: DatabaseFile
  private let configuration: Configuration
  private let generations: FileGeneration
  private let queues = Mutex<[ConnectionQueue]>([])

  init(file: DatabaseFile, configuration: Configuration, generations: FileGeneration) {
    self.file = file
    self.configuration = configuration
    self.generations = generations
  }

  /// The reader with the least to do; a new one when all are busy and the limit allows it.
  func leastLoaded() -> ConnectionQueue {
    queues.withLock { queues in
      let best = queues.min { $0.load < $1.load }
      if let best, best.load == 0 || queues.count >= configuration.maximumReaders { return best }
      let queue = makeQueue(label: "livequery.reader.\(queues.count + 1)")
      queues.append(queue)
      return queue
    }
  }

  /// A reader beyond the limit, for somebody who keeps it.
  func makeQueue(label: String, busyTimeout: Int32? = nil) -> ConnectionQueue {
    var options = Connection.Options()
    options.isReader = true
    options.isReadOnly = configuration.isReadOnly
    options.busyTimeout = busyTimeout ?? configuration.busyTimeout
    options.trustsSchema = configuration.trustsSchema
    return ConnectionQueue(label: label, generations: generations) {
      [file, options] () throws(DatabaseError) in try file.open(options)
    }
  }

  var all: [ConnectionQueue] { queues.withLock { $0 } }
}
