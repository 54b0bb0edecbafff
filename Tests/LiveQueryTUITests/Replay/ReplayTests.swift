import Glibc
import TestSupport
import Testing

/// A session that is recorded plays on the same screen.
@Suite(.fewAtOnce) struct ReplayTests {
  private static let keys = """
    cupdate player set name = 'zoe' where name = 'ada';<Enter><wait><Esc>1
    """

  private static let dashboard = """
    -- dashboard: arena
    -- layout: fame fame load

    -- name: fame
    -- title: hall of fame
    -- key: name
    -- rank: score
    SELECT name, score FROM player ORDER BY score DESC;

    -- name: load
    -- view: gauge min=0 max=200
    SELECT sum(score) AS total FROM player;
    """

  /// A recording of a scripted session, and the last frame of the session.
  private func record(_ options: [String] = []) async throws -> (Playground, String, Frame) {
    let playground = try await Playground(
      """
      CREATE TABLE player (name TEXT PRIMARY KEY, score INT);
      INSERT INTO player VALUES ('ada', 90), ('bob', 40), ('eve', 20);
      """, journal: "wal")
    let path = playground.folder.path("session")
    let dashboard = try playground.folder.write(Self.dashboard, to: "d.sql")
    let frame = try await Frame(
      Self.keys, options: ["--record", path] + options, on: playground, dashboard: [dashboard])
    return (playground, path, frame)
  }

  private func replay(_ words: String...) async throws -> ProgramResult {
    try await LiveQuery.run(["--replay"] + words)
  }

  @Test(arguments: [0, 400])
  func `a recording that was cut off within its first refresh plays up to there`(_ more: Int)
    async throws
  {
    let (playground, path, _) = try await record()
    let text = try playground.folder.text("session")
    let head = text.prefix { $0 != "\n" }
    let cut = try playground.folder.write(String(text.prefix(head.count + 1 + more)), to: "cut")
    let result = try await replay(cut, "--frame", "80x24", "--query-timeout", "100")
    #expect(result.status == 0 && result.errors == "", "\(result)")
    #expect(result.output.contains("hall of fame"))
    _ = path
  }

  @Test func `what is no recording is not read to its end, which may not come`() async throws {
    let device = try await replay("/dev/zero", "--frame", "80x24")
    #expect(device.status == 2)
    #expect(device.errors == "livequery: /dev/zero is neither a regular file nor a pipe\n")
    for source in ["cat /dev/zero", "yes"] {
      let piped = try await RunningProgram.run(
        ["sh", "-c", "\(source) | exec \"$0\" --replay - --frame 80x24", LiveQuery.path])
      #expect(piped.status == 2)
      #expect(piped.errors.contains("standard input"), "\(piped.errors)")
    }
  }

  @Test func `a recording shows the same panels as the session`() async throws {
    let (playground, path, frame) = try await record()
    defer { withExtendedLifetime(playground) {} }
    let result = try await replay(path, "--panes", "feed", "--frame", "80x24")
    #expect(result.status == 0)
    #expect(result.errors == "")
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0].hasPrefix(" livequery  app.db  WAL rw"))
    #expect(lines[0].contains("● REPLAY END"))
    #expect(result.output.contains("zoe"))
    // The row that changed, as it stood on the screen of the session.
    let wanted = try #require(frame.line(with: "zoe").split(separator: "┃").first)
    #expect(result.output.contains(wanted))
    // No console: nothing can be typed into a recording.
    #expect(!result.output.contains("sql>"))
    #expect(result.output.contains("3 transactions"))
  }

  @Test func `panels stand where they stood, beside panes too`() async throws {
    let playground = try await Playground.sample()
    let path = playground.folder.path("session")
    let frame = try await Frame(
      size: "160x48", options: ["--record", path], on: playground, panes: nil)
    let result = try await replay(path, "--frame", "160x48")
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    /// The corners and sides of the frames in a line, without what they say.
    func frames(_ line: some StringProtocol) -> [Int] {
      line.enumerated().filter { "╭╮╰╯┏┓┗┛┬┴┼┱┲┹┺┡┢╃╄╅╆".contains($0.element) }.map(\.offset)
    }
    // The panels, and the feed among them.
    for (number, line) in frame.lines.enumerated() where line.contains("├─┤") {
      #expect(frames(line) == frames(lines[number]), "line \(number + 1)")
    }
    let feed = try #require(frame.lines.firstIndex { $0.contains("transactions├") })
    #expect(lines[feed].contains("transactions├"))
  }

  @Test func `the same frame comes out each time, without the database`() async throws {
    let (playground, path, _) = try await record()
    unlink(playground.database)
    let first = try await replay(path, "--frame", "160x48")
    let second = try await replay(path, "--frame", "160x48")
    #expect(first.output == second.output)
    #expect(first.status == 0)
  }

  @Test func `keys work on what is played`() async throws {
    let (playground, path, _) = try await record()
    let keys = try playground.folder.write("z/zoe<Enter>c", to: "replay.keys")
    let result = try await replay(path, "--keys", keys, "--frame", "80x24")
    #expect(result.output.contains("hall of fame /zoe"))
    #expect(result.output.contains("1 of 3"))
    #expect(result.output.contains("there is no console here"))
  }

  @Test(arguments: ["e", ":edit<Enter>"])
  func `nothing is edited in a recording`(_ keys: String) async throws {
    let (playground, path, _) = try await record()
    let script = try playground.folder.write(keys, to: "replay.keys")
    let result = try await replay(path, "--keys", script, "--frame", "160x24")
    #expect(result.output.contains("a recording has no queries to edit"))
    #expect(!result.output.contains("e edit SQL"))
  }

  @Test func `a stream can be recorded, panels of -c too`() async throws {
    let playground = try await Playground(Fixture.counter)
    let path = playground.folder.path("session")
    let program = try LiveQuery.start([
      "--stream", "--count", "1", "--record", path, playground.database, "-c",
      "SELECT count(*) AS n FROM t",
    ])
    _ = try await program.line()
    try await playground.shell.run("INSERT INTO t (v) VALUES ('b')")
    #expect(try await program.result().status == 0)
    let result = try await replay(path, "--frame", "40x12")
    #expect(result.output.contains("1 panel1"))
    #expect(result.output.contains("▲ +1"))
  }

  @Test func `an existing file is not written over`() async throws {
    let playground = try await Playground(Fixture.counter)
    let path = try playground.folder.write("precious", to: "session")
    let result = try await LiveQuery.run(
      "--stream", "--record", path, playground.database, "-c", "SELECT 1")
    #expect(result.status == 3)
    #expect(
      result.errors
        == "livequery: --record \(path): the file exists; choose another name or remove it\n")
    #expect(try playground.folder.text("session") == "precious")
  }

  @Test func `a recording that ends within a line plays up to there, and says so`() async throws {
    let (playground, path, _) = try await record()
    let bytes = try playground.folder.bytes("session")
    try playground.folder.write(Array(bytes.dropLast(30)), to: "session")
    let result = try await replay(path, "--frame", "80x24")
    #expect(result.status == 0)
    #expect(result.output.contains("! the recording was cut off here"))
  }

  @Test func `a broken line is told with its place`() async throws {
    let (playground, path, _) = try await record()
    var text = try playground.folder.text("session")
    text = text.replacing("\"tx\":", with: "\"tx:")
    try playground.folder.write(text, to: "session")
    let result = try await replay(path, "--frame", "80x24")
    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("livequery: \(path):"))
    #expect(result.errors.hasSuffix(": expected \":\"\n"))
  }

  @Test(arguments: [
    ("missing", "No such file or directory"), ("/dev/null", "is neither a regular file nor a pipe"),
  ])
  func `a file that is none is told`(_ path: String, _ message: String) async throws {
    let result = try await replay(path, "--frame", "80x24")
    #expect(result.status == 2)
    #expect(result.errors.contains(message))
  }

  @Test func `alerts are played, and hooks are not`() async throws {
    let playground = try await Playground("CREATE TABLE t (n INT); INSERT INTO t VALUES (6);")
    let dashboard = try playground.folder.write(
      """
      -- name: a
      -- view: number
      -- alert: n > 5
      -- on-alert: touch got
      SELECT max(n) AS n FROM t;
      """, to: "d.sql")
    let path = playground.folder.path("session")
    _ = try await Frame("n", options: ["--record", path], on: playground, dashboard: [dashboard])
    let result = try await replay(path, "--frame", "80x24")
    #expect(result.output.contains("ALERT since"))
    #expect(!playground.folder.names.contains("got"))
  }
}
