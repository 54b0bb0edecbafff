import Glibc
import TestSupport
import Testing

/// Colours as they reach a terminal.
@Suite(.fewAtOnce) struct ColorTests {
  private func styled(_ variables: String, _ options: String...) async throws -> String {
    let database = try await Playground.sample()
    let terminal = try await Tmux(beside: database)
    try await terminal.start(
      [database.database, Playground.projectFile("arena.sql")] + options, variables: variables)
    try await terminal.waitFor("LIVE", "hall of fame", "98 389")
    let styled = try await terminal.tmux("capture-pane", "-p", "-e")
    try await terminal.press("q")
    try await terminal.waitForShell(status: 0)
    #expect(try await terminal.isRestored())
    return styled
  }

  /// The colour of a focused border: on dark, 0x61afef or 75 of 256.
  @Test func `true colour where the terminal says so`() async throws {
    let styled = try await styled("TERM=tmux-256color COLORTERM=truecolor", "--theme", "dark")
    #expect(styled.contains("38;2;97;175;239m"))
    #expect(!styled.contains("38;5;75m"))
  }

  @Test func `256 colours where it does not`() async throws {
    let styled = try await styled("TERM=tmux-256color COLORTERM=", "--theme", "dark")
    #expect(styled.contains("38;5;75m"))
    #expect(!styled.contains("38;2;"))
  }

  @Test func `eight where there are no more`() async throws {
    let styled = try await styled("TERM=screen COLORTERM=")
    #expect(!styled.contains("38;5;"))
    #expect(styled.contains("\u{1b}[36m"))
  }

  @Test(arguments: ["NO_COLOR=1 COLORTERM=truecolor TERM=tmux-256color", "TERM=vt100"])
  func `none where none are wanted, or known`(_ variables: String) async throws {
    let styled = try await styled(variables)
    #expect(!styled.contains("38;"))
  }

  @Test func `mono has none, light and high contrast have others`() async throws {
    let variables = "TERM=tmux-256color COLORTERM="
    #expect(!(try await styled(variables, "--theme", "mono").contains("38;5;")))
    #expect(try await styled(variables, "--theme", "light").contains("38;5;25m"))
    #expect(try await styled(variables, "--theme", "high-contrast").contains("38;5;51m"))
  }

  @Test func `another theme is there at once, and a wrong name is refused`() async throws {
    let database = try await Playground.sample()
    let terminal = try await Tmux(beside: database)
    try await terminal.start(
      [database.database, Playground.projectFile("arena.sql"), "--theme", "dark"],
      variables: "TERM=tmux-256color COLORTERM=")
    try await terminal.waitFor("LIVE", "98 389")
    try await terminal.type(":theme light")
    try await terminal.press("Enter")
    try await wait(for: "the light colours") {
      try await terminal.tmux("capture-pane", "-p", "-e").contains("38;5;25m")
    }
    try await terminal.type(":theme lihgt")
    try await terminal.press("Enter")
    try await terminal.waitFor("no theme is called \"lihgt\", did you mean \"light\"?")
  }

  /// A configuration folder with these themes.
  private func folder(_ themes: [String: String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    mkdir(folder.path("livequery"), 0o700)
    mkdir(folder.path("livequery/themes"), 0o700)
    for (name, text) in themes { try folder.write(text, to: "livequery/themes/\(name).theme") }
    return folder
  }

  @Test func `a theme of the user is shown, and a faulty one is refused with the place`()
    async throws
  {
    let folder = try folder(["mine": "focused-border = 214", "wrong": "\nfocused-boarder = 1"])
    let database = try await Playground.sample()
    let terminal = try await Tmux(beside: database)
    try await terminal.start(
      [database.database, Playground.projectFile("arena.sql"), "--theme", "mine"],
      variables: "XDG_CONFIG_HOME=\(folder.path) TERM=tmux-256color COLORTERM=")
    try await terminal.waitFor("LIVE", "98 389")
    try await wait(for: "the colours of the theme") {
      try await terminal.tmux("capture-pane", "-p", "-e").contains("38;5;214m")
    }
    try await terminal.type(":theme wrong")
    try await terminal.press("Enter")
    try await terminal.waitFor("wrong.theme:2:1: error: unknown key \"focused-boarder\"")
    #expect(try await terminal.tmux("capture-pane", "-p", "-e").contains("38;5;214m"))
    try await terminal.press("q")
    try await terminal.waitForShell(status: 0)
    try await terminal.start(
      [database.database, "--theme", "wrong"], variables: "XDG_CONFIG_HOME=\(folder.path)")
    try await terminal.waitFor("2 ready>")
    // The line is longer than the screen.
    let text = try await terminal.text.replacing("\n", with: "")
    #expect(text.contains("wrong.theme:2:1: error: unknown key"))
  }

  @Test func `--theme names the themes that there are, and shells complete them`() async throws {
    let folder = try folder(["mine": ""])
    let variables = ["XDG_CONFIG_HOME": folder.path]
    let result = try await LiveQuery.run("--theme", "mime", "x.db", environment: variables)
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        "expected auto, dark, high-contrast, light, mine, mono, did you mean \"mine\"?"))
    let script = try await LiveQuery.run("--completions", "fish", environment: variables)
    #expect(script.output.contains("'auto dark high-contrast light mine mono'"))
  }
}
