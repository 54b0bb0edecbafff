import Dashboard

/// Options about what happens during a session: hooks, recordings.
extension Arguments {
  static func hook(_ text: String, _ name: String) throws(ArgumentError) -> HookCommand {
    do throws(HookSyntaxError) {
      return try HookCommand(text)
    } catch {
      throw ArgumentError(message: "\(name) \(text): \(error.message)")
    }
  }

  static func speed(_ text: String, _ name: String) throws(ArgumentError) -> Arguments.Speed {
    if text == "max" { return .all }
    let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    guard isPlain, let factor = Double(text), (0.001...1_000_000).contains(factor) else {
      throw ArgumentError(
        message: "\(name) \(text): expected a factor, such as 1, 0.5 or 10, or max")
    }
    return .times(factor)
  }

  /// Refuses contradictions.
  func checkSession() throws(ArgumentError) {
    if server != nil { try checkServer() }
    if replay != nil { try checkReplay() }
    if speed != nil, replay == nil { throw ArgumentError(message: "--speed is for --replay") }
    let isPrinting = requestedMode == .once || (requestedMode == nil && impliesOnce)
    if recording != nil, isPrinting || requestedMode == .check {
      throw ArgumentError(message: "--record is for the screen and --stream")
    }
    if exec != nil, isPrinting || requestedMode == .check {
      throw ArgumentError(message: "--exec is for the screen and --stream: --once sees no change")
    }
    if failsOnAlert, requestedMode == .check {
      throw ArgumentError(message: "--fail-on-alert has no meaning with --check")
    }
  }

  /// Whether an option implies printing once, without `--once`.
  private var impliesOnce: Bool {
    guard count == nil else { return false }
    return format != nil || output != nil || !panels.isEmpty || null != nil || until != nil
      || timeout != nil
  }

  /// Refuses what a server doesn't offer.
  private func checkServer() throws(ArgumentError) {
    if requestedMode == .rows {
      throw ArgumentError(
        message: "--rows is for SQLite files: a PostgreSQL server doesn't hand out the rows that "
          + "commits changed. --stream prints the changed rows of a query: -c 'TABLE t' --stream")
    }
    if audits {
      throw ArgumentError(
        message: "--audit is for SQLite files: on a PostgreSQL server every query runs")
    }
  }

  private func checkReplay() throws(ArgumentError) {
    let others: [(name: String, isGiven: Bool)] = [
      ("a database", database != nil), ("a dashboard", dashboard != nil),
      ("-c", !commands.isEmpty), ("--param", !parameters.isEmpty),
      ("--once", requestedMode == .once),
      ("--stream", requestedMode == .stream), ("--rows", requestedMode == .rows),
      ("--check", requestedMode == .check),
      ("--exec", exec != nil), ("--record", recording != nil), ("--panel", !panels.isEmpty),
      ("--until", until != nil), ("--timeout", timeout != nil), ("--count", count != nil),
    ]
    guard let other = others.first(where: \.isGiven) else { return }
    throw ArgumentError(
      message: "--replay shows what was recorded: \(other.name) has no meaning with it")
  }
}
