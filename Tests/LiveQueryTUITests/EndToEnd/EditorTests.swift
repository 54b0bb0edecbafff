import Glibc
import TestSupport
import Testing

/// `e`: the terminal in the hands of an editor, and back.
@Suite(.fewAtOnce) struct EditorTests {
  private static let dashboard = """
    -- name: fame
    SELECT name, id FROM players ORDER BY id LIMIT 20;

    -- name: count
    -- title: how many
    SELECT count(*) AS n, 2 AS x FROM players;

    """

  private func start(
    editor: String, arguments: [String]? = nil
  ) async throws -> (terminal: Tmux, playground: Playground, file: String) {
    let playground = try await Playground.sample()
    let file = try playground.folder.write(Self.dashboard, to: "d.sql")
    let terminal = try await Tmux(size: (100, 30), beside: playground)
    try await terminal.start(
      [playground.database] + (arguments ?? [file]),
      variables: "VISUAL= EDITOR='\(editor.replacing("FOLDER", with: playground.folder.path))'")
    try await terminal.waitFor("LIVE", "1 204")
    return (terminal, playground, file)
  }

  /// An editor that is a script: it says what it was given, waits for a line, and changes the file.
  private func script(_ lines: String, in playground: Playground) throws {
    try playground.folder.writeScript(lines, to: "vi")
  }

  @Test func `the editor has the whole terminal, the file and its line, and gives all back`()
    async throws
  {
    let (terminal, playground, file) = try await start(editor: "FOLDER/vi -x")
    try script(
      """
      echo "given: $*"
      stty -a | grep -q ' icanon' && echo 'cooked'
      read answer
      sed -i "s/how many/$answer/" "$3"
      """, in: playground)
    try await terminal.press("2", "e")
    try await terminal.waitFor("given: -x +6 \(file)", "cooked")
    #expect(try await terminal.variable("alternate_on") == "0")
    #expect(try await terminal.variable("cursor_flag") == "1")
    try await terminal.type("so many")
    try await terminal.press("Enter")
    try await terminal.waitFor("LIVE", "2 so many", "Reloaded")
    #expect(try await terminal.variable("alternate_on") == "1")
    try await terminal.press("q")
    try await terminal.waitForShell(status: 0)
    #expect(try await terminal.isRestored())
  }

  @Test(arguments: [
    ("false", "false ended with status 1"),
    ("no-such-editor", "the editor \"no-such-editor\" was not found; set VISUAL or EDITOR"),
    ("sh -c \"kill -9 $$\"", "sh was ended by signal 9"),
    ("/dev/null", "the editor \"/dev/null\" cannot be run; set VISUAL or EDITOR"),
  ])
  func `an editor that fails says so, and the dashboard goes on`(
    _ editor: String, _ message: String
  ) async throws {
    let (terminal, playground, _) = try await start(editor: editor)
    try await terminal.press("e")
    try await terminal.waitFor(message, "LIVE")
    try await playground.shell.run("DELETE FROM players WHERE id = 1204")
    try await terminal.waitFor("1 203")
  }

  @Test func `Ctrl-C and Ctrl-Z within the editor are for it, not for the dashboard`() async throws
  {
    let (terminal, playground, _) = try await start(editor: "FOLDER/vi")
    try script(
      """
      trap 'echo interrupted' INT
      echo begun
      read answer
      # Longer than a signal of the dashboard's own may wait to be read.
      sleep 1.5
      read answer
      """, in: playground)
    try await terminal.press("e")
    try await terminal.waitFor("begun")
    try await terminal.press("C-c")
    try await terminal.waitFor("interrupted")
    try await terminal.press("C-z")
    try await terminal.waitFor("ready>")
    try await terminal.run("fg")
    try await terminal.press("Enter", "Enter", "Enter")
    try await terminal.waitFor("LIVE", "1 204")
    try await terminal.press("q")
    try await terminal.waitForShell(status: 0)
    #expect(try await terminal.isRestored())
  }

  @Test func `a panel of no file is edited in a file of its own, which goes away`() async throws {
    let (terminal, playground, _) = try await start(
      editor: "FOLDER/vi", arguments: ["-c", "SELECT count(*) AS n, 2 AS x FROM players"])
    try script(
      """
      cat "$2"; echo "$2" > \(playground.folder.path("named"))
      read answer
      sed -i "s/players/maps/" "$2"
      """, in: playground)
    try await terminal.press("e")
    try await terminal.waitFor("SELECT count(*) AS n, 2 AS x FROM players;")
    try await terminal.press("Enter")
    try await terminal.waitFor("LIVE", "Edited \"panel1\" for this session only")
    try await terminal.waitForAbsence(of: "1 204")
    let name = try playground.folder.text("named").trimmingSuffix { $0 == "\n" }
    #expect(name.hasSuffix(".sql"))
    #expect(access(name, F_OK) != 0)
  }

  @Test func `directives above the query count for a panel of no file, and stay`() async throws {
    let (terminal, playground, _) = try await start(
      editor: "FOLDER/vi", arguments: ["-c", "SELECT count(*) AS n, 2 AS x FROM players"])
    try script("sed -i '2i -- title: how many' \"$2\"", in: playground)
    try await terminal.press("e")
    try await terminal.waitFor("1 how many", "for this session only")
    try script("cat \"$2\"; read answer; sed -i s/many/few/ \"$2\"", in: playground)
    try await terminal.press("e")
    try await terminal.waitFor("-- title: how many", "SELECT count(*) AS n, 2 AS x FROM players;")
    try await terminal.press("Enter")
    try await terminal.waitFor("1 how few", "LIVE")
  }

  @Test func `what was written is kept when it is no query`() async throws {
    let (terminal, playground, _) = try await start(
      editor: "FOLDER/vi", arguments: ["-c", "SELECT count(*) AS n, 2 AS x FROM players"])
    try script("echo 'SELECT 1; SELECT 2;' > \"$2\"", in: playground)
    try await terminal.press("e")
    try await terminal.waitFor("not used, but kept as", "2 queries, but one is expected")
    let line = try await terminal.lines.first { $0.contains("kept as") } ?? ""
    let path = line.split(separator: " ").first { $0.contains("livequery-") }?.prefix { $0 != ":" }
    #expect(unlink(String(path ?? "")) == 0)
  }

  @Test func `a file that is wrong is opened where it is wrong`() async throws {
    let (terminal, playground, _) = try await start(editor: "FOLDER/vi")
    try script("echo \"given: $1\"; read answer", in: playground)
    try playground.folder.write(
      Self.dashboard + "-- name: x\n-- vew: bar\nSELECT 1;\n", to: "d.sql")
    try await terminal.waitFor("d.sql:8:4: error")
    try await terminal.press("e")
    try await terminal.waitFor("given: +8")
    try await terminal.press("Enter")
    try await terminal.waitFor("LIVE")
  }
}
