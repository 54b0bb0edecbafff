import Glibc

/// Another process that commits when it is told to, and says when its COMMIT returned.
final class ServingWriter {
  private let process: ChildProcess
  /// What it answers, for those who wait for something else at the same time.
  let output: ByteSource

  /// - Parameter arguments: `--journal MODE`, `--sync MODE`.
  init(_ project: Project, _ database: String, _ arguments: [String] = []) throws(Failure) {
    process = try ChildProcess(
      project.externalWriter, ["serve", database] + arguments, streams: .pipes)
    guard let output = process.output else { throw Failure("the writer has no output") }
    self.output = output
    guard try answer().hasPrefix("ready") else { throw Failure("the writer did not start") }
  }

  /// Tells it to run `sql`; the answer comes later.
  func send(_ sql: String) throws(Failure) {
    output.clear()
    try process.write(sql + "\n")
  }

  /// Commits `sql`.
  ///
  /// - Returns: When its COMMIT returned there.
  func commit(_ sql: String) throws(Failure) -> UInt64 {
    try send(sql)
    while true {
      if let time = try committed(answer()) { return time }
    }
  }

  /// The time in an answer `ok BEFORE AFTER`; `nil` for a row.
  func committed(_ answer: String) throws(Failure) -> UInt64? {
    let words = answer.split(separator: " ")
    if words.first == "ok", words.count == 3, let time = UInt64(words[2]) { return time }
    guard answer.hasPrefix("row") else { throw Failure("the writer said: \(answer)") }
    return nil
  }

  private func answer() throws(Failure) -> String {
    _ = try output.read(within: 10_000_000_000) { $0.bytes.contains(UInt8(ascii: "\n")) }
    return output.takeLine() ?? ""
  }

  /// Commits `sql` and reads what another process makes of it.
  ///
  /// - Returns: When COMMIT returned, and when `isEnough` became true of what `reader` had read.
  func commit(
    _ sql: String, andRead reader: ByteSource, until isEnough: (ByteSource) -> Bool
  ) throws(Failure) -> (committed: UInt64, read: UInt64) {
    try send(sql)
    reader.clear()
    let end = Clock.now + 5_000_000_000
    var committedAt: UInt64?
    var readAt: UInt64?
    while committedAt == nil || readAt == nil {
      guard !reader.hasEnded, !output.hasEnded, ByteSource.wait([output, reader], until: end)
      else { throw Failure("a commit was not followed by what it should lead to") }
      // The clock first: reading takes time as well.
      let now = Clock.now
      if reader.isReady {
        reader.read()
        if readAt == nil, isEnough(reader) { readAt = now }
      }
      if committedAt == nil, output.isReady {
        output.read()
        while committedAt == nil, let line = output.takeLine() {
          committedAt = try committed(line)
        }
      }
    }
    guard let committedAt, let readAt else { throw Failure("no times were taken") }
    return (committedAt, readAt)
  }
}
