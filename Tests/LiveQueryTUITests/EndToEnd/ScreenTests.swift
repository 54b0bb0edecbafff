import Glibc
import TestSupport
import Testing

/// The program on a terminal, as a person sees it.
@Suite(.fewAtOnce) struct ScreenTests {
  private func arena(
    _ options: String..., size: (Int, Int) = (80, 24), variables: String = ""
  ) async throws -> (terminal: Tmux, database: Playground) {
    let database = try await Playground.sample()
    let terminal = try await Tmux(size: size, beside: database)
    try await terminal.start(
      [database.database, Playground.projectFile("arena.sql")] + options, variables: variables)
    try await terminal.waitFor("LIVE", "hall of fame", "98 389")
    return (terminal, database)
  }

  @Test func `the dashboard opens, q leaves it, and the terminal is as before`() async throws {
    let (terminal, _) = try await arena()
    #expect(try await terminal.variable("alternate_on") == "1")
    #expect(try await terminal.text.contains("─┤2 players├"))
    try await terminal.press("q")
    try await terminal.waitForShell(status: 0)
    #expect(try await terminal.isRestored())
    #expect(!(try await terminal.text.contains("hall of fame")))
  }

  @Test func `the panes that were chosen are there again`() async throws {
    let database = try await Playground.sample()
    let terminal = try await Tmux(beside: database)
    let command = [database.database, "-f", try database.folder.write("SELECT 1;", to: "a.sql")]
    try await terminal.start(command, panes: nil)
    try await terminal.waitFor("LIVE", "1 panel1")
    #expect(!(try await terminal.text.contains("transactions")))
    try await terminal.press("t")
    try await terminal.waitFor("transactions", "no commit seen yet")
    try await terminal.press("q")
    try await terminal.waitForShell(status: 0)
    try await terminal.start(command, panes: nil)
    try await terminal.waitFor("LIVE", "transactions")
  }

  @Test func `a commit of another process appears`() async throws {
    let (terminal, database) = try await arena()
    try await database.shell.run("UPDATE scores SET points = points + 20 WHERE player_id = 2")
    try await terminal.waitFor("100 600", " ext ")
    let lines = try await terminal.lines
    let grace = lines.firstIndex { $0.contains("grace") } ?? 0
    let ada = lines.firstIndex { $0.contains("ada") } ?? 0
    #expect(grace < ada)
    #expect(lines[grace].contains("▲1"))
    #expect(lines[ada].contains("▼1"))
  }

  @Test(arguments: ["wal", "delete"])
  func `the explorer follows what another process writes, creates and drops`(
    _ journal: String
  ) async throws {
    let database = try await Playground(
      "CREATE TABLE first (v); INSERT INTO first VALUES ('one')", journal: journal)
    let terminal = try await Tmux(size: (120, 40), beside: database)
    try await terminal.start([database.database])
    try await terminal.waitFor("LIVE", "2 first", "one")
    try await database.shell.run("INSERT INTO first VALUES ('another')")
    try await terminal.waitFor("another")
    try await wait(for: "two rows") { try await terminal.rows(of: "first") == "2" }
    if journal == "wal" {
      // Which table was written is known once the pages of the tables are, which takes a moment.
      try await wait(for: "the activity of a table") {
        try await database.shell.run("UPDATE first SET v = v WHERE v = 'one'")
        return try await terminal.text.contains("changed  ")
      }
    } else {
      // With a rollback journal it is unknown: no activity takes room.
      #expect(try await !terminal.text.contains("changed  "))
    }
    // The shell commits each statement by itself.
    try await database.shell.run("CREATE TABLE Later (v); INSERT INTO Later VALUES ('two')")
    try await terminal.waitFor("Later")
    try await database.shell.run("DROP TABLE first")
    try await terminal.waitFor("2 Later", "two")
    try await terminal.waitForAbsence(of: "first")
  }

  @Test func `a hostile cell changes nothing but its own cells`() async throws {
    let database = try await Playground(
      """
      CREATE TABLE t (v); INSERT INTO t VALUES ('x' || char(27) || ']0;owned' || char(7) || char(27)
      || '[2J' || char(27) || '[31m' || char(155) || '5A' || char(13, 10, 8, 8226, 8238, 8203));
      """)
    let terminal = try await Tmux(beside: database)
    let title = try await terminal.variable("pane_title")
    try await terminal.start([database.database, "-c", "SELECT v, 1 AS one FROM t"])
    try await terminal.waitFor("LIVE", "x␛]0;owned␇␛[2J␛[31m")
    #expect(try await terminal.variable("pane_title") == title)
    let lines = try await terminal.lines
    #expect(lines.first?.contains("livequery") == true)
    #expect(lines.last?.contains("help") == true)
    // Printed once on a terminal, it is as harmless.
    try await terminal.press("q")
    try await terminal.waitForShell(status: 0)
    for format in ["table", "csv", "json", "ndjson"] {
      try await terminal.start(["--\(format)", database.database, "-c", "SELECT v FROM t"])
      try await terminal.waitFor("owned", "0 ready>")
      #expect(try await terminal.variable("pane_title") == title)
    }
  }

  @Test func `after any change of size the screen is what a new one would be`() async throws {
    let (terminal, database) = try await arena(size: (80, 24))
    for (width, height) in [(120, 40), (40, 10), (20, 5), (2, 1), (79, 23), (80, 24)] {
      try await terminal.resize(width, height)
      let frame = try await Frame(size: "\(width)x\(height)", on: database)
      // Times and durations differ from run to run, and stand in these lines; in a frame's line what a
      // duration leaves no room for gives way to it.
      func comparable(_ lines: [String]) -> [String] {
        lines.enumerated().filter { index, line in
          !(index == 0 && height > 5) && !line.contains(" ms") && !line.contains("queries")
            && !line.contains("├─") && !line.contains("┣━")
        }.map { $0.element.trimmingSuffix { $0 == " " } }
      }
      let expected = comparable(frame.lines)
      var last: [String] = []
      do {
        try await wait(for: "\(width)x\(height)") {
          last = comparable(try await terminal.lines)
          return last == expected
        }
      } catch {
        let difference = last.difference(from: expected)
        Issue.record("\(width)x\(height): \(difference.removals) \(difference.insertions)")
        throw error
      }
    }
  }

  @Test func `the terminal's size counts, and not variables with another one`() async throws {
    let playground = try await Playground.sample()
    let terminal = try await Tmux(size: (100, 30), beside: playground)
    try await terminal.start(
      [playground.database, "-c", "SELECT 42 AS answer"], variables: "COLUMNS=40 LINES=10")
    try await terminal.waitFor("LIVE", "panel1")
    let lines = try await terminal.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first { $0.contains("LIVE") }?.count ?? 0 > 90)
    #expect(lines.lastIndex { $0.contains("quit") } == 29)
  }

  @Test func `the first line follows the journal mode and the size of the file`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    let terminal = try await Tmux(size: (140, 30), beside: playground)
    try await terminal.start([playground.database, "-c", "SELECT count(*) AS n FROM t"])
    try await terminal.waitFor("LIVE", "DELETE", "8.0 KB")
    try await playground.shell.run("PRAGMA journal_mode = wal")
    try await terminal.waitFor("WAL · rw · 8.0 KB")
    try await playground.shell.run("INSERT INTO t VALUES (zeroblob(200000))")
    try await playground.shell.run("PRAGMA wal_checkpoint(TRUNCATE)")
    try await terminal.waitFor("WAL · rw · 200 KB")
    let other = try await Playground(
      "CREATE TABLE t (v); INSERT INTO t VALUES (zeroblob(4000000));")
    #expect(rename(other.database, playground.database) == 0)
    try await terminal.waitFor("DELETE · rw · 3.8 MB")
  }

  @Test func `a terminal of a single cell is survived`() async throws {
    let (terminal, _) = try await arena()
    try await terminal.resize(1, 1)
    try await terminal.waitForAbsence(of: "hall of fame")
    try await terminal.resize(80, 24)
    try await terminal.waitFor("hall of fame", "98 389", "?help")
  }

  @Test func `the screen is drawn anew after Ctrl-L`() async throws {
    let (terminal, _) = try await arena()
    let before = try await terminal.lines
    let tty = try await terminal.variable("pane_tty")
    // Another program writes over it.
    let smear = try await RunningProgram.run(["sh", "-c", "printf '\\033[HSMEARED' > \(tty)"])
    #expect(smear.status == 0)
    try await terminal.waitFor("SMEARED")
    try await terminal.press("C-l")
    try await terminal.waitForAbsence(of: "SMEARED")
    #expect(try await terminal.lines.dropFirst() == before.dropFirst())
  }

  @Test(
    arguments: [
      "TERM=vt100", "TERM=xterm-color", "TERM=linux", "NO_COLOR=1", "TERM=xterm-256color",
      "COLORFGBG='0;15'",
    ])
  func `on any terminal the same is told`(_ variables: String) async throws {
    let (terminal, database) = try await arena(variables: variables)
    try await database.shell.run("DELETE FROM players WHERE id = 1204")
    try await terminal.waitFor(" ext ", "98 389")
    if variables == "NO_COLOR=1" {
      let styled = try await terminal.tmux("capture-pane", "-p", "-e")
      // 39 and 49 are the terminal's own colours.
      for color in 0...8 {
        #expect(!styled.contains("[3\(color)") && !styled.contains("[4\(color)"))
        #expect(!styled.contains(";3\(color)") && !styled.contains(";4\(color)"))
      }
    }
    try await terminal.press("q")
    try await terminal.waitForShell(status: 0)
  }

  @Test func `a terminal that cannot show a screen gets the rows once`() async throws {
    let database = try await Playground(Fixture.counter)
    let terminal = try await Tmux(beside: database)
    try await terminal.start(
      [database.database, "-c", "SELECT v AS value FROM t"], variables: "TERM=dumb")
    try await terminal.waitFor("printing the panels once", "value\n-----\na\n", "0 ready>")
  }

  @Test func `without UTF-8 only ASCII is drawn`() async throws {
    let (terminal, _) = try await arena(variables: "LC_ALL=C")
    let text = try await terminal.text
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    #expect(text.contains("#=[1 hall of fame]="))
    #expect(text.contains("not UTF-8"))
  }

  @Test func `Ctrl-Z gives the shell back, and fg the dashboard`() async throws {
    let (terminal, database) = try await arena()
    try await terminal.press("C-z")
    try await terminal.waitFor("ready>")
    #expect(try await terminal.isRestored())
    try await database.shell.run("UPDATE scores SET points = points + 20 WHERE player_id = 2")
    try await terminal.run("fg")
    try await terminal.waitFor("LIVE", "100 600")
    #expect(try await terminal.variable("alternate_on") == "1")
    try await terminal.press("q")
    try await terminal.waitForShell(status: 0)
    #expect(try await terminal.isRestored())
  }

  @Test func `a program that is stopped holds no lock of a query that ran`() async throws {
    let database = try await Playground(Fixture.counter)
    let terminal = try await Tmux(beside: database)
    try await terminal.start([
      database.database, "-c", "SELECT v FROM t", "-c",
      "SELECT count(*) FROM t, (\(Fixture.endless))",
    ])
    try await terminal.waitFor("panel1", "waiting for the first result")
    try await wait(for: "the query to hold its lock") { Self.isBeingRead(database.database) }
    try await terminal.press("C-z")
    try await terminal.waitFor("ready>")
    try await database.shell.run("UPDATE t SET v = 'free'")
    try await terminal.run("fg")
    try await terminal.waitFor("free")
  }

  /// Whether a process reads the database now; to look asks for no lock, to which the program would give way.
  private static func isBeingRead(_ path: String) -> Bool {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    // SQLite's SHARED lock, https://www.sqlite.org/lockingv3.html
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_start = 0x4000_0002
    lock.l_len = 510
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  @Test func `a locked database is stale, with its reason, until it is free`() async throws {
    let database = try await Playground(Fixture.counter)
    let terminal = try await Tmux(beside: database)
    try await terminal.start(
      ["--busy-timeout", "50", database.database, "-c", "SELECT v, id FROM t"])
    try await terminal.waitFor("LIVE", "panel1")
    let writer = try await ExternalProcess.serve(database.database)
    try await writer.send("UPDATE t SET v = 'before'")
    try await terminal.waitFor("before")
    try await writer.send("BEGIN EXCLUSIVE")
    try await terminal.press("r")
    try await terminal.waitFor("STALE", "locked", "before")
    try await writer.send("UPDATE t SET v = 'after'")
    try await writer.send("COMMIT")
    try await terminal.waitFor("LIVE", "after")
    try await terminal.waitForAbsence(of: "STALE", "locked")
  }
}
