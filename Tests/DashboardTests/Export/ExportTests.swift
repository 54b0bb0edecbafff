import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct ExportTests {
  private func state() -> DashboardState {
    var state = Sample.state([Sample.panel("hall/of fame", .table, key: ["player"])])
    state.deliver([0: Sample.scores(["ada": 2, "bob": 1, "eve": 3])])
    return state
  }

  @Test func `x asks for a file, and Enter writes the rows as they are shown`() throws {
    var state = state()
    try state.press("ss/e<Enter>x")
    #expect(state.modes.export?.name.text == "hall_of fame.csv")
    let effects = try state.press("<Enter>")
    let rows = RowSet(columns: ["player", "score"], rows: [["eve", 3]])
    #expect(effects == [.export(.rows(Export(path: "hall_of fame.csv", format: .csv, rows: rows)))])
    _ = reduce(&state, .exported(.written(path: "hall_of fame.csv", rows: 1, bytes: 40)))
    #expect(state.modes.export == nil)
    #expect(state.message?.text == "1 row written to hall_of fame.csv (40 B)")
  }

  @Test func `Tab goes from format to format`() throws {
    var state = state()
    try state.press("x")
    var seen: [String] = []
    for _ in 0..<5 {
      try state.press("<Tab>")
      seen.append(state.modes.export?.name.text.split(separator: ".").last.map(String.init) ?? "")
    }
    #expect(seen == ["json", "md", "ndjson", "csv", "json"])
    try state.press("<C-u>a.b.txt<Tab>")
    #expect(state.modes.export?.name.text == "a.b.txt.csv")
  }

  @Test(arguments: ["", "rows", "rows.txt", ".csv", "a.csv/b"])
  func `a name without a known extension is refused where it is typed`(_ name: String) throws {
    var state = state()
    #expect(try state.press("x<C-u>\(name)<Enter>") == [])
    #expect(state.modes.export?.problem == "a file is called .csv, .json, .md or .ndjson")
    try state.press("q")
    #expect(state.modes.export?.problem == nil)
  }

  @Test func `a file that cannot be written leaves the name to be changed`() throws {
    var state = state()
    try state.press("x<Enter>")
    _ = reduce(&state, .exported(.refused("it exists")))
    #expect(state.modes.export?.problem == "it exists")
    #expect(state.screen().text.contains("export to hall_of fame.csv  ! it exists"))
    try state.press("<Esc>")
    #expect(state.modes.export == nil)
  }

  @Test func `the line shows the name, its cursor and the keys`() throws {
    var state = state()
    try state.press("x")
    let grid = state.screen()
    #expect(
      grid.text.contains(
        " export to hall_of fame.csv  Enter write  Tab csv, json, md, ndjson  Esc"))
    #expect(grid.cursor?.x == 27)
  }

  @Test func `y copies the row at the cursor, or the panel without one, and Y the panel`() throws {
    var state = state()
    let all = "player\tscore\nada\t2\nbob\t1\neve\t3"
    func copied(_ keys: String) throws -> (String, String)? {
      guard case .copy(let text)? = try state.press(keys).first else { return nil }
      return (text.text, text.subject)
    }
    #expect(try copied("y") ?? ("", "") == (all, "3 rows"))
    #expect(try copied("jjy") ?? ("", "") == ("bob\t1", "the row"))
    #expect(try copied("Y") ?? ("", "") == (all, "3 rows"))
  }

  @Test func `of a panel with one value the value alone is copied`() throws {
    var state = Sample.state([Sample.panel("n")])
    state.deliver([0: Sample.value(42)])
    guard case .copy(let text)? = try state.press("y").first else {
      Issue.record("nothing was copied")
      return
    }
    #expect(text.text == "42")
    #expect(text.sequence == "\u{1b}]52;c;NDI=\u{7}")
    #expect(text.confirmation == "Copied the value (2 B)")
  }

  @Test func `what is too long for a clipboard is refused with the limit`() {
    func text(_ count: Int) -> ClipboardText {
      ClipboardText(
        [[.text(String(repeating: "x", count: count))]], columns: ["x"], hasHeader: false,
        subject: "the row")
    }
    #expect(text(ClipboardText.limit).sequence?.utf8.count == 100_000)
    #expect(text(ClipboardText.limit + 1).sequence == nil)
    #expect(
      text(ClipboardText.limit + 1).refusal
        == "the row: 73 KB are too much for a clipboard (73 KB); :export writes a file")
  }

  @Test func `one value is copied as it is`() {
    let json = "{\n\t\"a\": \"b\"\n}"
    #expect(ClipboardText(.text(json), subject: "data").text == json)
  }

  @Test func `tabs and line ends within a value are quoted`() {
    let text = ClipboardText(
      [["a\tb", "c \"d\"\ne", nil, 1.5]], columns: ["a", "b", "c", "d"], hasHeader: false,
      subject: "")
    #expect(text.text == "\"a\tb\"\t\"c \"\"d\"\"\ne\"\t\t1.5")
  }

  @Test func `without a panel there is nothing to take`() throws {
    var state = Sample.state([Sample.panel("n")])
    #expect(try state.press("y") == [])
    #expect(state.message?.text == "there is no result here to copy")
    #expect(try state.press("x") == [])
    #expect(state.modes.export == nil)
  }

  @Test func `a Markdown table is aligned and escaped`() {
    let rows = RowSet(
      columns: ["player", "score|now", "n"],
      rows: [["ada", 98410, 1.5], ["*bob*\n<b>", nil, nil], ["日本", 7, 2]])
    var text = ""
    Export(path: "a.md", format: .markdown, rows: rows).write { text += $0 }
    #expect(
      text == """
        | player            | score\\|now |   n |
        | ----------------- | ---------: | --: |
        | ada               |      98410 | 1.5 |
        | \\*bob\\*<br>&lt;b> |            |     |
        | 日本              |          7 |   2 |

        """)
  }

  @Test func `each format is that of printing`() {
    let rows = RowSet(columns: ["a"], rows: [[1], ["x"]])
    func text(_ format: ExportFormat) -> String {
      var text = ""
      Export(path: "", format: format, rows: rows).write { text += $0 }
      return text
    }
    #expect(text(.csv) == "a\r\n1\r\nx\r\n")
    #expect(text(.json) == "[{\"a\":1},\n{\"a\":\"x\"}]\n")
    #expect(text(.ndjson) == "{\"a\":1}\n{\"a\":\"x\"}\n")
  }
}

@Suite struct ExportCommandTests {
  @Test func `the command line exports to a named file at once`() throws {
    var state = Sample.state([Sample.panel("n", .table)])
    state.deliver([0: Sample.value(42)])
    let effects = try state.press(":export a.json<Enter>")
    #expect(
      effects == [.export(.rows(Export(path: "a.json", format: .json, rows: Sample.value(42))))])
    _ = reduce(&state, .exported(.refused("a.json exists; choose another name")))
    #expect(state.modes.export?.name.text == "a.json")
    try state.press("<Esc>:export<Enter>")
    #expect(state.modes.export?.name.text == "n.csv")
  }

  @Test func `the command line knows what the keys do`() throws {
    var state = Sample.state([Sample.panel("n", .table)])
    state.deliver([0: Sample.value(42)])
    #expect(try state.press(":copy<Enter>").count == 1)
    #expect(try state.press(":copy-panel<Enter>").count == 1)
    try state.press(":acknowledge<Enter>")
    #expect(state.message?.text == "no alert to dismiss")
  }
}
