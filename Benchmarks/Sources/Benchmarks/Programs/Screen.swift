import Glibc

/// `livequery` on a terminal of 80 columns and 24 rows.
final class Screen {
  let process: ChildProcess
  let output: ByteSource

  /// - Parameter dashboard: A file; `nil` for automatic panels.
  init(_ project: Project, _ database: String, dashboard: String?) throws(Failure) {
    process = try ChildProcess(
      project.livequery, [database] + (dashboard.map { [$0] } ?? []),
      streams: .terminal(columns: 80, rows: 24),
      environment: [
        "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": "",
        "XDG_STATE_HOME": project.path("state"), "SWIFT_BACKTRACE": "enable=no",
      ])
    guard let output = process.output else { throw Failure("livequery has no terminal") }
    self.output = output
  }

  var figures: ProcessFigures { ProcessFigures(pid: process.pid) }

  /// Waits for a frame in which `text` is.
  ///
  /// - Returns: When it could be read.
  @discardableResult
  func wait(for text: String) throws(Failure) -> UInt64 {
    try output.read(within: 10_000_000_000) { $0.contains(text) }
  }

  func end() throws(Failure) {
    process.signal(SIGTERM)
    let status = process.waitForEnd()
    guard status == 128 + SIGTERM else { throw Failure("livequery ended with \(status)") }
  }
}
