internal import Synchronization

/// What to call at each event of an observation; see ``ValueObservation/handleEvents(willStart:willFetch:willTrackRegion:databaseDidChange:didReceiveValue:didFail:didCancel:)``.
struct ObservationListener: Sendable {
  var willStart: @Sendable () -> Void
  var willFetch: @Sendable () -> Void
  var willTrackRegion: @Sendable (Region) -> Void
  var databaseDidChange: @Sendable () -> Void
  var didCancel: @Sendable () -> Void
}

extension ObservedFetch {
  /// The same fetch, which notifies `listeners` of its runs; for one subscription.
  func instrumented(by listeners: [ObservationListener]) -> ObservedFetch {
    guard !listeners.isEmpty else { return self }
    let history = FetchHistory()
    return ObservedFetch(
      run: { connection in
        let isRepeated = history.begin()
        for listener in listeners {
          if isRepeated { listener.databaseDidChange() }
          listener.willFetch()
        }
        do {
          let value = try run(connection)
          let region = connection.fetchState.recorded ?? Region()
          if history.end(region) { for listener in listeners { listener.willTrackRegion(region) } }
          return value
        } catch {
          history.fail(error)
          throw error
        }
      }, areEqual: areEqual)
  }
}

/// What the runs of one fetch were; they never overlap.
private final class FetchHistory: Sendable {
  private struct State {
    var hasRun = false
    var region: Region?
  }

  private let state = Mutex(State())

  /// - Returns: Whether the run follows another that came to its end: then something changed.
  func begin() -> Bool { state.withLock { $0.hasRun } }

  /// - Returns: Whether the region is another one than that of the last run.
  func end(_ region: Region) -> Bool {
    state.withLock { state in
      defer {
        state.hasRun = true
        state.region = region
      }
      return state.region != region
    }
  }

  func fail(_ error: any Error) {
    // A run that was cancelled for taking long, or found a lock, is repeated, though nothing changed.
    state.withLock { $0.hasRun = $0.hasRun || !error.isTransient }
  }
}
