import Testing

@testable import Dashboard

/// One table says which keys there are, and what they do.
@Suite struct KeyMapTests {
  private func state(_ settings: [(name: String, keys: String)] = []) -> DashboardState {
    let (map, conflicts) = KeyMap.choosing(settings)
    #expect(conflicts == [])
    var state = DashboardState(
      definition: DashboardDefinition(panels: [Sample.panel("fame", .table, key: ["player"])]),
      databaseName: "app.db", keyMap: map)
    state.deliver([0: Sample.scores(["ada": 3, "grace": 2])])
    return state
  }

  @Test func `no key has two meanings where both would apply`() {
    // A name without a conflict of its own, each with the keys it has anyway.
    let settings = KeyMap.names.map { name in
      (name: name, keys: KeyMap.standard.keys(named: name).map(\.label).joined(separator: " "))
    }
    #expect(KeyMap.choosing(settings).conflicts == [])
  }

  @Test func `every key that is named can be written as it is named`() {
    for binding in Binding.all {
      for key in binding.keys { #expect(Key(label: key.label) == key, "\(key.label)") }
    }
  }

  @Test func `a name says the same wherever it is used`() {
    for binding in Binding.all {
      let others = Binding.all.filter { $0.name == binding.name }
      #expect(others.allSatisfy { $0.keys == binding.keys }, "\(binding.name)")
      #expect(others.count { $0.isCommand } <= 1, "\(binding.name)")
      #expect(binding.name.allSatisfy { $0.isLowercase || $0 == "-" }, "\(binding.name)")
    }
  }

  @Test func `a key that leads a line of the help is listed with those it leads`() {
    for binding in Binding.all {
      guard let lead = binding.lead else { continue }
      let found = Binding.all.first { $0.name == lead && $0.sections == binding.sections }
      #expect(found != nil && found?.lead == nil, "\(binding.name)")
    }
  }

  @Test func `a chosen key takes the place of the usual one, everywhere`() throws {
    var state = state([("export", "F6 e"), ("edit", "none")])
    try state.press("x")
    #expect(state.modes.export == nil)
    try state.press("e")
    #expect(state.modes.export != nil)
    try state.press("<Esc>")
    let lines = HelpSection.lines(state)
    #expect(lines.contains { $0.key == "F6  e" && $0.meaning.contains("export") })
    #expect(!lines.contains { $0.meaning.contains("$EDITOR") })
    _ = reduce(&state, .resized(Size(width: 160, height: 48)))
    #expect(state.screen().text.contains("F6 export"))
    try state.press(":export")
    #expect(state.modes.command?.offers(state).first?.key == "F6")
  }

  @Test func `a key for a movement moves in every pane`() throws {
    var state = state([("down", "w"), ("up", "^t")])
    try state.press("ww")
    #expect(state.panels[0].cursor == 1)
    try state.press("<C-t>")
    #expect(state.panels[0].cursor == 0)
    try state.press("?www")
    #expect(state.modes.overlay == .help)
    #expect(state.modes.overlayLines.top == 3)
  }

  @Test(arguments: [
    ("exprot", "x", "nothing is called \"exprot\", did you mean \"export\"?"),
    ("export", "Hyper-x", "\"Hyper-x\" is not a key: write x, ^x, Alt-x, F5, Enter, Space, PgUp …"),
    (
      "export", "e",
      "e already means \"edit the panel's SQL in $VISUAL or $EDITOR\"; "
        + "give that another key with key.edit"
    ),
    (
      "export", "^z",
      "^z already means \"go back to the shell; fg returns\"; give that another key with key.suspend"
    ),
    ("export", "^h", "^h is the same key as BS in a terminal: write BS"),
    ("export", "Ctrl-J", "^j is the same key as Enter in a terminal: write Enter"),
    ("export", "^m", "^m is the same key as Enter in a terminal: write Enter"),
    ("export", "3", "3 already means \"focus the pane with that number or name\""),
    (
      "statement", "z",
      "z already means \"show the pane alone, or all again\"; give that another key with key.zoom"
    ),
  ])
  func `a choice that cannot hold is named`(_ name: String, _ keys: String, _ message: String) {
    #expect(
      KeyMap.choosing([(name, keys)]).conflicts == [KeyMap.Conflict(name: name, message: message)])
  }

  @Test func `hints and messages name the chosen keys`() throws {
    var state = state([
      ("console", "F9"), ("acknowledge", "A"), ("back", "F6"), ("forward", "F7"), ("live", "F8"),
      ("left", "none"), ("right", "R"), ("follow", "O"), ("quit", "Q"), ("next", "none"),
      ("toggle-column", "X"), ("reset-columns", "Z"),
    ])
    _ = reduce(&state, .resized(Size(width: 120, height: 30)))
    try state.press(":show console<Enter><Esc>1")
    #expect(state.screen().text.contains("sql> F9 to type SQL"))
    try state.press("O")
    #expect(
      state.message?.text
        == "choose a cell with key.left and R: O shows the row that it refers to")
    state.deliver([0: Sample.scores(["ada": 4, "grace": 2])])
    try state.press("<F6>x<Esc>")
    #expect(state.screen().text.contains("F6 back  F7 forward  F8 live"))
    try state.press("<F8><lt>")
    #expect(state.screen().text.contains("X show/hide   < > move   Z reset   Esc"))
    try state.press("<Esc><F9><C-c>")
    #expect(state.message?.text == "Esc leaves the console; Q there quits")
    try state.press("<Esc>")
    state.focus = .feed
    try state.press(":why<Enter>")
    #expect(state.message?.text == "no panel has the focus: :next or 1-9 goes to one")
  }

  @Test func `what can be pressed is named in no fixed text`() {
    // Keys of these places can't be chosen.
    for binding in Binding.all where binding.isAdjustable {
      let words = Set(binding.summary.split { " ;,:".contains($0) }.map(String.init))
      let keys = Set(Binding.all.filter(\.isAdjustable).flatMap(\.keys).map(\.label))
        .filter { $0.contains(where: \.isLetter) }
      let fixed: Set = ["Esc", "Tab"]
      #expect(
        words.intersection(keys).subtracting(fixed).allSatisfy { $0 == "a" },
        "\(binding.name): \(binding.summary)")
    }
  }

  @Test func `the help says that Ctrl-C quits as well`() {
    let line = HelpSection.everywhere.lines(.standard).first { $0.meaning.hasPrefix("quit") }
    #expect(line?.key == "q Ctrl-C")
  }

  @Test func `two keys may change places, and one key may have meanings in different panes`() {
    #expect(KeyMap.choosing([("export", "e"), ("edit", "x")]).conflicts == [])
    #expect(KeyMap.choosing([("statement", "n")]).conflicts == [])
    let both = KeyMap.choosing([("export", "t"), ("edit", "t")]).conflicts
    #expect(both.map(\.name) == ["edit"])
  }

  @Test func `a click on a hint does what its key does`() throws {
    var state = state()
    let line = state.screen().text.split(separator: "\n").last ?? ""
    let help = line.distance(
      from: line.startIndex, to: line.firstRange(of: "help")?.lowerBound ?? line.endIndex)
    try state.press("<click \(help + 1),24>")
    #expect(state.modes.overlay == .help)
  }
}
