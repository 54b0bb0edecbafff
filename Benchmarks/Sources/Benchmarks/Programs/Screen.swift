import Glibc

/// `livequery` on a terminal.
final class Screen {
  let process: ChildProcess
  let output: ByteSource

  /// - Parameter dashboard: A file; `nil` for automatic panels.
  init(
    _ project: Project, _ database: String, dashboard: String?, columns: Int32 = 80,
    rows: Int32 = 24
  ) throws(Failure) {
    process = try ChildProcess(
      project.livequery, [database] + (dashboard.map { [$0] } ?? []),
      streams: .terminal(columns: columns, rows: rows),
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

  /// Presses keys, given as the bytes that they send.
  ///
  /// - Returns: When that was done.
  @discardableResult
  func press(_ keys: String) throws(Failure) -> UInt64 {
    var keys = keys
    let count = keys.utf8.count
    let before = Clock.now
    let written = keys.withUTF8 { Glibc.write(output.descriptor, $0.baseAddress, $0.count) }
    guard written == count else { throw Failure(call: "pressing keys") }
    return before
  }

  func end() throws(Failure) {
    process.signal(SIGTERM)
    let status = process.waitForEnd()
    guard status == 128 + SIGTERM else { throw Failure("livequery ended with \(status)") }
  }
}
