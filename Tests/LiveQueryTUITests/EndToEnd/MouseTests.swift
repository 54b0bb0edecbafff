import TestSupport
import Testing

/// The mouse of a real terminal.
@Suite(.fewAtOnce) struct MouseEndToEndTests {
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
    try await terminal.waitFor("━┫1 hall of fame┣")
    let right = try await column(of: "┱", terminal)
    let inside = right + 5
    try await terminal.type("\u{1b}[<0;\(inside);4M\u{1b}[<0;\(inside);4m")
    try await terminal.waitFor("┫2 players┣", "┤1 hall of fame├")
    #expect(try await column(of: "┲", terminal) == right)
  }

  /// Sends what a terminal reports: a button or wheel, its cell from 1, and whether it was let go.
  private func report(
    _ button: Int, _ x: Int, _ y: Int, isRelease: Bool = false, _ terminal: Tmux
  ) async throws {
    try await terminal.type("\u{1b}[<\(button);\(x);\(y)\(isRelease ? "m" : "M")")
  }

  @Test func `a border is dragged, also from outside of the screen`() async throws {
    let terminal = try await arena()
    let border = try await column(of: "┱", terminal)
    try await report(0, border, 5, terminal)
    // The line belongs to the panel to its right, too: that one has the focus from here on.
    for x in [border - 1, border - 3] { try await report(32, x, 5, terminal) }
    try await wait(for: "a narrower panel") { try await column(of: "┲", terminal) == border - 3 }
    // The mouse leaves the window: the border goes as far as it can.
    try await report(32, 500, 900, terminal)
    try await wait(for: "a wider panel") { try await column(of: "┲", terminal) > border - 3 }
    try await report(0, 500, 900, isRelease: true, terminal)
    let end = try await column(of: "┲", terminal)
    try await report(32, border, 5, terminal)
    try await report(0, 500, 900, terminal)
    // Behind the mouse come keys: what they do is seen after what the mouse did.
    try await terminal.press("z")
    try await terminal.waitForAbsence(of: "hall of fame")
    try await terminal.press("z")
    try await terminal.waitFor("hall of fame")
    #expect(try await column(of: "┲", terminal) == end)
  }

  @Test func `a click on a header sorts, and the wheel scrolls`() async throws {
    let terminal = try await arena()
    let lines = try await terminal.lines
    let row = try #require(lines.firstIndex { $0.contains("player") && $0.contains("score") })
    let name = try #require(lines[row].firstRange(of: "player"))
    let x = lines[row].distance(from: lines[row].startIndex, to: name.lowerBound) + 1
    try await report(0, x, row + 1, terminal)
    try await terminal.waitFor("player▲")
    try await report(0, x, row + 1, terminal)
    try await terminal.waitFor("player▼")
    try await report(0, x, row + 1, terminal)
    try await terminal.waitForAbsence(of: "player▼")
    let first = try await terminal.lines[row + 1]
    try await report(65, x, row + 3, terminal)
    try await wait(for: "another first row") { try await terminal.lines[row + 1] != first }
    try await report(64, x, row + 3, terminal)
    try await wait(for: "the first row") { try await terminal.lines[row + 1] == first }
  }

  /// The column, from 1, of a corner in the first line of the panels.
  private func column(of corner: Character, _ terminal: Tmux) async throws -> Int {
    let line = try await terminal.lines[1]
    guard let index = line.firstIndex(of: corner) else { return 0 }
    return line.distance(from: line.startIndex, to: index) + 1
  }
}
