import Dispatch
import ObservationEngine
import Synchronization

/// The players as the engine observes them, in the process that also writes.
final class ObservedPlayers {
  private let database: Database
  private let newest = Newest()
  private let commits: ObservationSubscription
  /// Ends the observation.
  private let endObservation: () -> Void

  /// How values are handed over.
  enum Delivery {
    /// To a task that iterates.
    case sequence
    /// To a handler, on the thread that fetched them.
    case callback
  }

  /// What was delivered last, and a way to wait for more.
  private final class Newest: Sendable {
    struct State {
      /// When the last commit was noticed.
      var committed: UInt64 = 0
      var delivered: (players: Int, time: UInt64) = (0, 0)
    }

    let state = Mutex(State())
    let delivery = DispatchSemaphore(value: 0)
  }

  init(path: String, delivery: Delivery) throws {
    let database = try Database(path: path)
    self.database = database
    let newest = newest
    commits = database.onCommit { commit in
      newest.state.withLock { $0.committed = Clock.nanoseconds(commit.observedAt) }
    }
    let observation = database.observe(
      Query.scalar(SQL(raw: PlayerTable.count), as: Int.self),
      Query.rows(SQL(raw: PlayerTable.top)) { row in
        try PlainPlayer(id: row[0], name: row[1], score: row[2])
      })
    let take: @Sendable (Int?, [PlainPlayer]) -> Void = { players, _ in
      let now = Clock.now
      newest.state.withLock { $0.delivered = (players ?? 0, now) }
      newest.delivery.signal()
    }
    switch delivery {
    case .sequence:
      let consumer = Task.detached {
        for try await (players, top) in observation { take(players, top) }
      }
      endObservation = { consumer.cancel() }
    case .callback:
      let subscription = observation.start(onError: { _ in }, onValue: { take($0.0, $0.1) })
      endObservation = { subscription.cancel() }
    }
    newest.delivery.wait()
  }

  /// Commits one more player and waits for the values that know of it.
  func insert(score: Int) throws -> WriteMoments {
    let before = newest.state.withLock { $0.delivered.players }
    let began = Clock.now
    try database.writeWaiting { connection in
      try connection.execute("INSERT INTO player(name, score) VALUES ('new', \(score))")
    }
    let committed = newest.state.withLock { $0.committed }
    while newest.state.withLock({ $0.delivered.players }) == before {
      guard newest.delivery.wait(timeout: .now() + 5) == .success else {
        throw Failure("an own commit led to no value")
      }
    }
    return WriteMoments(
      began: began, committed: committed,
      delivered: newest.state.withLock { $0.delivered.time })
  }

  func end() {
    endObservation()
    database.close()
  }
}
