import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct PaneViewTests {
  private func console(width: Int, height: Int, _ state: DashboardState, at seconds: Double = 0)
    -> Grid
  {
    var canvas = Canvas(size: Size(width: width, height: height), glyphs: state.glyphs)
    ConsoleView.draw(
      state, number: 2, frame: Rect(x: 0, y: 0, width: width, height: height),
      moment: Sample.moment(seconds), on: &canvas)
    return canvas.grid
  }

  private func run(_ state: inout DashboardState, _ sql: String, _ event: ConsoleEvent) {
    _ = reduce(&state, .console(.started(sql: sql, at: Sample.moment())))
    _ = reduce(&state, .console(event))
  }

  @Test func `the console tells what came of each statement`() throws {
    var state = Sample.state([Sample.panel("p")])
    run(
      &state, "begin;",
      .finished(nil, total: 0, changes: nil, duration: .milliseconds(1), sql: ""))
    _ = reduce(
      &state, .console(.transaction(open: true, statements: 2, since: Sample.moment())))
    run(
      &state, "update scores set pts=pts+1250\n where player='grace';",
      .finished(nil, total: 0, changes: 1, duration: .milliseconds(2), sql: ""))
    run(
      &state, "select * from scores limit 2;",
      .finished(
        Sample.scores(["ada": 98410, "grace": 97020]), total: 2, changes: nil,
        duration: .milliseconds(1), sql: ""))
    let error = DatabaseError(code: .error, message: "no such column: plyer", offset: 7)
    run(&state, "select plyer;", .failed(error, sql: ""))
    try state.press("cselect 1\u{301},<A-Enter>2")
    let grid = console(width: 60, height: 14, state, at: 14)
    #expect(
      grid.text == """
        ┏━┫2 SQL┣━━━━━━━━━━━━━━━━━┫in tx 00:14 · panels show tx 0┣━┓
        ┃ sql> begin;                                     ✓ · 1 ms ┃
        ┃  tx> update scores set pts=pts+1250                      ┃
        ┃   …>  where player='grace';                 1 row · 2 ms ┃
        ┃  tx> select * from scores limit 2;         2 rows · 1 ms ┃
        ┃      player   score                                      ┃
        ┃      ada     98 410                                      ┃
        ┃      grace   97 020                                      ┃
        ┃  tx> select plyer;                                       ┃
        ┃             ^                                            ┃
        ┃      ! no such column: plyer                             ┃
        ┃  tx> select 1́,                                           ┃
        ┃   …> 2                                                   ┃
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
        """)
    #expect(grid.cursor?.x == 8)
    #expect(grid.cursor?.y == 12)
  }

  @Test func `a result of many rows is a table with its head`() {
    var state = Sample.state([Sample.panel("p")])
    let rows = (1...20).map { [.integer($0 * 100), .text("row \($0)")] as [Value] }
    run(
      &state, "select * from t;",
      .finished(
        RowSet(columns: ["n", "name"], rows: rows), total: rows.count, changes: nil,
        duration: .zero, sql: ""))
    #expect(
      console(width: 44, height: 15, state).text == """
        ╭─┤2 SQL├─┤autocommit · 20 rows · <0.1 ms├─╮
        │ sql> select * from t;  20 rows · <0.1 ms │
        │        n  name                           │
        │      100  row 1                          │
        │      200  row 2                          │
        │      300  row 3                          │
        │      400  row 4                          │
        │      500  row 5                          │
        │      600  row 6                          │
        │      700  row 7                          │
        │      800  row 8                          │
        │      … 12 more rows (^o to browse)       │
        │ sql> c to type SQL                       │
        │                                          │
        ╰──────────────────────────────────────────╯
        """)
  }

  @Test func `the newest lines stay in view and older ones are scrolled to`() throws {
    var state = Sample.state([Sample.panel("p")])
    for number in 1...9 {
      run(
        &state, "select \(number);",
        .finished(
          Sample.value(.integer(Int64(number))), total: 1, changes: nil, duration: .zero, sql: ""))
    }
    #expect(
      console(width: 40, height: 5, state).text == """
        ╭─┤2 SQL├─────────────────┤autocommit├─╮
        │      n                               │
        │      9                               │
        │ sql> c to type SQL                   │
        ╰──────────────────────────────────────╯
        """)
    try state.press("c<PgUp>")
    #expect(
      console(width: 40, height: 5, state).text == """
        ┏━┫2 SQL┣━━━━━━━━━━━━━━━━━┫autocommit┣━┓
        ┃      7                               ┃
        ┃ sql> select 8;       1 row · <0.1 ms ┃
        ┃ sql>                                 ┃
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
        """)
    try state.press("<PgUp><PgUp><PgUp><PgUp><PgUp>")
    #expect(
      console(width: 40, height: 5, state).text == """
        ┏━┫2 SQL┣━━━━━━━━━━━━━━━━━┫autocommit┣━┓
        ┃ sql> select 1;       1 row · <0.1 ms ┃
        ┃      n                               ┃
        ┃ sql>                                 ┃
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
        """)
  }

  @Test func `a line too long for the console goes on in the next one`() throws {
    var state = Sample.state([Sample.panel("p")])
    try state.press("cselect abcdefghijklmnopqrstuvwxyz")
    let grid = console(width: 30, height: 4, state)
    #expect(
      grid.text == """
        ┏━┫2 SQL┣━━━━━━━┫autocommit┣━┓
        ┃ sql> select abcdefghijklmn ┃
        ┃      opqrstuvwxyz          ┃
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
        """)
    #expect(grid.cursor?.x == 19 && grid.cursor?.y == 2)
  }

  @Test func `a search of the history is seen`() throws {
    var state = Sample.state([Sample.panel("p")], history: ["select 42;"])
    try state.press("c<C-r>sel")
    #expect(
      console(width: 40, height: 4, state).text == """
        ┏━┫2 SQL┣━━━━━━━━━━━━━━━━━┫autocommit┣━┓
        ┃ sql> (^r) sel: select 42;            ┃
        ┃                                      ┃
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
        """)
  }

  @Test func `the feed tells who changed what and which panels followed`() {
    var state = Sample.state(
      [Sample.panel("a"), Sample.panel("b")], size: Size(width: 80, height: 24))
    let time = Sample.moment().civil
    let events: [DatabaseEvent] = [
      Sample.commit(1, .own, rows: Commit.RowCounts(inserted: 3, updated: 1)),
      Sample.commit(2), Sample.commit(3, kind: .schema), Sample.commit(4, kind: .fileReplaced),
      .rollback(time), .fileMissing(time), .notice("polling", time),
    ]
    let refresh = Refresh(
      results: [1: .success(Sample.numbers(1))], events: events, ordinal: 4,
      duration: .milliseconds(4))
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment()))
    func feed(_ width: Int) -> String {
      var canvas = Canvas(size: Size(width: width, height: 9), glyphs: .unicode)
      FeedView.draw(
        state, number: 3, frame: Rect(x: 0, y: 0, width: width, height: 9), on: &canvas)
      return canvas.grid.text
    }
    #expect(
      feed(30) == """
        ╭─┤3 transactions├────┤live├─╮
        │ 12:04:31 -     polling     │
        │ 12:04:31 - ext FILE MISSING│
        │ 12:04:31 - me  rolled back │
        │ 12:04:31 4 ext REPLACED    │
        │ 12:04:31 3 ext SCHEMA   → 2│
        │ 12:04:31 2 ext scores   → 2│
        │ 12:04:31 1 me  +3~1 sc… → 2│
        ╰────────────────────────────╯
        """)
    #expect(
      feed(60) == """
        ╭─┤3 transactions├──────────────────────────┤me 1 · ext 3├─╮
        │ 12:04:31.204    -      polling                           │
        │ 12:04:31.204    - ext  FILE MISSING, last rows stay      │
        │ 12:04:31.204    - me   rolled back                       │
        │ 12:04:31.204    4 ext  FILE REPLACED, reopened           │
        │ 12:04:31.204    3 ext  SCHEMA changed         → 2   4 ms │
        │ 12:04:31.204    2 ext  scores                 → 2   4 ms │
        │ 12:04:31.204    1 me   +3 ~1 scores           → 2   4 ms │
        ╰──────────────────────────────────────────────────────────╯
        """)
  }

  @Test func `a commit names its tables, or says why it can be any`() {
    var state = Sample.state([Sample.panel("a")])
    func commit(_ ordinal: Int, _ tables: Commit.Tables, count: Int = 1) -> DatabaseEvent {
      .commit(
        Commit(
          ordinal: ordinal, origin: .external, tables: tables, count: count,
          time: Sample.moment(Double(ordinal)).civil))
    }
    let refresh = Refresh(
      events: [
        commit(1, .named([])), commit(2, .all(reason: "a rollback journal"), count: 3),
        commit(3, .named(["maps", "scores"]), count: 2),
      ], ordinal: 3)
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment()))
    var canvas = Canvas(size: Size(width: 80, height: 5), glyphs: .unicode)
    FeedView.draw(
      state, number: 3, frame: Rect(x: 0, y: 0, width: 80, height: 5), on: &canvas)
    let lines = canvas.grid.text.split(separator: "\n")
    #expect(lines[1].contains(" 3 ext  2x maps scores "))
    #expect(lines[2].contains(" 2 ext  3x any table: a rollback journal "))
    #expect(lines[3].contains(" 1 ext  no table "))
  }

  @Test func `a commit that no panel shows has none to name`() {
    var state = Sample.state([Sample.panel("a")])
    let refresh = Refresh(events: [Sample.commit(7)], ordinal: 7)
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment()))
    #expect(state.screen().text.contains(" 12:04:31 7 ext scores → –"))
  }

  @Test func `a row is inspected in full`() throws {
    var state = Sample.state([Sample.panel("p", .table)], size: Size(width: 60, height: 20))
    let result = RowSet(
      columns: ["id", "text", "real", "none", "bytes"],
      rows: [[90412, "a longer text that\ngoes on\u{1b}", 0.1, nil, .blob(Array(60...80))]])
    state.deliver([0: result])
    try state.press("<Enter>")
    let lines = state.screen().text.split(separator: "\n").dropFirst().prefix(12)
    #expect(
      lines.joined(separator: "\n") == """
        ┏━┫1 p┣━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
        ┃      id  text                      real  none  bytes     ┃
        ┃ ┏━┫1 p┣━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┫row 1 of 1┣━┓ ┃
        ┃ ┃ id     90412   (90 412)                              ┃ ┃
        ┃ ┃ text   a longer text that                            ┃ ┃
        ┃ ┃        goes on␛                                      ┃ ┃
        ┃ ┃ real   0.1                                           ┃ ┃
        ┃ ┃ none   NULL                                          ┃ ┃
        ┃ ┃ bytes  BLOB, 21 bytes                                ┃ ┃
        ┃ ┃        00000000  3c 3d 3e 3f 40 41 42 43  <=>?@ABC   ┃ ┃
        ┡━┃        00000008  44 45 46 47 48 49 4a 4b  DEFGHIJK   ┃━┩
        │ ┃        00000010  4c 4d 4e 4f 50           LMNOP      ┃ │
        """)
  }
}
