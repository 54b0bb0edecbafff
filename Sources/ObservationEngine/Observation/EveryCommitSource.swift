internal import Synchronization

/// One consumer of ``ValueObservation/everyCommit(buffering:)``: fetches on the writer's queue, and keeps what is not taken yet.
final class EveryCommitSource<Value: Sendable>: ElementSource {
  private struct Fetched: Sendable {
    let commit: Commit?
    let result: Result<any Sendable, any Error>
  }

  private struct State {
    /// The identity among the observers of commits.
    var id: Int?
    /// The initial value was fetched: commits from here on count.
    var hasBegun = false
  }

  private let buffer: CommitBuffer<Fetched>
  private let stage: ValueObservation<Value>.Stage
  private let fetch: ObservedFetch
  private let observers: CommitObservers
  private let listeners: [ObservationListener]
  private let skipsInitial: Bool
  /// The database must outlive its followers.
  private let database: Database
  private let state = Mutex(State())

  init(_ observation: ValueObservation<Value>, _ policy: CommitBufferingPolicy) {
    buffer = CommitBuffer(policy)
    stage = observation.makeStage()
    fetch = observation.fetch.instrumented(by: observation.listeners)
    database = observation.database
    observers = observation.database.coordinator.commitObservers
    listeners = observation.listeners
    skipsInitial = observation.skipsInitial
    for listener in listeners { listener.willStart() }
    let id = observers.add(
      .full(reason: "not fetched yet"), onEnd: { [buffer] in buffer.finish() },
      .reader { [weak self] connection, commit in self?.append(commit, connection) })
    state.withLock { $0.id = id }
    observers.perform { [weak self] connection in self?.begin(connection) }
  }

  deinit { cancel() }

  func next(isolation: isolated (any Actor)?) async throws(DatabaseError) -> CommittedValue<Value>?
  {
    var dropped = 0
    do throws(DatabaseError) {
      while let entry = try await buffer.next(isolation: isolation) {
        dropped += entry.droppedBefore
        guard let result = stage(entry.element.result) else { continue }
        return CommittedValue(
          commit: entry.element.commit, result: result, droppedBefore: dropped)
      }
    } catch {
      // Nothing follows an overflow: the writer need not fetch any more.
      cancel()
      throw error
    }
    cancel()
    return nil
  }

  private func cancel() {
    guard let id = state.withLock({ $0.id.take() }) else { return }
    observers.remove(id)
    buffer.finish()
    for listener in listeners { listener.didCancel() }
  }

  // MARK: - On the writer's queue

  private func begin(_ connection: Connection) {
    do {
      let first = try connection.snapshot { run($0) }
      if !skipsInitial || !first.isValue { buffer.append(Fetched(commit: nil, result: first)) }
    } catch {
      buffer.append(Fetched(commit: nil, result: .failure(error)))
    }
    state.withLock { $0.hasBegun = true }
  }

  private func append(_ commit: Commit, _ connection: Connection) {
    guard state.withLock({ $0.hasBegun }) else { return }
    buffer.append(Fetched(commit: commit, result: run(connection)))
  }

  /// Fetches, and watches what was read.
  private func run(_ connection: Connection) -> Result<any Sendable, any Error> {
    let (result, region) = connection.recordingRegion { try fetch.run(connection) }
    if let id = state.withLock({ $0.id }) {
      // What failed may have read less than it would have.
      observers.watch(result.isValue ? region : .full(reason: "the last fetch failed"), by: id)
    }
    return result
  }
}

extension Result {
  fileprivate var isValue: Bool { if case .success = self { true } else { false } }
}
