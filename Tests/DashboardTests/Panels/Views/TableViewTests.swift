import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct TableViewTests {
  @Test func `a limit that nobody wrote is no number of rows`() {
    var definition = Sample.panel("t", .table, key: ["id"])
    definition.rowLimit = 100
    let cut = drawn(panel(definition, Sample.numbers(100)), width: 40, height: 8)
    #expect(cut.text.contains(" of 100+"))
    let whole = drawn(panel(definition, Sample.numbers(99)), width: 40, height: 8)
    #expect(whole.text.contains(" of 99") && !whole.text.contains("+"))
  }

  private let fame = Sample.panel("fame", .table, key: ["player"], rank: "score")
  private let before = Sample.scores([
    "ada": 98410, "linus": 96300, "grace": 95770, "bob": 90000,
  ])
  private let after = Sample.scores([
    "ada": 98410, "grace": 97020, "linus": 96300, "nihon": 90002,
  ])

  @Test func `a ranking shows arrows, growth and who is new`() {
    let grid = drawn(panel(fame, before, after), width: 44, height: 8)
    #expect(
      grid.text == """
        ╭─┤1 fame├─────────────────────────────────╮
        │  #     player    score         Δ         │
        │  1     ada      98 410                   │
        │  2 ▲1  grace    97 020    +1 250         │
        │  3 ▼1  linus    96 300                   │
        │  4 ★   nihon    90 002       NEW         │
        │    -   bob      90 000                   │
        ╰──────────────────────────────────────────╯
        """)
    #expect(grid[5, 3].style.role == .rising)
    #expect(grid[5, 4].style.role == .falling)
    #expect(grid[5, 5].character == "★")
  }

  @Test func `signs go with the flash and arrows stay until the next change`() {
    let grid = drawn(panel(fame, before, after), width: 44, height: 8, at: 3)
    #expect(
      grid.text == """
        ╭─┤1 fame├─────────────────────────────────╮
        │  #     player    score         Δ         │
        │  1     ada      98 410                   │
        │  2 ▲1  grace    97 020    +1 250         │
        │  3 ▼1  linus    96 300                   │
        │  4 ★   nihon    90 002       NEW         │
        │                                          │
        ╰──────────────────────────────────────────╯
        """)
  }

  @Test func `without a rank rows have signs that fade`() {
    let plain = Sample.panel("fame", .table, key: ["player"])
    let changed = panel(plain, before, after)
    #expect(
      drawn(changed, width: 30, height: 9).text == """
        ╭─┤1 fame├───────────────────╮
        │   player    score          │
        │   ada      98 410          │
        │ ~ grace    97 020          │
        │   linus    96 300          │
        │ + nihon    90 002          │
        │ - bob      90 000          │
        │                            │
        ╰────────────────────────────╯
        """)
    #expect(
      drawn(changed, width: 30, height: 9, at: 3).text == """
        ╭─┤1 fame├───────────────────╮
        │   player    score          │
        │   ada      98 410          │
        │   grace    97 020          │
        │   linus    96 300          │
        │   nihon    90 002          │
        │                            │
        │                            │
        ╰────────────────────────────╯
        """)
    let flashes = [0, 1, 2, 3].map {
      drawn(changed, width: 30, height: 9, at: $0)[5, 5].style.flash
    }
    #expect(flashes == [3, 2, 1, 0])
  }

  @Test func `only the cells that changed flash`() {
    let plain = Sample.panel("fame", .table, key: ["player"])
    let grid = drawn(panel(plain, before, after), width: 30, height: 9)
    let row = (0..<30).map { grid[$0, 3].style.flash }
    #expect(row.enumerated().filter { $0.element > 0 }.map(\.offset) == Array(13...18))
  }

  @Test func `values stand by their kind`() {
    let result = RowSet(
      columns: ["id", "what", "real"],
      rows: [
        [90412, "text", 1.5], [1, nil, -1234.25], [nil, .blob([1, 2, 3]), nil],
        [3, "a\u{1b}[31m", 0],
      ])
    let grid = drawn(panel(Sample.panel("p", .table), result), width: 34, height: 7)
    #expect(
      grid.text == """
        ╭─┤1 p├──────────────────────────╮
        │      id   what            real │
        │   90412   text            1.50 │
        │       1   NULL       -1 234.25 │
        │    NULL   BLOB 3 B        NULL │
        │       3   a␛[31m             0 │
        ╰────────────────────────────────╯
        """)
    #expect(grid[12, 3].style.role == .placeholder)
    #expect(grid[13, 5].style.role == .escaped)
  }

  @Test func `a name is whole where there is room, and cut where there is none`() {
    let result = RowSet(columns: ["InvoiceLineId", "Quantity_total_sum"], rows: [[1708, 2]])
    let table = panel(Sample.panel("t", .table), result)
    let wide = drawn(table, width: 60, height: 5).text
    #expect(wide.contains("InvoiceLineId") && wide.contains("Quantity_total_sum"), "\(wide)")
    let narrow = drawn(table, width: 32, height: 5).text
    #expect(narrow.contains("InvoiceLine…"), "\(narrow)")
    let longest = RowSet(columns: [String(repeating: "n", count: 30)], rows: [[1]])
    let cut = drawn(panel(Sample.panel("t", .table), longest), width: 60, height: 5).text
    #expect(cut.contains("\(String(repeating: "n", count: 23))…"), "\(cut)")
  }

  @Test func `wide characters and marks keep their columns`() {
    let result = RowSet(
      columns: ["name", "n"],
      rows: [["日本語日本語日本語日本語", 1], ["e\u{301}\u{301}", 22], ["👩\u{200d}👧", 333]])
    let grid = drawn(panel(Sample.panel("p", .table), result), width: 24, height: 6)
    #expect(
      grid.text == """
        ╭─┤1 p├────────────────╮
        │   name             n │
        │   日本語日本語…    1 │
        │   é́               22 │
        │   👩👧           333 │
        ╰──────────────────────╯
        """)
  }

  @Test func `what does not fit is left out with a sign, and can be reached`() {
    let result = RowSet(
      columns: ["id", "first", "second", "third"],
      rows: [[1, "something long", "something else", "and a third"]])
    var panel = panel(Sample.panel("p", .table), result)
    #expect(
      drawn(panel, width: 36, height: 4).text == """
        ╭─┤1 p├────────────────────────────╮
        │   id  first         second      ›│
        │    1  something l…  something e… │
        ╰──────────────────────────────────╯
        """)
    panel.moveColumns(by: 2)
    #expect(
      drawn(panel, width: 36, height: 4).text == """
        ╭─┤1 p├────────────────────────────╮
        │‹  second           third         │
        │   something else   and a third   │
        ╰──────────────────────────────────╯
        """)
    panel.moveColumns(by: 20)
    #expect(
      drawn(panel, width: 36, height: 4).text == """
        ╭─┤1 p├────────────────────────────╮
        │‹  third                          │
        │   and a third                    │
        ╰──────────────────────────────────╯
        """)
  }

  @Test func `the key stays in view beside what is scrolled, where there is room for both`() {
    let result = RowSet(
      columns: ["id", "first", "second", "third"],
      rows: [[1, "something long", "something else", "and a third"]])
    var table = panel(Sample.panel("p", .table, key: ["id"]), result)
    table.moveColumns(by: 1)
    #expect(
      drawn(table, width: 36, height: 4).text == """
        ╭─┤1 p├────────────────────────────╮
        │‹  id  second         third       │
        │    1  something el…  and a third │
        ╰──────────────────────────────────╯
        """)
    table.moveColumns(by: 20)
    #expect(
      drawn(table, width: 36, height: 4).text == """
        ╭─┤1 p├────────────────────────────╮
        │‹  id   third                     │
        │    1   and a third               │
        ╰──────────────────────────────────╯
        """)
    #expect(
      drawn(table, width: 18, height: 4).text == """
        ╭─┤1 p├──────────╮
        │‹  third        │
        │   and a third  │
        ╰────────────────╯
        """)
    // One that was scrolled before columns were hidden.
    var hidden = panel(Sample.panel("p", .table), result)
    hidden.moveColumns(by: 3)
    for place in 1...3 { hidden.viewport.columnChoice.toggle(at: place) }
    #expect(hidden.columnsInView == [0])
    // A table that is all key has nothing else to scroll.
    let whole = RowSet(columns: ["a", "b"], rows: [[1, 2]])
    var all = panel(Sample.panel("p", .table, key: ["a", "b"]), whole)
    all.moveColumns(by: 1)
    #expect(all.columnsInView == [1])
  }

  @Test func `a long result tells which rows are in view`() {
    var panel = panel(Sample.panel("p", .table), Sample.numbers(1204))
    #expect(
      drawn(panel, width: 36, height: 5).text == """
        ╭─┤1 p├───────────┤top 2 of 1 204├─╮
        │    id                            │
        │     1                            │
        │     2                            │
        ╰──────────────────────────────────╯
        """)
    panel.moveCursor(to: .max, visible: 2)
    let grid = drawn(panel, width: 36, height: 5, focused: true)
    #expect(
      grid.text == """
        ┏━┫1 p┣━━━━━┫1 203-1 204 of 1 204┣━┓
        ┃     id                           ┃
        ┃   1203                           ┃
        ┃   1204                           ┃
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
        """)
    #expect((1..<35).allSatisfy { grid[$0, 3].style.isSelected })
    #expect((1..<35).allSatisfy { !grid[$0, 2].style.reverse })
  }

  @Test func `a large table has a rule and says what changed last`() {
    let grid = drawn(panel(fame, before, after), width: 60, height: 18)
    #expect(
      grid.text == """
        ╭─┤1 fame├─────────────────────────────────────────────────╮
        │  #     player     score          Δ                       │
        │ ──────────────────────────────────────────────────────── │
        │  1     ada       98 410                                  │
        │  2 ▲1  grace     97 020     +1 250                       │
        │  3 ▼1  linus     96 300                                  │
        │  4 ★   nihon     90 002        NEW                       │
        │    -   bob       90 000                                  │
        │                                                          │
        │                                                          │
        │                                                          │
        │                                                          │
        │                                                          │
        │                                                          │
        │                                                          │
        │                                                          │
        │ last change tx 2:  ~ grace 95 770→97 020  + nihon  - bob │
        ╰──────────────────────────────────────────────────────────╯
        """)
  }

  @Test func `what is empty, missing or wrong says so`() {
    let definition = Sample.panel("p", .table)
    #expect(
      drawn(PanelState(definition: definition), width: 34, height: 5).text == """
        ╭─┤1 p├──────────────────────────╮
        │                                │
        │  waiting for the first result  │
        │                                │
        ╰────────────────────────────────╯
        """)
    let empty = panel(definition, RowSet(columns: ["id", "name"], rows: []))
    #expect(
      drawn(empty, width: 34, height: 5).text == """
        ╭─┤1 p├──────────────────────────╮
        │   id   name                    │
        │            no rows             │
        │                                │
        ╰────────────────────────────────╯
        """)
    var filtered = panel(definition, Sample.numbers(3))
    filtered.setFilter("zzz")
    #expect(
      drawn(filtered, width: 34, height: 5).text == """
        ╭─┤1 p /zzz├────────────┤0 of 3├─╮
        │   id                           │
        │     no row contains “zzz”      │
        │                                │
        ╰────────────────────────────────╯
        """)
    var wrong = empty
    wrong.receive(DatabaseError(code: .error, message: "no such table: scores in the database"))
    #expect(
      drawn(wrong, width: 34, height: 5).text == """
        ╭─┤1 p├──────────────────┤error├─╮
        │ ! no such table: scores in     │
        │   the database                 │
        │                                │
        ╰────────────────────────────────╯
        """)
  }

  @Test func `a stale panel keeps its rows and tells its age`() {
    var panel = panel(Sample.panel("p", .table), Sample.numbers(2))
    panel.data.staleness = Staleness(since: Sample.moment(-3).civil, reason: "locked")
    panel.data.duration = .milliseconds(3)
    let grid = drawn(panel, width: 34, height: 5)
    #expect(
      grid.text == """
        ╭─┤1 p├───────┤stale 3 s · 3 ms├─╮
        │   id                           │
        │    1                           │
        │    2                           │
        ╰────────────────────────────────╯
        """)
  }

  @Test func `ASCII terminals get ASCII`() {
    let grid = drawn(panel(fame, before, after), width: 44, height: 8, glyphs: .ascii)
    #expect(
      grid.text == """
        +-[1 fame]---------------------------------+
        |  #     player    score       +/-         |
        |  1     ada      98 410                   |
        |  2 ^1  grace    97 020    +1 250         |
        |  3 v1  linus    96 300                   |
        |  4 *   nihon    90 002       NEW         |
        |    -   bob      90 000                   |
        +------------------------------------------+
        """)
    #expect(grid.text.utf8.allSatisfy { $0 < 0x80 })
  }
}
