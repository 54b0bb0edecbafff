import Testing

@testable import Dashboard

@Suite struct HookCommandTests {
  @Test(
    arguments: [
      ("./notify.sh", ["./notify.sh"]), ("  a   b\tc ", ["a", "b", "c"]),
      ("a 'b c' \"d e\"", ["a", "b c", "d e"]), ("a b' 'c", ["a", "b c"]),
      ("a ''", ["a", ""]), ("a \"x \\\" \\\\ \\n\"", ["a", "x \" \\ \\n"]),
      ("a 'x \\' b", ["a", "x \\", "b"]), ("a b\\ c \\'", ["a", "b c", "'"]),
      ("a \\", ["a", "\\"]),
      ("sh -c 'echo $1 | wc'", ["sh", "-c", "echo $1 | wc"]), ("é ü", ["é", "ü"]),
    ])
  func `a command is split as a shell would, and nothing else`(
    _ text: String, _ words: [String]
  ) throws {
    #expect(try HookCommand(text).words == words)
  }

  @Test(
    arguments: [
      ("", 0, "there is no command here"), ("''", 0, "there is no command here"),
      ("a 'b", 2, "this quote is not closed"), ("a b\"c", 3, "this quote is not closed"),
    ])
  func `what is no command is told with its place`(
    _ text: String, _ offset: Int, _ message: String
  ) {
    #expect(throws: HookSyntaxError(message: message, offset: offset)) { try HookCommand(text) }
  }

  @Test(
    arguments: [
      ("a | b", "|", 2), ("a > b", ">", 2), ("a $HOME", "$", 2), ("a; b", ";", 1),
      ("~/bin/a", "~", 0), ("a `b`", "`", 2),
    ])
  func `what only a shell understands is noticed`(
    _ text: String, _ sign: String, _ offset: Int
  ) throws {
    let syntax = try HookCommand(text).shellSyntax
    #expect(syntax?.text == sign)
    #expect(syntax?.offset == offset)
  }

  @Test(arguments: ["a 'b | c'", "a \"$x\"", "a b~", "a $", "sh -c 'a; b'"])
  func `what is quoted is no business of a shell`(_ text: String) throws {
    #expect(try HookCommand(text).shellSyntax == nil)
  }

  @Test func `a command is called by its program's name`() throws {
    #expect(try HookCommand("/usr/bin/notify.sh -x").shortName == "notify.sh")
  }
}
