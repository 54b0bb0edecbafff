import TestSupport
import Testing

/// The mouse of a real terminal.
@Suite struct MouseEndToEndTests {
  private func arena(_ options: String...) async throws -> Tmux {
    let database = try await Playground.sample()
    let terminal = try await Tmux(beside: database)
    try await terminal.start(
      [database.database, Playground.projectFile("arena.sql")] + options)
    try await terminal.waitFor("LIVE", "hall of fame", "98 389")
    return terminal
  }

  @Test func `it is asked for, and given back at the end`() async throws {
    let terminal = try await arena()
    #expect(try await terminal.variable("mouse_any_flag") == "1")
    #expect(try await terminal.variable("mouse_sgr_flag") == "1")
    try await terminal.press("q")
    try await terminal.waitForShell(status: 0)
    #expect(try await terminal.isRestored())
  }

  @Test func `it is given back when the program stops, and taken again`() async throws {
    let terminal = try await arena()
    try await terminal.press("C-z")
    try await terminal.waitFor("ready>")
    #expect(try await terminal.variable("mouse_any_flag") == "0")
    try await terminal.run("fg")
    try await terminal.waitFor("LIVE")
    #expect(try await terminal.variable("mouse_any_flag") == "1")
  }

  @Test func `it is given back after a crash`() async throws {
    let terminal = try await arena()
    let process = try await terminal.foreground()
    _ = try await RunningProgram.run(["kill", "-SEGV", "\(process)"])
    try await terminal.waitForShell(status: 139)
    #expect(try await terminal.isRestored())
  }

  @Test func `without it the terminal keeps the mouse`() async throws {
    let terminal = try await arena("--no-mouse")
    #expect(try await terminal.variable("mouse_any_flag") == "0")
  }

  @Test func `a click gives a panel the focus`() async throws {
    let terminal = try await arena()
    try await terminal.waitFor("┏━┫1 hall of fame┣")
    let right = try await column(of: "┓", terminal)
    let inside = right + 5
    try await terminal.type("\u{1b}[<0;\(inside);4M\u{1b}[<0;\(inside);4m")
    try await terminal.waitFor("┫2 players┣", "┤1 hall of fame├")
    #expect(try await column(of: "╮", terminal) == right)
  }

  /// The column, from 1, of a corner in the first line of the panels.
  private func column(of corner: Character, _ terminal: Tmux) async throws -> Int {
    let line = try await terminal.lines[1]
    guard let index = line.firstIndex(of: corner) else { return 0 }
    return line.distance(from: line.startIndex, to: index) + 1
  }
}
