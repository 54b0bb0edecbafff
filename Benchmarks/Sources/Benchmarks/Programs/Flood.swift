import Glibc

/// What another process gets done that commits again and again.
struct Flood {
  let commits: Double
  /// Commits a second.
  let rate: Double
  /// Nanoseconds that a commit cost the writer: what others take of the machine is not in it.
  let cpuTime: Double
  /// How often it was refused because of a lock, a second.
  let refusals: Double

  /// Runs a flood to its end, and keeps reading from the screen meanwhile.
  ///
  /// - Parameters:
  ///   - sql: What is committed.
  ///   - options: Those of `ExternalWriter flood`: how long, how often, with which journal.
  init(
    _ project: Project, _ path: String, sql: String, options: [String], screen: Screen? = nil
  ) throws {
    try self.init(try Self.start(project, path, sql: sql, options: options), screen: screen)
  }

  /// Starts a flood that goes on meanwhile; see ``init(_:screen:)``.
  static func start(
    _ project: Project, _ path: String, sql: String, options: [String]
  ) throws(Failure) -> ChildProcess {
    try ChildProcess(
      project.externalWriter, ["flood", path, "--count-busy", "--sql", sql] + options)
  }

  /// What a flood that was started got done, once it has ended.
  init(_ writer: ChildProcess, screen: Screen?) throws {
    guard let output = writer.output else { throw Failure("the writer has no output") }
    let sources = [output] + (screen.map { [$0.output] } ?? [])
    let end = Clock.now + 60_000_000_000
    while !output.hasEnded {
      guard ByteSource.wait(sources, until: end) else { throw Failure("a flood does not end") }
      for source in sources where source.isReady { source.read() }
      screen?.output.clear()
    }
    writer.waitForEnd()
    // "20 commits in 1000 ms: 20 commits/s, 0 busy"
    let words = output.takeLine()?.split(separator: " ") ?? []
    guard words.count == 9, let commits = Double(words[0]), let milliseconds = Double(words[3]),
      let refusals = Double(words[7]), milliseconds > 0
    else { throw Failure("the writer gave no rate") }
    self.commits = commits
    rate = commits / milliseconds * 1000
    cpuTime = Double(writer.cpuTime) / max(1, commits)
    self.refusals = refusals / milliseconds * 1000
  }
}
