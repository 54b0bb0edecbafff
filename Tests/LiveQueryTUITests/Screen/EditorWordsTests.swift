import Testing

@testable import LiveQueryTUI

@Suite struct EditorWordsTests {
  private func editor(_ variables: [String: String]) -> Editor { Editor { variables[$0] } }

  @Test func `VISUAL comes before EDITOR, and blanks are nothing`() {
    #expect(editor([:]).command == "vi")
    #expect(editor(["EDITOR": "nano"]).command == "nano")
    #expect(editor(["EDITOR": "nano", "VISUAL": "vim"]).command == "vim")
    #expect(editor(["EDITOR": "nano", "VISUAL": "  "]).command == "nano")
  }

  @Test(arguments: [
    ("vim", ["+7", "d.sql"]), ("/usr/bin/nvim -R", ["+7", "d.sql"]), ("nano", ["+7", "d.sql"]),
    ("hx", ["d.sql:7"]), ("code --wait", ["--goto", "d.sql:7"]), ("ed", ["d.sql"]),
    ("my-script", ["d.sql"]),
  ])
  func `each editor is told the line in its own way`(_ command: String, _ operands: [String]) {
    let words = editor(["EDITOR": command]).words(file: "d.sql", line: 7)
    #expect(words == ["/bin/sh", "-c", "\(command) \"$@\"", "sh"] + operands)
  }

  @Test func `a file that begins like an option is none`() {
    #expect(editor(["EDITOR": "ed"]).words(file: "-d.sql", line: 1).last == "./-d.sql")
  }
}
