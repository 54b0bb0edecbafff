import DatabaseConsole
import ObservationEngine
import Testing

@testable import Dashboard

/// What the main actions of each feature change, and that they change nothing else.
@Suite struct StateChangeTests {
  private func state() -> DashboardState {
    var state = Sample.state(
      [Sample.panel("fame", .table, key: ["player"]), Sample.panel("n", .table)])
    state.deliver([0: Sample.scores(["ada": 2, "bob": 1]), 1: Sample.numbers(40)])
    return state
  }

  // MARK: Panels

  @Test func `a row is chosen, and the next one`() throws {
    var state = state()
    try state.expect(after: "j") { $0.panels[0].viewport.list.cursor = 0 }
    try state.expect(after: "j") { $0.panels[0].viewport.list.cursor = 1 }
    try state.expect(after: "j") { _ in }
    try state.expect(after: "<Esc>") { $0.panels[0].viewport.list = ScrollingList() }
  }

  @Test func `a filter is typed, kept and cleared`() throws {
    var state = state()
    try state.expect(after: "/") { $0.modes.filter = TextBuffer() }
    try state.expect(after: "b") {
      $0.modes.filter = TextBuffer("b")
      $0.panels[0].viewport.filter = "b"
      $0.panels[0].viewport.order = [1]
    }
    try state.expect(after: "<Enter>") { $0.modes.filter = nil }
    try state.expect(after: "<Esc>") {
      $0.panels[0].viewport.filter = ""
      $0.panels[0].viewport.order = [0, 1]
    }
  }

  @Test func `rows are sorted, and reversed`() throws {
    var state = state()
    try state.expect(after: "s") {
      $0.panels[0].viewport.sort = RowSort(column: 0)
    }
    try state.expect(after: "S") {
      $0.panels[0].viewport.sort = RowSort(column: 0, isDescending: true)
      $0.panels[0].viewport.order = [1, 0]
    }
  }

  @Test func `a refresh without news changes its figures alone`() {
    var state = state()
    state.expect(after: .refreshed(Refresh(ordinal: 1), at: Sample.moment(1))) {
      $0.news.pass(to: Sample.moment(1))
      $0.vitals.lastRefresh = RefreshSummary(
        ordinal: 1, panels: 0, queries: .zero, time: Sample.moment(1).civil, pause: .zero)
    }
  }

  // MARK: In front

  @Test func `help and a row lie in front of the panels, and nothing else changes`() throws {
    var state = state()
    try state.expect(after: "?") { $0.modes.show(.help) }
    try state.expect(after: "jj") { $0.modes.show(.help, ScrollingList(top: 2)) }
    try state.expect(after: "q") { $0.modes.show(nil) }
    try state.expect(after: "<Enter>") { $0.modes.show(.inspect) }
    try state.expect(after: "<Esc>") { $0.modes.show(nil) }
  }

  @Test func `columns are chosen`() throws {
    var state = state()
    try state.expect(after: ">") { $0.modes.show(.columns, ScrollingList(cursor: 1)) }
    try state.expect(after: "x") { $0.panels[0].viewport.columnChoice.toggle(at: 1) }
  }

  @Test func `a command is typed`() throws {
    var state = state()
    try state.expect(after: ":") { $0.modes.command = CommandLine() }
    try state.expect(after: "zo") { $0.modes.command?.replace(with: "zo") }
    try state.expect(after: "<Enter>") {
      $0.modes.command = nil
      $0.panes.isZoomed = true
    }
  }

  // MARK: Export

  @Test func `a file name is typed, refused, and given up`() throws {
    var state = state()
    try state.expect(after: "x") { $0.modes.export = ExportInput(panel: "fame", isResult: false) }
    try state.expect(after: "<C-u>f") { $0.modes.export?.name = TextBuffer("f") }
    try state.expect(after: "<Enter>") {
      $0.modes.export?.problem = "a file is called \(ExportFormat.extensions)"
    }
    try state.expect(after: "<Esc>") { $0.modes.export = nil }
  }

  @Test func `a file is written, and its line closes`() throws {
    var state = state()
    try state.press("x")
    try state.expect(after: "<Tab>") { $0.modes.export?.name = TextBuffer("fame.json") }
    state.expect(after: .exported(.refused("it exists"))) { $0.modes.export?.problem = "it exists" }
    state.expect(after: .exported(.written(path: "fame.json", rows: 2, bytes: 40))) {
      $0.modes.export = nil
      $0.message = Message("2 rows written to fame.json (40 B)")
    }
    state.expect(after: .exported(.refused("the disk is full"))) {
      $0.message = Message("not exported: the disk is full", .warning)
    }
  }

  // MARK: Feed and schema

  @Test func `the feed gets a line, and its cursor`() throws {
    var state = state()
    let refresh = Refresh(events: [Sample.commit(2)], ordinal: 2)
    state.expect(after: .refreshed(refresh, at: Sample.moment())) {
      $0.feed.append(refresh, panelCount: 2)
      for case .commit(let commit) in refresh.events { $0.schema.note(commit) }
      $0.console.note(commits: refresh)
      $0.vitals.rate.add(1, at: Sample.moment().monotonic)
      $0.vitals.lastRefresh = RefreshSummary(
        ordinal: 2, panels: 0, queries: .zero, time: Sample.moment().civil, pause: .zero)
    }
    try state.expect(after: "<S-Tab>") { $0.panes.focus = .feed }
  }

  @Test func `the schema is opened, which asks for it`() throws {
    var state = state()
    try state.expect(after: "<F2>", effects: [.schema(.describe)]) {
      $0.panes.focus = .schema
      _ = $0.schema.wishes(counts: true, at: Sample.moment().monotonic)
    }
    state.expect(after: .schema(.failed(.description, "locked"))) {
      $0.schema.fail(.description, "locked", at: Sample.moment().monotonic)
    }
  }

  // MARK: Console

  @Test func `the console searches its history, and takes a match`() throws {
    var state = Sample.state([Sample.panel("n", .table)], history: ["select 1", "begin"])
    try state.expect(after: "i", effects: [.console(.readVocabulary)]) {
      $0.panes.focus = .console
      _ = $0.console.vocabulary.mustBeRead(isTyping: true, at: $0.now.monotonic)
    }
    try state.expect(after: "<C-r>") { $0.console.activity = .searching(.init()) }
    try state.expect(after: "s") {
      $0.console.activity = .searching(.init(pattern: "s", match: 0))
    }
    try state.expect(after: "<Enter>") {
      $0.console.activity = .editing(nil)
      $0.console.editor = TextBuffer("select 1")
    }
  }

  @Test func `a statement runs, and ends`() throws {
    var state = Sample.state([Sample.panel("n", .table)])
    let start = Sample.moment()
    state.expect(after: .console(.started(sql: "begin;", at: start))) {
      $0.console.append("begin;", .running(since: start.monotonic))
      $0.console.work = .running(since: start.monotonic)
    }
    state.expect(after: .console(.progressed(rows: 7))) {
      $0.console.work = .running(since: start.monotonic, rows: 7)
    }
    state.expect(
      after: .console(
        .finished(nil, total: 0, changes: nil, duration: .milliseconds(1), sql: "begin;"))
    ) {
      $0.console.work = .nothing
      $0.console.entries[0].outcome = .done(changes: nil, .milliseconds(1))
    }
    state.expect(after: .console(.needsParameters(names: [":a"], sql: "select :a"))) {
      $0.console.activity = .asking(.init(sql: "select :a", names: [":a"], known: [:]))
    }
  }

  @Test func `a text is submitted, and taken back`() throws {
    var state = Sample.state([Sample.panel("n", .table)])
    try state.press("cselect 1;")
    try state.expect(after: "<Enter>", effects: [.console(.submit("select 1;"))]) {
      $0.console.work = .submitted("select 1;")
    }
    try state.expect(after: "x") {
      $0.message = Message("what was typed is under way; Ctrl-C takes it back", .warning)
    }
    try state.expect(
      after: "<C-c>", effects: [.console(.cancelStatement), .console(.discardStatements)]
    ) {
      $0.console.work = .nothing
      $0.message = Message("not run")
    }
  }

  @Test func `a command that is refused leaves the line, and stays in the history`() throws {
    var state = Sample.state([Sample.panel("n", .table)])
    try state.press("c:pin")
    try state.expect(after: "<Enter>", effects: [.console(.appendHistory(":pin"))]) {
      $0.console.clear()
      $0.console.typed.history.append(":pin")
      $0.console.append(
        ":pin",
        .failed(
          DatabaseError(
            code: .error, message: "there is no query to pin yet: run a SELECT first")))
    }
  }

  @Test func `a transaction is undone after a yes`() throws {
    var state = state()
    let commit = UndoableCommit(
      ordinal: 8, time: Sample.moment().civil,
      tables: [.init(name: "t", rows: Commit.RowCounts(inserted: 1))])
    try state.expect(after: "u", effects: [.console(.describeUndo)]) { _ in }
    state.expect(after: .console(.undoable(commit))) {
      $0.modes.ask(
        .console(.undo(commit, text: "undo tx 8 (12:04:31, 1 row inserted in t)?")))
    }
    try state.expect(after: "y", effects: [.console(.undo(commit))]) {
      $0.modes.askNext()
    }
    state.expect(after: .console(.undone(commit, nil))) {
      $0.message = Message("undid tx 8: 1 row removed from t")
      $0.console.append(":undo", .answered(["undid tx 8: 1 row removed from t"]))
    }
  }

  // MARK: Alerts

  @Test func `hooks are asked about`() throws {
    var state = state()
    let requests = try [HookRequest(command: HookCommand("./a"), panel: nil)]
    state.expect(after: .hook(.needConfirmation(requests))) {
      $0.alerts.asked = requests
      $0.alerts.reading.hasReachedEnd = true
      $0.alerts.reading.shownAt = $0.now.monotonic
      $0.modes.ask(.confirmHooks)
    }
    state.expect(after: .key(.character("n")), effects: [.hooks(.confirm(false, requests))]) {
      $0.alerts.asked = []
      $0.modes.askNext()
      $0.message = Message("hooks do not run in this session", .warning)
    }
  }

  // MARK: Questions

  @Test func `a question waits for the one before it`() throws {
    var modes = Modes()
    modes.show(.help)
    modes.ask(.suspend)
    modes.ask(.confirmHooks)
    modes.ask(.suspend)
    #expect(modes.question == .suspend)
    #expect(modes.line == .question(.suspend, next: [.confirmHooks]))
    modes.filter = TextBuffer("a")
    #expect(modes.question == .suspend, "a question stays in front")
    modes.askNext()
    #expect(modes.question == .confirmHooks)
    modes.askNext()
    #expect(modes.question == nil)
    #expect(modes.line == .filter(TextBuffer("a")))
    modes.filter = nil
    #expect(modes.front == .overlay(.help, ScrollingList()))
    modes.show(nil)
    #expect(modes == Modes())
  }
}
