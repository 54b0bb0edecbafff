import Glibc
import TestSupport
import Testing

/// A dashboard file that is saved while its panels are shown.
@Suite(.fewAtOnce) struct ReloadTests {
  private static let first = """
    -- name: fame
    -- title: best players
    -- key: name
    SELECT name, id FROM players ORDER BY id LIMIT 20;

    -- name: count
    SELECT count(*) AS n, 2 AS x FROM players;

    """

  private func start(
    _ options: String..., link: Bool = false
  ) async throws -> (terminal: Tmux, playground: Playground, file: String) {
    let playground = try await Playground.sample()
    let file = try playground.folder.write(Self.first, to: "d.sql")
    var shown = file
    if link {
      shown = playground.folder.path("link.sql")
      symlink("d.sql", shown)
    }
    let terminal = try await Tmux(size: (100, 30), beside: playground)
    try await terminal.start(options + [playground.database, shown])
    try await terminal.waitFor("LIVE", "best players", "1 204")
    return (terminal, playground, file)
  }

  @Test func `a saved file is shown at once; cursor, filter and sort stay`() async throws {
    let (terminal, playground, _) = try await start()
    try await terminal.type("/a")
    try await terminal.press("Enter", "j", "j", "s")
    try await terminal.waitFor("best players /a")
    try playground.folder.write(
      Self.first.replacing("best players", with: "hall of fame")
        + "-- name: maps\nSELECT name FROM maps;\n", to: "d.sql")
    try await terminal.waitFor("hall of fame /a", "3 maps", "Reloaded d.sql (3 panels)")
  }

  @Test func `a value that only the former file let choose is gone with it`() async throws {
    let (terminal, playground, _) = try await start()
    let panel = "-- name: one\nSELECT 'found ' || name FROM maps WHERE id = :map;\n"
    try playground.folder.write(
      "-- param: map from SELECT id FROM maps ORDER BY 1\n\n" + panel, to: "d.sql")
    try await terminal.waitFor("Reloaded d.sql (1 panel)", "found ")
    try playground.folder.write(panel, to: "d.sql")
    try await terminal.waitFor("the parameter map has no value; give --param map=VALUE", "found ")
  }

  @Test func `a query of the console becomes a panel of the file`() async throws {
    let (terminal, playground, _) = try await start()
    try await terminal.type("cSELECT count(*) AS maps FROM maps;")
    try await terminal.press("Enter")
    try await terminal.waitFor("1 row ·")
    try await terminal.type(":pin maps")
    try await terminal.press("Enter")
    try await terminal.waitFor("3 maps", ":save keeps it")
    try await terminal.type(":save")
    try await terminal.press("Enter")
    try await terminal.waitFor("to be appended to d.sql", "-- name: maps", "y / n")
    #expect(try playground.folder.text("d.sql") == Self.first)
    try await terminal.type("y")
    try await terminal.waitFor("Saved maps to d.sql", "Reloaded d.sql (3 panels)", "3 maps")
    let added = "\n-- name: maps\nSELECT count(*) AS maps FROM maps;\n"
    #expect(try playground.folder.text("d.sql") == Self.first + added)
    // The file has it now.
    try await terminal.type(":unpin")
    try await terminal.press("Enter")
    try await terminal.waitFor("nothing is pinned")
  }

  @Test func `a broken file keeps the panels and says where, until it is mended`() async throws {
    let (terminal, playground, _) = try await start()
    try playground.folder.write(
      Self.first.replacing("-- title", with: "-- titel"), to: "d.sql")
    try await terminal.waitFor(
      "d.sql:2:4: error: unknown key \"titel\", did you mean \"title\"?", "best players")
    // It stays there, whatever is pressed.
    try await terminal.press("Tab", "j")
    try await terminal.waitFor("d.sql:2:4: error", "best players")
    try playground.folder.write(
      Self.first.replacing("best players", with: "mended"), to: "d.sql")
    try await terminal.waitFor("1 mended", "(2 panels)")
    try await terminal.press("Tab")
    try await terminal.waitForAbsence(of: "d.sql:2:4", "Reloaded")
  }

  @Test func `a panel that can never work is refused like any error`() async throws {
    let (terminal, playground, _) = try await start()
    try playground.folder.write(
      Self.first + "-- name: x\nDELETE FROM players;\n", to: "d.sql")
    try await terminal.waitFor(" d.sql:9:1: error: ", "best players")
    let count = try await playground.shell.run("SELECT count(*) FROM players")
    #expect(count == "1204\n")
  }

  @Test func `a query that cannot run keeps the panels, until the schema fits it`() async throws {
    let (terminal, playground, _) = try await start()
    try playground.folder.write(
      Self.first + "-- name: x\nSELECT count(*) FROM\n  guilds;\n", to: "d.sql")
    try await terminal.waitFor(" d.sql:10:3: error: no such table: guilds", "best players")
    try await playground.shell.run("CREATE TABLE guilds (id INTEGER PRIMARY KEY)")
    try await terminal.waitFor("(3 panels)", "3 x")
    try playground.folder.write(
      Self.first.replacing("SELECT", with: "SELEC"), to: "d.sql")
    try await terminal.waitFor("error: near \"SELEC\": syntax error", "best players", "3 x")
  }

  @Test func `a panel that waits for its table already does not hold up others`() async throws {
    let (terminal, playground, _) = try await start()
    try await playground.shell.run("ALTER TABLE players RENAME TO people")
    try await terminal.waitFor("no such table: players")
    try playground.folder.write(
      Self.first.replacing("best players", with: "best people"), to: "d.sql")
    try await terminal.waitFor("1 best people", "(2 panels)")
  }

  @Test func `a file that is gone is told, and the panels stay`() async throws {
    let (terminal, playground, file) = try await start()
    #expect(unlink(file) == 0)
    try await terminal.waitFor("No such file", "the panels stay", "best players")
    // With the same text, it is there again all the same.
    try playground.folder.write(Self.first, to: "d.sql")
    try await terminal.waitFor("(2 panels)")
  }

  @Test func `a pipe in place of the file freezes nothing, and is told until there is a file`()
    async throws
  {
    let (terminal, playground, file) = try await start()
    #expect(unlink(file) == 0)
    #expect(mkfifo(file, 0o600) == 0)
    try await terminal.waitFor("d.sql is not a regular file; the panels stay", "best players")
    try await terminal.press("?")
    try await terminal.waitFor("help")
    try await terminal.press("Escape")
    try await terminal.type(":reload")
    try await terminal.press("Enter", "Tab")
    try await terminal.waitFor("is not a regular file", "best players")
    #expect(unlink(file) == 0)
    try playground.folder.write(Self.first, to: "d.sql")
    try await terminal.waitFor("Reloaded d.sql (2 panels)")
    try await terminal.press("Tab")
    try await terminal.waitForAbsence(of: "is not a regular file", "Reloaded")
  }

  @Test func `a file that is not UTF-8 is told until it is mended`() async throws {
    let (terminal, playground, _) = try await start()
    try playground.folder.write(Array(Self.first.utf8) + [0xff, 0xfe], to: "d.sql")
    try await terminal.waitFor("d.sql: not valid UTF-8; the panels stay", "best players")
    try await terminal.press("Tab", "j")
    try await terminal.waitFor("not valid UTF-8", "best players")
    try playground.folder.write(Self.first, to: "d.sql")
    try await terminal.waitFor("Reloaded d.sql (2 panels)")
    try await terminal.press("Tab")
    try await terminal.waitForAbsence(of: "not valid UTF-8", "Reloaded")
  }

  @Test func `editors that save by renaming are noticed`() async throws {
    let (terminal, playground, file) = try await start()
    for number in 1...3 {
      let new = try playground.folder.write(
        Self.first.replacing("best players", with: "version \(number)"), to: "d.sql.new")
      #expect(rename(new, file) == 0)
      try await terminal.waitFor("version \(number)")
    }
    // As vim does it: the old file is moved away first.
    #expect(rename(file, file + "~") == 0)
    try playground.folder.write(
      Self.first.replacing("best players", with: "as vim"), to: "d.sql")
    try await terminal.waitFor("as vim")
  }

  @Test func `a symbolic link is followed, and noticed when it leads elsewhere`() async throws {
    let (terminal, playground, _) = try await start(link: true)
    try playground.folder.write(
      Self.first.replacing("best players", with: "through the link"), to: "d.sql")
    try await terminal.waitFor("through the link")
    try playground.folder.write(
      Self.first.replacing("best players", with: "another file"), to: "e.sql")
    symlink("e.sql", playground.folder.path("link.new"))
    #expect(rename(playground.folder.path("link.new"), playground.folder.path("link.sql")) == 0)
    try await terminal.waitFor("another file")
  }

  @Test func `after a reload commits of others appear, in the feed once`() async throws {
    let (terminal, playground, _) = try await start()
    try playground.folder.write(
      Self.first.replacing("LIMIT 20", with: "LIMIT 21"), to: "d.sql")
    try await terminal.waitFor("Reloaded")
    try await playground.shell.run("DELETE FROM players WHERE id = 1204")
    try await terminal.waitFor(" ext ", "ext 1")
    let text = try await terminal.text
    #expect(text.split(separator: "\n").count { $0.contains(" ext ") && $0.contains("→") } == 1)
  }

  @Test func `commits of others are in the feed once, however often the file is saved`()
    async throws
  {
    let (terminal, playground, _) = try await start()
    let saver = Task { [playground] in
      for number in 1...30 {
        try playground.folder.write(
          Self.first.replacing("best players", with: "version \(number)."), to: "d.sql")
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    for number in 1...60 {
      try await playground.shell.run("UPDATE players SET name = 'n\(number)' WHERE id = 5")
    }
    try await saver.value
    try await terminal.waitFor("version 30.", "n60", "me 0 · ext 60")
  }

  @Test func `reload on the command line answers in any case`() async throws {
    let (terminal, playground, file) = try await start()
    try await terminal.type(":reload")
    try await terminal.press("Enter")
    try await terminal.waitFor("(2 panels)")
    #expect(unlink(file) == 0)
    try await terminal.type(":reload")
    try await terminal.press("Enter")
    try await terminal.waitFor("No such file", "the panels stay")
    _ = playground
  }

  @Test func `a dashboard from -f and panels from -c live on together`() async throws {
    let playground = try await Playground.sample()
    let file = try playground.folder.write(Self.first, to: "d.sql")
    let terminal = try await Tmux(size: (100, 30), beside: playground)
    try await terminal.start(
      ["-f", file, playground.database, "-c", "SELECT max(id) AS adhoc FROM maps"])
    try await terminal.waitFor("LIVE", "best players", "3 panel3")
    try playground.folder.write(
      Self.first.replacing("best players", with: "again"), to: "d.sql")
    try await terminal.waitFor("1 again", "3 panel3")
  }
}
