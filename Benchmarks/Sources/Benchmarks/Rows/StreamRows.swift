import Glibc

/// From the return of another process's COMMIT to the moment at which a line of
/// `livequery --stream` can be read, or `--until` has returned.
struct StreamRows {
  let project: Project
  private let pace = Pace(milliseconds: 7...12)
  private let warmUp = 20
  private let count = 400
  private let waits = 60

  func run() throws -> [Row] {
    let path = project.newDatabase("stream.db")
    try PlayerTable.make(path)
    let dashboard = try project.dashboard("two-panels.sql", PlayerTable.twoPanels)
    let stream = try ChildProcess(project.livequery, ["--stream", path, dashboard])
    guard let output = stream.output else { throw Failure("livequery has no output") }
    let writer = try ServingWriter(project, path, ["--journal", "WAL", "--sync", "NORMAL"])
    // The current state comes first: one end for each panel.
    _ = try output.read(within: 10_000_000_000) { $0.contains("\"panel\":\"top\",\"op\":\"end\"") }
    output.drain(for: 100_000_000)
    var samples = Samples()
    for index in 0..<warmUp + count {
      let (committed, read) = try writer.commit(
        PlayerTable.insertion(score: 200_000 + index), andRead: output
      ) { $0.bytes.contains(UInt8(ascii: "\n")) }
      if index >= warmUp { samples.append(from: committed, to: read) }
      output.drain(for: pace.next())
    }
    stream.signal(SIGTERM)
    stream.waitForEnd()
    var rows: [Row] = []
    rows.append("foreign commit → stream line", samples, .milliseconds, target: .atMost(1))
    rows.append(
      "foreign commit → end of --until", try untilEnds(), .milliseconds, target: .atMost(2))
    return rows
  }

  /// From the return of the COMMIT that makes the condition of `--until` true to the moment at which
  /// the program that waited for it is gone.
  private func untilEnds() throws -> Samples {
    let path = project.newDatabase("until.db")
    try PlayerTable.make(path)
    let writer = try ServingWriter(project, path, ["--journal", "WAL", "--sync", "NORMAL"])
    var samples = Samples()
    for index in 1...waits {
      let waiting = try ChildProcess(
        project.livequery,
        [
          "--stream", "--until", "SELECT value = \(index) FROM counter", path, "-c", "SELECT 1",
        ])
      guard let output = waiting.output else { throw Failure("livequery has no output") }
      // It waits once it has told the current state.
      _ = try output.read(within: 10_000_000_000) { $0.contains("\"op\":\"end\"") }
      output.drain(for: pace.next())
      let committed = try writer.commit("UPDATE counter SET value = \(index)")
      waiting.waitForEnd()
      samples.append(from: committed, to: Clock.now)
    }
    return samples
  }
}
