extension Command {
  /// Commands for alerts, and for taking rows out of the dashboard.
  static let scriptCommands: [Command] = [
    Command("acknowledge", "mark the shown alert as seen", key: "a", press: .character("a")),
    Command("export", "write the rows to a file", key: "x", argument: .text("FILE")) {
      state, file in
      state.beginExport()
      guard !file.isEmpty, state.exportInput != nil else { return [] }
      state.exportInput?.name = TextBuffer(file)
      return state.pressInExport(.enter)
    },
    Command("copy", "the row at the cursor to the clipboard", key: "y", press: .character("y")),
    Command("copy-panel", "all rows to the clipboard", key: "Y", press: .character("Y")),
  ]
}
