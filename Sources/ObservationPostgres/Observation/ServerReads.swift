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
  private struct Hold {
    /// Cancels what is being read.
    var ticket: CancelTicket?
    /// The console has the third connection.
    var isYielded = false
  }

  private let address: ServerAddress
  private let settings: ServerSettings
  private let known: KnownServer
  private let queue = DispatchQueue(label: "livequery reads")
  // Used on the queue alone, as is the next one.
  private nonisolated(unsafe) var open: (ServerConnection, ServerProbe, home: ServerHome?)?
  private nonisolated(unsafe) var count = 0
  private let hold = Mutex(Hold())

  private static let idleSeconds = 10

  init(_ address: ServerAddress, _ settings: ServerSettings, _ known: KnownServer) {
    (self.address, self.settings, self.known) = (address, settings, known)
  }

  /// Runs statements in one snapshot, and blocks until they have.
  ///
  /// - Parameter limit: How long each may take.
  /// - Returns: `nil` when there is no connection for it, or none any longer: the console has taken it, the server
  ///   refuses another one, or it was lost.
  func read(
    _ statements: [PanelReader.Statement], limit: Duration?
  ) -> [Result<ServerResult, ServerFault>]? {
    queue.sync {
      guard let (connection, probe, _) = connect() else { return nil }
      hold.withLock { $0.ticket = connection.cancelTicket() }
      defer { hold.withLock { $0.ticket = nil } }
      do throws(ServerFault) {
        let results = try PanelReader.read(statements, connection, probe, settings, limit: limit)
        let isComplete = results.allSatisfy { if case .success = $0 { true } else { false } }
        return isComplete || !hold.withLock { $0.isYielded } ? results : nil
      } catch {
        open = nil
        return nil
      }
    }
  }

  private func connect() -> (ServerConnection, ServerProbe, home: ServerHome?)? {
    if hold.withLock({ $0.isYielded }) { return nil }
    count += 1
    closeLater(unlessAfter: count)
    let home = known.home
    if let open, !open.0.isLost, open.home == home { return open }
    open = nil
    let deadline = SystemClock.monotonic() + 5_000_000_000
    // What is wrong with the server, the panels' connection reports.
    let opened = try? { () throws(ServerFault) in
      let connection = try ServerConnection(address, .panels, at: home?.peer, deadline: deadline)
      return (connection, try ServerProbe(connection, deadline: deadline))
    }()
    // A load balancer may lead to another server, whose rows would stand among those of the panels.
    if let opened, home?.isSame(startedAt: opened.1.startedAt) != false {
      open = (opened.0, opened.1, home)
    }
    return open
  }

  private func closeLater(unlessAfter last: Int) {
    queue.asyncAfter(deadline: .now() + .seconds(Self.idleSeconds)) { [weak self] in
      guard let self, count == last else { return }
      open = nil
    }
  }

  /// Cancels what is being read, closes the connection, and opens none any longer.
  func yield() {
    hold.withLock { $0.isYielded = true }
    cancel()
    queue.sync { open = nil }
  }

  /// Cancels what is being read; blocks until the server has received that.
  func cancel() { hold.withLock { $0.ticket }?.cancel() }
}
