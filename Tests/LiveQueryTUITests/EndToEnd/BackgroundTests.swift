import Dashboard
import TestSupport
import Testing

@testable import LiveQueryTUI

/// Which tones `auto` takes on a terminal that is asked for its background.
@Suite(.fewAtOnce) struct BackgroundTests {
  private static let size = Size(width: 80, height: 24)
  private static let white = "\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\"
  private static let attributes = "\u{1b}[?62;22c"

  private func program(
    _ options: [String] = [], environment: [String: String] = [:]
  ) async throws -> (EmulatedProgram, Playground) {
    let database = try await Playground(Fixture.counter)
    var variables = ["COLORFGBG": "", "COLORTERM": "", "NO_COLOR": ""]
    variables.merge(environment) { $1 }
    let program = try EmulatedProgram(
      [database.database, "-c", "SELECT id, v FROM t"] + options, size: Self.size,
      environment: variables)
    try await program.waitFor("LIVE", "id")
    return (program, database)
  }

  /// Whether the border of the panel with the focus has the colour for this background.
  private func isFor(_ background: Palette.Background, _ emulator: TerminalEmulator) -> Bool {
    let look = Palette(colors: 256, background: background, theme: .auto).look(
      of: Style(.focusedBorder))
    return emulator.cells.contains { $0.look.foreground == "38;5;\(look.foreground)" }
  }

  @Test func `dark until the terminal says that it is white, then light`() async throws {
    let (program, _) = try await program()
    #expect(program.emulator.questions == 1)
    #expect(isFor(.dark, program.emulator))
    // In pieces, with a key between the answers.
    try program.type(String(Self.white.prefix(9)))
    try program.type(Self.white.dropFirst(9) + "?" + Self.attributes)
    try await program.waitFor("In a panel with rows")
    try program.type("\u{1b}")
    try await program.wait(for: "light tones") { emulator in
      isFor(.light, emulator) && !isFor(.dark, emulator)
        && !emulator.lines.joined().contains("In a panel with rows")
    }
    let text = program.emulator.lines.joined()
    #expect(!text.contains("rgb") && !text.contains("ffff") && !text.contains("62;22"))
    #expect(program.emulator.questions == 1)
    try program.type("q")
    #expect(try await program.ended() == 0)
  }

  @Test func `a terminal that knows no such question stays dark`() async throws {
    let (program, database) = try await program()
    try program.type(Self.attributes)
    try await database.shell.run("INSERT INTO t(v) VALUES ('after')")
    try await program.waitFor("after")
    #expect(isFor(.dark, program.emulator))
  }

  @Test(
    arguments: [
      ([], ["COLORFGBG": "15;0"]), ([], ["NO_COLOR": "1"]), ([], ["TERM": "linux"]),
      ([], ["TERM": "screen", "TMUX": ""]), (["--theme", "light"], [:]),
      (["--theme", "mono"], [:]),
      (["--color", "never"], [:]),
    ] as [([String], [String: String])])
  func `who knows, or needs not know, does not ask`(
    _ options: [String], _ environment: [String: String]
  ) async throws {
    let (program, _) = try await program(options, environment: environment)
    #expect(program.emulator.questions == 0)
  }

  @Test func `the answer does not reach the editor`() async throws {
    let database = try await Playground(Fixture.counter)
    let file = try database.folder.write("-- name: p\nSELECT v AS value FROM t;\n", to: "d.sql")
    let program = try EmulatedProgram(
      [database.database, file], size: Self.size,
      environment: [
        "COLORFGBG": "", "NO_COLOR": "", "VISUAL": "",
        "EDITOR": "sh -c 'echo editing; read line; echo \"given $line.\"; read line' --",
      ])
    try await program.waitFor("LIVE", "1 p")
    // At once: nobody waits longer than a second for what comes after the key.
    try program.type("e" + Self.white + Self.attributes)
    try await program.waitFor("editing")
    try program.type("words\r")
    try await program.waitFor("given words.")
    try program.type("\r")
    try await program.wait(for: "light tones") { isFor(.light, $0) }
    try program.type("q")
    #expect(try await program.ended() == 0)
  }
}
