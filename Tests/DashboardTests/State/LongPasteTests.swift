import ObservationEngine
import Testing

@testable import Dashboard

/// A paste that is longer than a line takes is refused whole, and with a word.
@Suite struct LongPasteTests {
  private func state() -> DashboardState {
    var state = Sample.state([Sample.panel("p")])
    state.deliver([0: Sample.scores(["ada": 1])])
    return state
  }

  private func paste(_ state: inout DashboardState, _ key: Key) { _ = reduce(&state, .key(key)) }

  @Test
  func `nothing is taken of a paste that is too long, and the message tells how it can be run`()
    throws
  {
    var state = state()
    try state.press("cselect 1")
    paste(&state, .longPaste(bytes: 2_306_120))
    #expect(state.console.editor.text == "select 1")
    let told = "nothing is pasted: 2.1 MB, and 1.0 MB at most are taken; :read FILE runs a file"
    #expect(state.message == Message(told, .warning))
    // On the smallest of usual screens, too.
    #expect(state.screen().text.contains(told.prefix(74)))
    paste(&state, .longPaste(bytes: Key.pasteLimit + 1))
    #expect(
      state.message?.text.hasPrefix(
        "nothing is pasted: 1 048 577 bytes, and 1 048 576 at most are taken") == true)
    paste(&state, .paste(" "))
    #expect(state.console.editor.text == "select 1 ")
    #expect(state.message == nil)
  }

  @Test(arguments: ["/", ":", "x", "cselect :a;<Enter>"])
  func `every line that is typed into says that a paste is too long`(_ keys: String) throws {
    var state = state()
    try state.press(keys)
    if keys.hasPrefix("c") {
      _ = reduce(&state, .console(.needsParameters(names: [":a"], sql: "select :a;")))
    }
    let before = state.screen().text
    paste(&state, .longPaste(bytes: 2_306_120))
    let text = state.screen().text
    #expect(text.contains("nothing is pasted: 2.1 MB, and "), "\(text)")
    #expect(!text.contains(":read FILE"))
    // What was typed stays as it was.
    try state.press("<Left>")
    #expect(keys == "x" || state.screen().text == before)
  }

  @Test(arguments: ["/", ":", "x"])
  func `a line that stays one takes a thousand bytes`(_ key: String) throws {
    var state = state()
    try state.press(key)
    paste(&state, .paste(String(repeating: "x", count: 1001)))
    #expect(
      state.screen().text.contains("nothing is pasted: 1001 B, and 1000 B at most are taken"))
    paste(&state, .paste(String(repeating: "x", count: 900)))
    let input = state.modes.filter ?? state.modes.command?.input ?? state.modes.export?.name
    #expect(input.map { $0.characters.count >= 900 } == true)
  }

  @Test func `where nothing is typed, nothing is said`() throws {
    var state = state()
    paste(&state, .longPaste(bytes: 2_306_120))
    #expect(state.message == nil)
  }
}
