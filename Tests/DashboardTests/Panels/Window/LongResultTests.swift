import ObservationEngine
import Testing

@testable import Dashboard

/// Looking through a result of which only some rows are held.
@Suite struct LongResultTests {
  @Test func `only rows around the view are held, and the frame tells of all`() throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    #expect(state.panels[0].rowCount == 5_000)
    #expect(state.panels[0].order.count <= 1_300)
    #expect(state.idsInView.first == 5_000)
    #expect(state.screen().text.contains("top 9 of 5 000"))
    try result.press("G", &state)
    #expect(state.idsInView.last == 1)
    #expect(!state.idsInView.contains(nil))
    #expect(state.screen().text.contains("4 992-5 000 of 5 000"))
    try result.press("g", &state)
    #expect(state.idsInView.first == 5_000)
  }

  @Test func `rows that are on their way are drawn as such`() throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result, glyphs: .ascii)
    let effects = try state.press("G")
    #expect(state.isWaitingForRows)
    #expect(state.idsInView.allSatisfy { $0 == nil })
    #expect(state.screen().text.contains(" ... "))
    result.perform(effects)
    result.settle(&state)
    #expect(!state.isWaitingForRows)
    #expect(!state.screen().text.contains(" ... "))
  }

  @Test func `a window that comes is not asked for again with each key`() throws {
    var result = LongResult(count: 50_000)
    var state = DashboardState.showing(&result)
    let asked = try state.press("G")
    #expect(asked.count == 1)
    #expect(try state.press("kkk<PgUp><PgUp>") == [])
    result.perform(asked)
    result.settle(&state)
    #expect(try state.press("kk<PgUp>jj") == [])
  }

  @Test func `a filter is answered by the observation, and Escape leads back`() throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    try result.press("<PgDn><PgDn>jj", &state)
    let (before, cursor) = (state.idsInView, state.panels[0].cursor)
    let effects = try state.press("/login<Enter>")
    #expect(state.screen().text.contains("filtering…"))
    #expect(state.idsInView == before, "what was there stays until the rows are here")
    result.perform(effects)
    result.settle(&state)
    #expect(state.idsInView.first == 4_998)
    #expect(state.inView.allSatisfy { $0?[1] == "login" })
    #expect(state.screen().text.contains("top 9 of 1 666/5 000"))
    try result.press("<Esc>", &state)
    #expect(state.idsInView == before)
    #expect(state.panels[0].cursor == cursor)
  }

  @Test func `from few rows to others that look alike, the way back and forth is found`() throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    for (keys, count) in [("/zz", 0), ("z", 0), ("<BS>", 0), ("<BS><BS>4999", 1), ("<BS>", 15)] {
      try result.press(keys, &state)
      #expect(!state.isWaitingForRows)
      #expect(state.panels[0].rowCount == count)
    }
    #expect(state.screen().text.contains("top 9 of 15/5 000"))
    try result.press("<Enter><Esc>", &state)
    #expect(state.panels[0].rowCount == 5_000)
  }

  @Test func `it is sorted by the observation, and no row counts as changed`() throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result, rank: "n")
    #expect(state.screen().text.contains("   1"))
    let effects = try state.press("ssS")
    #expect(state.screen().text.contains("sorting…"))
    result.perform(effects)
    result.settle(&state)
    #expect(state.inView.allSatisfy { $0?[1] == "view" })
    #expect(state.panels[0].marks.byRow.isEmpty)
    #expect(state.panels[0].rank(ofRow: 0) == nil, "its place in the query's result is not known")
    try result.press("<Esc>", &state)
    #expect(state.panels[0].rank(ofRow: 0) == 1)
  }

  @Test func `rows that come into the window do not flash, and new ones do`() throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    try result.press("G<wait>", &state, at: 1)
    try result.press("g", &state, at: 2)
    #expect(state.panels[0].marks.byRow.isEmpty)
    #expect(state.panels[0].marks.removed.isEmpty)
    result.commit { $0.insert([5_001, "view", 1], at: 0) }
    result.settle(&state, at: 3)
    #expect(state.panels[0].marks.byRow.keys.sorted() == [0])
    #expect(state.panels[0].marks.removed.isEmpty, "the last one of the window only left it")
    // Its mark moves with it, and no other row has one.
    try result.press(String(repeating: "<PgDn>", count: 40), &state, at: 4)
    try result.press("g", &state, at: 4)
    #expect(state.panels[0].marks.byRow.count <= 1)
  }

  @Test func `a chosen row is followed, and one that is gone leaves the cursor`() throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    try result.press("jjj", &state)
    #expect(state.panels[0].cursor == 2)
    result.commit { $0.insert([5_001, "view", 1], at: 0) }
    result.settle(&state, at: 1)
    #expect(state.panels[0].cursor == 3)
    #expect(state.panels[0].chosenRow?.first == 4_998)
    result.commit { $0.removeAll { $0[0] == 4_998 } }
    result.settle(&state, at: 2)
    #expect(state.panels[0].cursor == 3)
    #expect(state.panels[0].chosenRow?.first == 4_997)
  }

  @Test func `a chosen row is followed however long rows are inserted above it`() throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    try result.press(String(repeating: "<PgDn>", count: 100), &state)
    let chosen = try #require(state.panels[0].chosenRow)
    for round in 1...20 {
      result.commit { rows in
        let next = Int64(5_000 + round * 100)
        rows.insert(contentsOf: (0..<100).map { [.integer(next - $0), "view", 1] }, at: 0)
      }
      result.settle(&state, at: Double(round))
    }
    #expect(state.panels[0].chosenRow == chosen)
    #expect(state.inView.contains(chosen))
  }

  @Test func `a log of a long result follows its newest rows`() throws {
    for isNewestFirst in [true, false] {
      var result = LongResult(count: 5_000)
      if !isNewestFirst { result.rows.reverse() }
      var state = DashboardState.showing(&result, .log)
      #expect(state.idsInView.last == 5_000)
      result.commit { rows in
        rows.insert([5_001, "view", 1], at: isNewestFirst ? 0 : rows.count)
      }
      result.settle(&state, at: 1)
      #expect(state.idsInView.last == 5_001)
      #expect(state.panels[0].marks.byRow.count == 1)
      try result.press("g", &state)
      #expect(state.idsInView.first == 1)
      try result.press("<Esc>", &state)
      #expect(state.idsInView.last == 5_001)
    }
  }

  @Test func `filter, order and cursor stay when a result becomes short, and long again`() throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    try result.press("/login<Enter>s", &state)
    try result.press("jjjj", &state)
    let rows = result.rows
    result.commit { $0.removeSubrange(0..<3_800) }
    result.settle(&state, at: 1)
    #expect(!state.panels[0].isPart)
    #expect(state.idsInView.first == 3)
    #expect(state.panels[0].cursor == 3)
    #expect(state.panels[0].result?.rows == result.rows, "the query's own order is asked for")
    result.commit { $0 = rows }
    result.settle(&state, at: 2)
    #expect(state.panels[0].isPart)
    #expect(state.idsInView.first == 3)
    #expect(state.panels[0].filter == "login")
    #expect(state.panels[0].sort?.column == 0)
  }

  @Test func `a long result is no chart, whatever its first rows look like`() {
    var result = LongResult(count: 5_000)
    let state = DashboardState.showing(&result, nil)
    #expect(state.panels[0].kind == .table)
    #expect(!PanelDefinition(name: "a", sql: "", view: .line).isWindowed)
    #expect(PanelDefinition(name: "a", sql: "", view: .log).isWindowed)
    let alerting = DashboardParser.parse("-- name: a\n-- alert: n > 5\nSELECT 1 AS n;")
    #expect(alerting.definition.panels.map(\.isWindowed) == [false])
  }

  @Test func `bars that all rows measure are left out, and it is said why`() {
    var panel = Sample.panel("t", .table, key: ["id"])
    panel.formats = [ColumnFormatting(column: "n", format: .shareBar)]
    var state = Sample.state([panel], console: false)
    var result = LongResult(count: 5_000)
    result.settle(&state)
    let text = state.screen().text
    #expect(text.contains("! no bars of n: they are measured by all rows, and not all are held"))
    #expect(!text.contains("▇"))
  }

  @Test func `a kept frame shows the rows that were looked at, and says what was not kept`() throws
  {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    try result.press("G", &state)
    try result.press("g", &state)
    #expect(state.timeline.count == 1, "to look elsewhere is no change")
    result.commit { $0.insert([5_001, "view", 1], at: 0) }
    result.settle(&state, at: 1)
    try state.press(",")
    #expect(state.panels[0].rowCount == 5_000)
    #expect(!state.idsInView.contains(nil))
    #expect(try state.press("G") == [], "nobody can be asked for the past")
    #expect(state.screen().text.contains("not kept"))
    #expect(!state.isWaitingForRows)
    try state.press("s")
    #expect(state.panels[0].sort == nil)
    #expect(state.message?.text.contains("only the rows in view were kept") == true)
    try state.press(":filter login<Enter>:sort kind<Enter>")
    #expect(state.panels[0].look.isPlain)
    // What is typed behind / runs no commands.
    #expect(try state.press("/quick") == [])
    #expect(state.modes.filter?.text == "quick")
    try state.press("<Enter>")
    #expect(state.panels[0].look.isPlain)
    result.perform(try state.press("0"))
    result.settle(&state, at: 2)
    #expect(!state.idsInView.contains(nil))
    #expect(state.panels[0].rowCount == 5_001)
  }

  @Test func `a window that moves beside commits of others is no change`() throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    result.perform(try state.press("G"))
    result.commit { _ in }
    result.settle(&state, at: 1)
    #expect(!state.idsInView.contains(nil))
    #expect(state.timeline.count == 1)
    #expect(state.panels[0].ordinal == 0)
    #expect(state.panels[0].marks.byRow.isEmpty)
  }

  @Test func `rows of a filter that come with a commit leave the frame before it as it was`() throws
  {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    result.perform(try state.press("/login<Enter>"))
    result.commit { $0.insert([5_001, "login", 1], at: 0) }
    result.settle(&state, at: 1)
    #expect(state.timeline.count == 2)
    try state.press(",")
    #expect(state.panels[0].rowCount == 5_000)
    #expect(state.idsInView.first == 5_000)
  }

  @Test func `rows that came when others were wanted are asked for again`() throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    let size = state.size
    let asked = try state.press("/i")
    // Nothing is asked for where no panel is drawn, and keys go on to be typed.
    _ = reduce(&state, .resized(Size(width: 0, height: 0)))
    #expect(try state.press("x") == [])
    result.perform(asked)
    result.settle(&state)
    #expect(try state.press("<BS>") == [])
    result.perform(reduce(&state, .resized(size)))
    result.settle(&state)
    #expect(!state.isWaitingForRows)
    #expect(state.inView.allSatisfy { $0?[1] == "login" || $0?[1] == "view" })
  }

  @Test func `a filter that follows another at once leads back to where the first one began`()
    throws
  {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    try result.press("<PgDn><PgDn><PgDn>jj", &state)
    let before = state.idsInView
    try result.press("/login<Enter>", &state)
    result.perform(try state.press("<Esc>/view<Enter>"))
    result.settle(&state)
    try result.press("<Esc>", &state)
    #expect(state.idsInView == before)
  }

  @Test func `a recording asks for nothing, and says which rows it lacks`() throws {
    var state = DashboardState(
      definition: DashboardDefinition(panels: [Sample.panel("t", .table)]), databaseName: "a",
      source: .recording(ReplayProgress(played: 0, count: 1)), choices: Sample.allPanes,
      now: Sample.moment())
    _ = reduce(&state, .resized(Size(width: 150, height: 44)))
    var result = LongResult(count: 5_000)
    result.settle(&state)
    #expect(try state.press("G") == [])
    let text = state.screen().text
    #expect(text.contains("not recorded"))
    #expect(text.contains("a recording has no schema"))
    #expect(try state.press("<F2>bjd") == [])
  }

  @Test func `too many rows for a clipboard are refused with the remedy, a row is not`() throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    #expect(try state.press("Y") == [])
    #expect(
      state.message?.text == "5 000 rows are too many for a clipboard; :export writes a file")
    guard case .copy(let row)? = try state.press("jy").last else {
      Issue.record("no copy")
      return
    }
    #expect(row.text == "5000\tlogin\t69" || row.text.hasPrefix("5000\t"))
    try result.press("/4999", &state)
    guard case .copy(let rows)? = try state.press("<Enter>Y").last else {
      Issue.record("no copy")
      return
    }
    #expect(rows.subject == "1 row")
  }
}
