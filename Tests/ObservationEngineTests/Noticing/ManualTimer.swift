import ObservationEngine
import Synchronization
import TestSupport

/// A timer that a test lets ring.
final class ManualTimer: Sendable {
  private let settings = Journal<(delay: Duration, action: @Sendable () -> Void)>()
  private let heard = Mutex(0)

  /// The configuration of a database that keeps time by it.
  var configuration: Configuration {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.refreshTimer = RefreshTimer { [settings] delay, action in
      settings.append((delay, action))
    }
    return configuration
  }

  /// How many times somebody has set it.
  var count: Int { settings.entries.count }

  /// Waits until somebody has set it once more, and lets it ring.
  ///
  /// - Returns: After which time it should ring.
  @discardableResult
  func ring() async throws -> Duration {
    let index = heard.withLock { heard in
      defer { heard += 1 }
      return heard
    }
    guard let setting = await settings.entry(at: index) else { throw Unexpected("nobody set it") }
    setting.action()
    return setting.delay
  }
}
