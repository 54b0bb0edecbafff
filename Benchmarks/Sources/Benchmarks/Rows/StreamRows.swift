import Glibc

/// From the return of another process's COMMIT to the moment at which a line of
/// `livequery --stream` can be read.
struct StreamRows {
  let project: Project
  private let pace = Pace(milliseconds: 7...12)
  private let warmUp = 20
  private let count = 400

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
    return rows
  }
}
