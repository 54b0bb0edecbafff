import DatabaseConsole
import ObservationEngine
import Testing

@testable import Dashboard

/// What the keys of the console do: words that are offered, cutting, parameters, results.
@Suite struct ConsoleKeysTests {
  private func console(history: [String] = []) throws -> DashboardState {
    var state = Sample.state([Sample.panel("p")], history: history)
    #expect(try state.press("c") == [.console(.readVocabulary)])
    tell(&state, .vocabulary(CompleterTests.vocabulary, at: Sample.moment()))
    return state
  }

  @discardableResult
  private func tell(_ state: inout DashboardState, _ event: ConsoleEvent) -> [Effect] {
    reduce(&state, .console(event))
  }

  private func offered(_ state: DashboardState) -> [String]? {
    state.console.completion?.offer.candidates.map(\.name)
  }

  // MARK: Words

  @Test func `Tab takes the word that is offered`() throws {
    var state = try console()
    try state.press("select * from pl")
    #expect(offered(state) == ["players"])
    try state.press("<Tab>")
    #expect(state.console.editor.text == "select * from players")
    #expect(offered(state) == nil)
    #expect(state.focus == .console)
  }

  @Test func `one letter is not enough to be offered words, unless Tab asks`() throws {
    var state = try console()
    try state.press("select * from p")
    #expect(offered(state) == nil)
    // The only one is taken at once.
    try state.press("<Tab>")
    #expect(state.console.editor.text == "select * from players")
  }

  @Test func `what a pragma can be set to is offered before a letter of it`() throws {
    var state = try console()
    try state.press("pragma journal_mode")
    #expect(offered(state) == nil)
    try state.press("=")
    #expect(offered(state)?.contains("wal") == true)
    try state.press("w<Tab>;")
    #expect(state.console.editor.text == "pragma journal_mode=wal;")
    #expect(offered(state) == nil)
  }

  @Test func `a quoted name is completed to its end`() throws {
    var state = try console()
    try state.press("select * from [p")
    #expect(offered(state) == ["players"])
    try state.press("<Tab>")
    #expect(state.console.editor.text == "select * from [players]")
  }

  @Test func `Up and Down choose, and beyond the first word Up is the history`() throws {
    var state = try console(history: ["old"])
    try state.press("select points, pl<BS> from scores<Home>")
    try state.press("<C-k>select p<Tab>")
    let words = try #require(offered(state))
    #expect(words == ["players", "partition", "primary"])
    try state.press("<Down><Down><Up><Tab>")
    #expect(state.console.editor.text == "select " + words[1])
    try state.press("<C-u>select pl<Up>")
    #expect(state.console.editor.text == "old")
    #expect(offered(state) == nil)
  }

  @Test func `Escape hides the words until another one is begun`() throws {
    var state = try console()
    try state.press("select pl<Esc>")
    #expect(offered(state) == nil)
    #expect(state.focus == .console)
    try state.press("a")
    #expect(offered(state) == nil)
    try state.press(" from sc")
    #expect(offered(state) == ["scores"])
  }

  @Test func `Enter runs, whether or not words are offered`() throws {
    var state = try console()
    #expect(try state.press("select pl<Enter>") == [.console(.submit("select pl"))])
    #expect(offered(state) == nil)
  }

  @Test func `Tab leaves an empty line, and says so of one that cannot go on`() throws {
    var state = try console()
    try state.press("select zzz<Tab>")
    #expect(state.message?.text == "nothing to complete here; Esc leaves the console")
    #expect(state.focus == .console)
    try state.press("<C-u><Tab>")
    #expect(state.focus == .feed)
  }

  @Test func `Escape leaves for the panel that had the focus before`() throws {
    var state = Sample.state([Sample.panel("p"), Sample.panel("q")])
    try state.press("2c<Esc>")
    #expect(state.focus == .panel(1))
    try state.press("<S-Tab>c<Esc>")
    #expect(state.focus == .panel(0))
  }

  @Test func `names are read again when the schema changed, and counts when somebody types`() throws
  {
    var state = try console()
    let schema = Refresh(events: [Sample.commit(1, kind: .schema)], ordinal: 1)
    #expect(reduce(&state, .refreshed(schema, at: Sample.moment(1))) == [.console(.readVocabulary)])
    // Not twice at a time.
    #expect(try state.press("s") == [])
    tell(&state, .vocabulary(SQLVocabulary(), at: Sample.moment(1)))
    let data = Refresh(events: [Sample.commit(2)], ordinal: 2)
    #expect(reduce(&state, .refreshed(data, at: Sample.moment(2))) == [])
    // The ones that are known are young.
    #expect(try state.press("e") == [])
    _ = reduce(&state, .ticked(Sample.moment(9)))
    #expect(try state.press("l") == [.console(.readVocabulary)])
  }

  @Test func `words that arrive late are offered for what is typed`() throws {
    var state = Sample.state([Sample.panel("p")])
    try state.press("cselect pl")
    #expect(offered(state) == nil)
    tell(&state, .vocabulary(CompleterTests.vocabulary, at: Sample.moment()))
    #expect(offered(state) == ["players"])
  }

  @Test func `a paste of a megabyte is kept, and nothing is offered for it`() throws {
    var state = try console()
    let text = String(repeating: "select pl ", count: 100_000)
    _ = reduce(&state, .key(.paste(text)))
    #expect(state.console.editor.characters.count == text.count)
    try state.press("pl")
    #expect(offered(state) == nil)
    #expect(state.console.editor.text.hasSuffix("select pl pl"))
    #expect(state.screen().text.contains("l pl  "))
  }

  // MARK: Cutting

  @Test func `what is cut is put in again`() throws {
    var state = try console()
    try state.press("one two three<C-w><C-w>x <C-y>")
    #expect(state.console.editor.text == "one x two three")
    try state.press("<C-a><C-k><C-y><C-y>")
    #expect(state.console.editor.text == "one x two threeone x two three")
    try state.press("<C-u>a b<C-a><A-d><C-e>-<C-y>")
    #expect(state.console.editor.text == " b-a")
  }

  @Test func `at the end of a line the line end is cut`() throws {
    var state = try console()
    try state.press("a<A-Enter>b<Up><C-e><C-k>")
    #expect(state.console.editor.text == "ab")
  }

  @Test func `lines and words are moved through`() throws {
    var state = try console()
    try state.press("one two<A-Enter>three four<A-b><A-b><Up><C-e><A-b>X")
    #expect(state.console.editor.text == "one Xtwo\nthree four")
    try state.press("<Down><A-f>Y")
    #expect(state.console.editor.text == "one Xtwo\nthree fourY")
  }

  // MARK: Parameters

  @Test func `parameters are asked for one after the other`() throws {
    var state = try console()
    let sql = "select :a, :b;"
    #expect(try state.press("\(sql)<Enter>") == [.console(.submit(sql))])
    tell(&state, .needsParameters(names: [":a", ":b"], sql: sql))
    #expect(
      try state.press("42<Enter>it's<Enter>") == [.console(.bind(sql: sql, values: [42, "it's"]))])
    #expect(
      tell(&state, .started(sql: "select 42", at: Sample.moment())) == [
        .console(.appendHistory(sql))
      ])
    // The next time they begin as they were.
    try state.press("\(sql)<Enter>")
    tell(&state, .finished(nil, total: 0, changes: nil, duration: .zero, sql: sql))
    try state.press("<Enter>")
    tell(&state, .needsParameters(names: [":a", ":b"], sql: sql))
    #expect(
      try state.press("<BS>3<Enter><Up><Enter><Enter>") == [
        .console(.bind(sql: sql, values: [43, "it's"]))
      ])
  }

  @Test func `Escape at a parameter runs nothing and keeps the text`() throws {
    var state = try console()
    try state.press("select :a;<Enter>")
    tell(&state, .needsParameters(names: [":a"], sql: "select :a;"))
    #expect(try state.press("1<Esc>") == [.console(.discardStatements)])
    #expect(state.console.editor.text == "select :a;")
    #expect(try state.press("<Enter>") == [.console(.submit("select :a;"))])
  }

  @Test func `Tab completes a command, and the name of a pinned panel`() throws {
    var state = try console()
    tell(&state, .pinned(PanelDefinition(name: "fame", sql: "select 1")))
    try state.press(":sa<Tab> fa<Tab> x.sql")
    #expect(state.console.editor.text == ":save fame x.sql")
  }

  // MARK: Results

  private func ran(_ rows: Int, total: Int? = nil) throws -> DashboardState {
    var state = try console()
    try state.press("select id from t;<Enter>")
    tell(&state, .started(sql: "select id from t;", at: Sample.moment()))
    tell(
      &state,
      .finished(
        Sample.numbers(rows), total: total ?? rows, changes: nil, duration: .zero,
        sql: "select id from t;"))
    return state
  }

  @Test func `the last result is looked through as a panel is`() throws {
    var state = try ran(500)
    try state.press("<C-o>G")
    #expect(state.console.browser?.cursor == 499)
    try state.press("gjjsS<Enter>")
    #expect(state.modes.overlay == .inspect)
    #expect(state.screen().text.contains("row 498 of 500"))
    try state.press("<Esc><Esc><Esc>")
    #expect(state.console.browser == nil)
    #expect(state.focus == .console)
  }

  @Test func `zooming the result fills the screen, and Escape takes one back at a time`() throws {
    var state = try ran(50)
    try state.press("<C-o>z")
    #expect(state.screen().text.contains("━┫2 select id from t;┣"))
    #expect(state.screen().text.split(separator: "\n").count { $0.hasPrefix("┃") } > 15)
    try state.press("<Esc>")
    #expect(state.console.browser != nil)
    try state.press("q")
    #expect(state.console.browser == nil)
  }

  @Test func `a result that was cut says so, and without one there is nothing to open`() throws {
    var state = try ran(10, total: 12_345)
    try state.press("<C-o>")
    #expect(state.screen().text.contains("first 10 of 12 345: select"))
    var empty = try console()
    try empty.press("<C-o>")
    #expect(empty.message?.text == "there is no result to look through yet")
  }

  @Test func `only the newest result keeps all of its rows`() throws {
    var state = try ran(500)
    tell(&state, .started(sql: "select 1;", at: Sample.moment()))
    tell(
      &state,
      .finished(Sample.numbers(300), total: 300, changes: nil, duration: .zero, sql: "select 1;"))
    let kept = state.console.entries.map { entry in
      if case .rows(let rows, _, _) = entry.outcome { rows.rows.count } else { 0 }
    }
    #expect(kept == [200, 300])
  }
}
