import Testing

@testable import Dashboard

@Suite struct KeyScriptTests {
  @Test func `text stands for its characters and names for keys`() throws {
    let steps = try KeyScript.parse("/aä<Enter><c-R><A-x><S-Tab><F12><lt><C-Left><wait>")
    #expect(
      steps == [
        .key(.character("/")), .key(.character("a")), .key(.character("ä")), .key(.enter),
        .key(.control("r")), .key(.alt("x")), .key(.backTab), .key(.function(12)),
        .key(.character("<")), .key(.wordLeft), .wait,
      ])
  }

  @Test func `line ends and comments mean nothing`() throws {
    let steps = try KeyScript.parse("# a comment\r\nab\r\n c\n")
    #expect(
      steps == ["a", "b", " ", "c"].map { .key(.character($0)) })
  }

  @Test func `a lone bracket is itself`() throws {
    #expect(try KeyScript.parse("a<b") == ["a", "<", "b"].map { .key(.character($0)) })
  }

  @Test func `an unknown name is told with its line`() {
    #expect(throws: KeyScript.UnknownKey(name: "Entr", line: 2)) {
      try KeyScript.parse("ab\n<Entr>")
    }
  }
}
