import Dashboard
import Glibc
import ObservationEngine
import Synchronization

/// Observes panels of a dashboard, and says when they are as a commit has left them.
///
///     PanelTimer DATABASE DASHBOARD [--audit] PANEL…
///
/// A commit raises the number in `fence (n)`. Prints, at once:
///
///     panel NAME maintained|recomputed NANOSECONDS    each refresh of a panel, which took so long
///     fence NUMBER TIME                               every panel has what this commit left; on the monotonic clock
///     fault TEXT                                      what an audit found
///
/// It answers each line of its input with `state NAME BYTES LINES` and `why NAME TEXT` of each panel, and `end`.
@main
struct PanelTimer {
  static func main() async {
    do {
      var words = CommandLine.arguments.dropFirst()
      let audits = words.contains("--audit")
      words.removeAll { $0 == "--audit" }
      guard words.count > 2, let path = words.popFirst(), let dashboard = words.popFirst() else {
        throw TimerError(
          description: "usage: PanelTimer DATABASE DASHBOARD [--audit] PANEL…")
      }
      try await run(path, try panels(Array(words), of: dashboard), audits: audits)
    } catch {
      say("error \(error)")
      exit(1)
    }
  }

  private static func panels(
    _ names: [String], of dashboard: String
  ) throws -> [PanelDefinition] {
    let definition = DashboardParser.parse(try read(dashboard)).definition
    return try names.map { name in
      guard let panel = definition.panels.first(where: { $0.name == name }) else {
        throw TimerError(description: "\(dashboard) has no panel \(name)")
      }
      return panel
    }
  }

  private static func run(_ path: String, _ panels: [PanelDefinition], audits: Bool) async throws {
    var configuration = Configuration()
    configuration.createsFile = false
    if audits { configuration.auditsMaintenance = true }
    let database = try Database(path: path, configuration: configuration)
    let queries = panels.map { Query<RowSet>.rows(SQL(raw: $0.sql)) }
    answerQuestions(of: database, panels, queries)
    // The last of the group, which is refreshed in this order.
    let fence: Query<RowSet> = .rows("SELECT n FROM fence")
    var number: Int64 = -1
    var told: Int64 = -1
    for await update in database.observe(all: queries + [fence]) {
      let now = monotonic
      for case .notice(let text, _) in update.events where text.contains("maintained result") {
        say("fault \(text)")
      }
      for (index, refresh) in update.refreshed.sorted(by: { $0.key < $1.key })
      where index < panels.count {
        let method = refresh.method == .maintained ? "maintained" : "recomputed"
        let (seconds, attoseconds) = refresh.duration.components
        say(
          "panel \(panels[index].name) \(method) "
            + "\(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)")
      }
      if let rows = update.results[panels.count], let value = try rows.get().first?[0] as Int64? {
        number = value
      }
      // A slow panel comes later.
      if number > told, update.stale.isEmpty {
        say("fence \(number) \(now)")
        told = number
      }
    }
  }

  /// On a thread of its own, which waits for them.
  private static func answerQuestions(
    of database: Database, _ panels: [PanelDefinition], _ queries: [Query<RowSet>]
  ) {
    let thread = PlainThread {
      while readLine() != nil {
        for (panel, query) in zip(panels, queries) {
          let report = database.maintenance(of: query)
          say("state \(panel.name) \(report?.stateBytes ?? 0) \(report?.stateCount ?? 0)")
          say("why \(panel.name) \(RefreshText.lines(report).joined(separator: "; "))")
        }
        say("end")
      }
      exit(0)
    }
    thread.start()
  }

  private static func read(_ path: String) throws -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw TimerError(description: "\(path) cannot be read") }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(file, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }

  private static func say(_ text: String) {
    var line = Array((text + "\n").utf8)
    _ = write(1, &line, line.count)
  }

  private static var monotonic: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// A thread that goes on until the process ends.
private final class PlainThread: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func start() {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        Unmanaged<PlainThread>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    pthread_detach(thread)
  }
}

/// Why there are no times.
struct TimerError: Error, CustomStringConvertible {
  let description: String
}
