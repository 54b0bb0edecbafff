internal import Synchronization

/// Connections that read, opened on demand.
///
/// In WAL mode each reads its own snapshot while others read and one writes. With a rollback
/// journal they share the file as its locks allow.
package final class ReaderPool: Sendable {
  /// A place in a reader's queue, which counts as load until it is used or given up.
  struct Lease {
    let queue: ConnectionQueue
    let job: UInt64

    init(_ queue: ConnectionQueue) {
      self.queue = queue
      job = queue.enter()
    }
  }

  private struct State {
    var queues: [ConnectionQueue] = []
    var isClosed = false
  }

  private let storage: Storage
  private let configuration: Configuration
  private let epoch: FileEpoch
  private let state = Mutex(State())

  init(storage: Storage, configuration: Configuration, epoch: FileEpoch) {
    self.storage = storage
    self.configuration = configuration
    self.epoch = epoch
  }

  /// A place at the least busy reader; at a new one when all are busy and the limit allows it.
  func lease() -> Lease { lease(limit: max(1, configuration.maximumReaders)) }

  /// A place at an idle reader, beyond the limit if necessary: for a caller that makes the writer
  /// wait.
  func leaseIdle() -> Lease { lease(limit: .max) }

  private func lease(limit: Int) -> Lease {
    state.withLock { state in
      let best = state.queues.min { $0.load < $1.load }
      if let best, best.load == 0 || state.queues.count >= limit { return Lease(best) }
      let queue = makeQueue(
        label: "livequery.reader.\(state.queues.count + 1)", isClosed: state.isClosed)
      state.queues.append(queue)
      return Lease(queue)
    }
  }

  /// A reader beyond the limit, for a caller that retains it.
  func makeQueue(label: String, busyTimeout: Duration? = nil) -> ConnectionQueue {
    makeQueue(label: label, busyTimeout: busyTimeout, isClosed: state.withLock { $0.isClosed })
  }

  private func makeQueue(
    label: String, busyTimeout: Duration? = nil, isClosed: Bool
  ) -> ConnectionQueue {
    var options = storage.options(configuration, isReader: true)
    if let busyTimeout { options.busyTimeout = busyTimeout }
    let queue = ConnectionQueue(label: label, epoch: epoch) {
      [storage, options] () throws(DatabaseError) in try storage.open(options)
    }
    if isClosed { queue.close() }
    return queue
  }

  var all: [ConnectionQueue] { state.withLock { $0.queues } }

  /// Closes current readers once they have finished their earlier jobs, and future ones
  /// immediately.
  func close() {
    let queues = state.withLock { state in
      state.isClosed = true
      return state.queues
    }
    for queue in queues { queue.close() }
  }
}
