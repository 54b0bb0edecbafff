import Testing

@testable import Dashboard

@Suite struct CommandLineTests {
  private func arena() -> DashboardState {
    var state = Sample.state([
      Sample.panel("fame", .table, key: ["player"]), Sample.panel("players", .table),
    ])
    state.deliver([0: Sample.scores(["ada": 3, "grace": 2]), 1: Sample.numbers(40)])
    return state
  }

  private func titles(_ state: DashboardState) -> [String] {
    state.modes.command?.offers(state).map(\.title) ?? []
  }

  @Test func `a colon lists every command, and letters narrow the list`() throws {
    var state = arena()
    try state.press(":")
    #expect(titles(state).count == Binding.commands.count { $0.isAvailable(state) })
    try state.press("zo")
    #expect(titles(state) == ["zoom"])
    try state.press("<BS><BS>rsh")
    // r…e…f…r…e…sh: the letters in their order are enough.
    #expect(titles(state).first == "refresh")
  }

  @Test func `names are unique words in lower case, and each says what it does`() {
    let names = Binding.commands.map(\.name)
    #expect(Set(names).count == names.count)
    for command in Binding.commands {
      #expect(command.name.allSatisfy { $0.isLowercase || $0 == "-" }, "\(command.name)")
      #expect(!command.summary.isEmpty)
    }
  }

  @Test func `Enter runs what is typed, and leaves the line`() throws {
    var state = arena()
    try state.press(":zoom<Enter>")
    #expect(state.isZoomed)
    #expect(state.modes.command == nil)
  }

  @Test func `an unambiguous beginning of a name is enough`() throws {
    var state = arena()
    try state.press(":zo<Enter>")
    #expect(state.isZoomed)
    try state.press(":p<Enter>")
    #expect(state.message?.text.hasPrefix(":p can be ") == true)
    #expect(state.message?.text.contains("pause") == true)
  }

  @Test func `Tab completes the name and then its argument`() throws {
    var state = arena()
    try state.press(":foc<Tab>")
    #expect(state.modes.command?.input.text == "focus ")
    #expect(titles(state) == ["fame", "players", "console", "feed"])
    try state.press("pl<Tab><Enter>")
    #expect(state.focus == .panel(1))
  }

  @Test func `why asks how the focused panel is refreshed`() throws {
    var state = arena()
    #expect(try state.press(":why<Enter>") == [.explainRefresh(panel: 0)])
    _ = reduce(&state, .read(title: "fame", text: "run again\nbecause"))
    #expect(state.modes.overlay == .text(title: "fame", text: "run again\nbecause"))
    try state.press("<Esc>")
    state.focus = .feed
    #expect(try state.press(":why<Enter>") == [])
    #expect(state.message?.text == "no panel has the focus: Tab or 1-9 goes to one")
  }

  @Test func `the arrows choose among the offers`() throws {
    var state = arena()
    try state.press(":focus <Down><Down><Enter>")
    #expect(state.focus == .panel(1))
  }

  @Test func `a command without its argument asks for it`() throws {
    var state = arena()
    try state.press(":focus<Enter>")
    #expect(state.modes.command?.input.text == "focus ")
  }

  @Test(arguments: [
    (":zom<Enter>", "unknown command \"zom\", did you mean \"zoom\"?"),
    (":focus fam<Enter>", "no panel is called \"fam\", did you mean \"fame\"?"),
    (":sort scor<Enter>", "no column is called \"scor\", did you mean \"score\"?"),
    (":zoom twice<Enter>", "zoom takes nothing; \"twice\" is too much"),
    (":row x<Enter>", "row x: expected a whole number from 1"),
    (":read a.sql<Enter>", ":read is a command of the console: c leads there"),
    (":pin<Enter>", ":pin is a command of the console: c leads there"),
    (":explain<Enter>", ":explain is a command of the console: c leads there"),
    (":param x 1<Enter>", "this dashboard has no \"-- param:\" to choose"),
  ])
  func `what is wrong is said, with what was meant`(_ keys: String, _ message: String) throws {
    var state = arena()
    try state.press(keys)
    #expect(state.message == Message(message, .error))
    #expect(state.modes.command == nil)
  }

  @Test func `sorting by name orders, and turns round the second time`() throws {
    var state = arena()
    try state.press(":sort score<Enter>")
    #expect(state.panels[0].sort == RowSort(column: 1))
    try state.press(":sort SCORE<Enter>")
    #expect(state.panels[0].sort == RowSort(column: 1, isDescending: true))
  }

  @Test func `Escape, and deleting the empty line, leave without doing anything`() throws {
    for keys in [":quit<Esc>", ":<BS>", ":quit<C-c>"] {
      var state = arena()
      #expect(try state.press(keys) == [])
      #expect(state.modes.command == nil)
    }
  }

  @Test func `a command has the effects of its key`() throws {
    var state = arena()
    #expect(try state.press(":refresh<Enter>") == [.refreshAll])
    #expect(try state.press(":quit<Enter>") == [.quit])
  }

  @Test func `a paste becomes one line`() throws {
    var state = arena()
    try state.press(":")
    _ = reduce(&state, .key(.paste("a\nb" + String(repeating: "x", count: 900))))
    #expect(state.modes.command?.input.text.hasPrefix("a bx") == true)
    #expect(state.modes.command?.input.characters.count == 903)
  }

  @Test func `in the console a colon is a colon`() throws {
    var state = arena()
    try state.press("c:")
    #expect(state.modes.command == nil)
    #expect(state.console.editor.text == ":")
  }

  @Test func `the offers stand above the line that is typed`() throws {
    var state = arena()
    try state.press(":row<Down>")
    let lines = state.screen().text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[21] == " :row")
    #expect(lines.contains { $0.hasPrefix("┃›row NUMBER") })
    #expect(lines.contains { $0.contains("go to a row") })
    #expect(lines[23].hasPrefix(" Tab complete  Enter run  Esc leave"))
    #expect(state.screen().cursor.map { [$0.x, $0.y] } == [5, 21])
  }

  @Test(arguments: [(30, 6), (80, 7), (500, 8), (31, 200)])
  func `the line fits screens of any shape`(_ width: Int, _ height: Int) throws {
    var state = arena()
    _ = reduce(&state, .resized(Size(width: width, height: height)))
    try state.press(":<Down>")
    #expect(state.screen().text.contains(":"))
    #expect(state.screen().size == Size(width: width, height: height))
  }
}
