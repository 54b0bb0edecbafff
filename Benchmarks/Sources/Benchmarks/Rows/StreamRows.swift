import CSystem
import Glibc

/// From the return of another process's COMMIT to the moment at which a line of
/// `livequery --stream` or `--rows` can be read, or `--until` has returned.
struct StreamRows {
  let project: Project
  private let pace = Pace(milliseconds: 7...12)
  private let warmUp = 20
  private let count = 400
  private let waits = 60

  func run() throws -> [Row] {
    let dashboard = try project.dashboard("two-panels.sql", PlayerTable.twoPanels)
    var rows: [Row] = []
    // The current state comes first: one end for each panel, or that of the opening.
    let line = try lines(
      "stream.db", [dashboard], "--stream", after: "\"panel\":\"top\",\"op\":\"end\"")
    rows.append("foreign commit → stream line", line, .milliseconds, target: .atMost(0.3))
    let plain = try plainLines()
    rows.append("  plain loop asleep in inotify, both queries again, a line", plain, .milliseconds)
    rows.append(Row("  stream line / plain loop", line.median / plain.median, .ratio))
    rows.append(
      "foreign commit → line of --rows",
      try lines("rows.db", [], "--rows", after: "\"origin\":\"open\""), .milliseconds,
      target: .atMost(1))
    rows.append(
      "foreign commit → end of --until", try untilEnds(), .milliseconds, target: .atMost(2))
    return rows
  }

  /// From commits of one row to the first line that each leads to.
  private func lines(
    _ name: String, _ more: [String], _ option: String, after opening: String
  ) throws -> Samples {
    let path = project.newDatabase(name)
    try PlayerTable.make(path)
    let program = try ChildProcess(project.livequery, [option, path] + more)
    guard let output = program.output else { throw Failure("livequery has no output") }
    let writer = try ServingWriter(project, path, ["--journal", "WAL", "--sync", "NORMAL"])
    _ = try output.read(within: 10_000_000_000) { $0.contains(opening) }
    defer {
      program.signal(SIGTERM)
      program.waitForEnd()
    }
    return try measure(writer, output)
  }

  /// The least that a program does which prints both results after each commit.
  private func plainLines() throws -> Samples {
    let path = project.newDatabase("stream-plain.db")
    try PlayerTable.make(path)
    let players = try PlainPlayers(path: path, readsApart: false)
    try players.read()
    var ends: [Int32] = [-1, -1]
    guard bench_pipe(&ends) == 0 else { throw Failure(call: "pipe") }
    let (output, input) = (ByteSource(ends[0]), ends[1])
    defer { close(input) }
    let loop = try DataVersionLoop(path, pause: .untilLogIsWritten) {
      // A look that fails leads to no line, and its absence ends the measurement.
      guard (try? players.read()) != nil else { return }
      let line = "\(players.current)\n"
      _ = write(input, line, line.utf8.count)
    }
    defer { loop.stop() }
    let writer = try ServingWriter(project, path, ["--journal", "WAL", "--sync", "NORMAL"])
    // The thread is to have had its first look.
    Clock.sleep(100_000_000)
    return try measure(writer, output)
  }

  private func measure(_ writer: ServingWriter, _ output: ByteSource) throws -> Samples {
    output.drain(for: 100_000_000)
    var samples = Samples()
    for index in 0..<warmUp + count {
      let (committed, read) = try writer.commit(
        PlayerTable.insertion(score: 200_000 + index), andRead: output
      ) { $0.bytes.contains(UInt8(ascii: "\n")) }
      if index >= warmUp { samples.append(from: committed, to: read) }
      output.drain(for: pace.next())
    }
    return samples
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
