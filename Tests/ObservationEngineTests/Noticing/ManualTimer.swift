import ObservationEngine
import Synchronization
import TestSupport

/// A timer that a test lets ring when it is to ring much later. Short pauses it keeps itself, so that its clock
/// does not stand still.
final class ManualTimer: Sendable {
  /// What a test decides about: no pause or retry of the engine takes as long.
  static let long: UInt64 = 150_000_000

  private struct State {
    /// How far the clock is ahead of the system's.
    var ahead: UInt64 = 0
    /// When it shall ring, and whether a test has let it.
    var set: [UInt64] = []
    var rung = 0
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// The configuration of a database that keeps time by it.
  var configuration: Configuration {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.refreshTimer = RefreshTimer { [self] in
      RefreshTimer.system.now() + state.withLock { $0.ahead }
    } makeAlarm: { [self] queue, action in
      state.withLock { $0.action = action }
      let system = RefreshTimer.system.makeAlarm(queue, action)
      return RefreshTimer.Alarm { [self] time in
        state.withLock { state in
          let now = RefreshTimer.system.now() + state.ahead
          guard time > now + Self.long else { return system.ring(at: time - state.ahead) }
          if state.set.last != time { state.set.append(time) }
        }
      }
    }
    return configuration
  }

  /// How many times it was set to ring much later.
  var count: Int { state.withLock { $0.set.count } }

  /// Waits until it is set once more to ring much later, and lets it ring.
  func ring() async throws {
    let index = state.withLock { state in
      defer { state.rung += 1 }
      return state.rung
    }
    try await wait(for: "the timer to be set") { self.count > index }
    advance(to: state.withLock { $0.set[index] })
  }

  /// Lets so much time pass.
  func advance(by duration: Duration) {
    advance(
      to: RefreshTimer.system.now() + state.withLock { $0.ahead }
        + UInt64(duration / .nanoseconds(1)))
  }

  private func advance(to time: UInt64) {
    let action = state.withLock { state in
      let now = RefreshTimer.system.now() + state.ahead
      state.ahead += time - min(time, now)
      return state.action
    }
    action?()
  }
}
