internal import Dispatch
internal import ObservationEngine
internal import Synchronization

/// The connection for what the screen reads besides panels: a schema, the rows of a table, a count. So a slow one holds
/// up no panel.
///
/// It is opened when it is needed, and closed when it isn't for a while. Once the console has a connection it is gone
/// for good, so that there are never more than three.
///
/// Reads run one after another on a queue of their own.
final class ServerReads: Sendable {
  private enum Place {
    case closed
    case open(ServerConnection, ServerProbe)
    /// The console has the third connection.
    case yielded
  }

  private let address: ServerAddress
  private let settings: ServerSettings
  private let queue = DispatchQueue(label: "livequery reads")
  // Used on the queue alone, as is the next one.
  private nonisolated(unsafe) var place = Place.closed
  private nonisolated(unsafe) var count = 0
  /// Cancels what is being read.
  private let running = Mutex<CancelTicket?>(nil)

  private static let idleSeconds = 10

  init(_ address: ServerAddress, _ settings: ServerSettings) {
    self.address = address
    self.settings = settings
  }

  /// Runs statements in one snapshot, and blocks until they have.
  ///
  /// - Parameter limit: How long each may take.
  /// - Returns: `nil` when there is no connection for it: the console has it, or the server refuses another one.
  /// - Throws: ``ServerFault`` when the connection is lost.
  func read(
    _ statements: [PanelReader.Statement], limit: Duration?
  ) throws(ServerFault) -> [Result<ServerResult, ServerFault>]? {
    let result: Result<[Result<ServerResult, ServerFault>]?, ServerFault> = queue.sync {
      guard let (connection, probe) = openPlace() else { return .success(nil) }
      running.withLock { $0 = connection.cancelTicket() }
      defer { running.withLock { $0 = nil } }
      do throws(ServerFault) {
        return .success(
          try PanelReader.read(statements, connection, probe, settings, limit: limit))
      } catch {
        // After a fault it is unknown what is open there.
        place = .closed
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func openPlace() -> (ServerConnection, ServerProbe)? {
    count += 1
    defer { closeLater(unlessAfter: count) }
    if case .open(let connection, let probe) = place, !connection.isLost {
      return (connection, probe)
    }
    if case .yielded = place { return nil }
    let deadline = SystemClock.monotonic() + 5_000_000_000
    guard let connection = try? ServerConnection(address, .panels, deadline: deadline),
      let probe = try? ServerProbe(connection, deadline: deadline)
    else { return nil }
    place = .open(connection, probe)
    return (connection, probe)
  }

  private func closeLater(unlessAfter last: Int) {
    queue.asyncAfter(deadline: .now() + .seconds(Self.idleSeconds)) { [weak self] in
      guard let self, count == last, case .open = place else { return }
      place = .closed
    }
  }

  /// Closes the connection after what is being read, and opens none any more.
  func yield() { queue.sync { place = .yielded } }

  /// Cancels what is being read; blocks until the server has received that.
  func cancel() { running.withLock { $0 }?.cancel() }
}
