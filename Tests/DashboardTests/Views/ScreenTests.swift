import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct ScreenTests {
  private let panels = [
    Sample.panel("hall of fame", .table, key: ["player"], rank: "score"),
    Sample.panel("players"), Sample.panel("games by map"),
  ]
  private let layout = [
    ["hall of fame", "hall of fame", "players"], ["hall of fame", "hall of fame", "games by map"],
  ]
  private let maps = RowSet(columns: ["map", "games"], rows: [["dust", 412], ["mill", 251]])

  /// An arena in which grace has overtaken linus, seen from outside.
  private func arena(
    _ size: Size = Size(width: 80, height: 24), glyphs: GlyphSet = .unicode
  ) -> DashboardState {
    var state = Sample.state(panels, layout: layout, glyphs: glyphs, size: size)
    _ = reduce(&state, .databaseInfo(DatabaseInfo(journalMode: "wal", walBytes: 1_258_291)))
    let before = Sample.scores(["ada": 98410, "linus": 96300, "grace": 95770])
    state.deliver([0: before, 1: Sample.value(1201), 2: maps], ordinal: 0)
    let after = Sample.scores(["ada": 98410, "grace": 97020, "linus": 96300])
    let refresh = Refresh(
      results: [0: .success(after), 1: .success(Sample.value(1204))],
      recomputed: [0: .milliseconds(3), 1: .milliseconds(1)],
      events: [Sample.commit(1, .external)], ordinal: 1, duration: .milliseconds(4))
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment(1)))
    _ = reduce(&state, .drawn(latency: 4_000_000, origin: .external))
    return state
  }

  @Test func `everything stands on 80 by 24`() {
    #expect(
      arena().screen(at: 1).text == """
         livequery  arena.sqlite  WAL rw      ● LIVE  0.1 tx/s ▁▁▁▁▁▁▁█  tx 1  12:04:32
        ┏━┫1 hall of fame┣━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┫3 ms┣━┱─┤2 players├─────┤1 ms├─╮
        ┃  #     player     score          Δ                  ┃  ▄█   ▀▀█ █▀█ █ █      │
        ┃  1     ada       98 410                             ┃   █   █▀▀ █ █ ▀▀█      │
        ┃  2 ▲1  grace     97 020     +1 250                  ┃  ▀▀▀  ▀▀▀ ▀▀▀   ▀      │
        ┃  3 ▼1  linus     96 300                             ┃  ▲ +3                  │
        ┃                                                     ┃  ▁█  2 tx              │
        ┃                                                     ┠─┤3 games by map├───────┤
        ┃                                                     ┃ dust ▇▇▇▇▇▇▇▇▇▇▇  412  │
        ┃                                                     ┃ mill ▇▇▇▇▇▇▇      251  │
        ┃                                                     ┃                        │
        ┃                                                     ┃                        │
        ┡━┤4 SQL├━━━━━━━━━━━━━━━━━━━━━━━━━━━━┤autocommit├━┯━┤5 transactions├────┤live├─┤
        │ sql> c to type SQL                              │ 12:04:31 1 ext scores → 1 2│
        │                                                 │                            │
        │                                                 │                            │
        │                                                 │                            │
        │                                                 │                            │
        │                                                 │                            │
        │                                                 │                            │
        ╰─────────────────────────────────────────────────┴────────────────────────────╯

         detected→screen 4 ms p50 · 4 ms p99 █ │ 2 panels 4 ms/tx │ WAL 1.1 MB
         ?help  Tab focus  1-5 panel  z zoom  / filter  Spc pause  , . rewind  : cmd  q
        """)
  }

  @Test func `a zoomed panel stands alone`() throws {
    var state = arena(Size(width: 60, height: 17))
    try state.press("z")
    #expect(
      state.screen(at: 1).text == """
         livequery  arena.sqlite  WAL rw     ● LIVE  tx 1  12:04:32
        ┏━┫1 hall of fame┣━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┫3 ms┣━┓
        ┃  #     player     score                                  ┃
        ┃  1     ada       98 410                                  ┃
        ┃  2 ▲1  grace     97 020                                  ┃
        ┃  3 ▼1  linus     96 300                                  ┃
        ┃                                                          ┃
        ┃                                                          ┃
        ┃                                                          ┃
        ┃                                                          ┃
        ┃                                                          ┃
        ┃                                                          ┃
        ┃                                                          ┃
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
           12:04:31.204    1 ext  scores  → 1 2  4 ms
         detected→screen 4 ms p50 · 4 ms p99 █ │ 2 panels 4 ms/tx
         ?help  Tab focus  z unzoom  / filter  Spc pause  : cmd  q
        """)
  }

  @Test func `a small screen drops feed and console`() {
    #expect(
      arena(Size(width: 50, height: 12)).screen(at: 1).text == """
         livequery  arena.sqlite  page 1/3   ● LIVE  tx 1
        ┏━┫1 hall of fame┣━━━━━━━━━━━━━━━━━━━━━━━━┫3 ms┣━┓
        ┃  #     player    score                         ┃
        ┃  1     ada      98 410                         ┃
        ┃  2 ▲1  grace    97 020                         ┃
        ┃  3 ▼1  linus    96 300                         ┃
        ┃                                                ┃
        ┃                                                ┃
        ┃                                                ┃
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
           12:04:31.204    1 ext  scores  → 1 2  4 ms
         ?help  Tab focus  p page  z zoom  / filter  q
        """)
  }

  @Test func `below 30 by 6 there is one number`() {
    #expect(
      arena(Size(width: 25, height: 4)).screen().text == """
        hall of fame · score
        █▀█ █▀█  █ █ ▄█  █▀█
        ▀▀█ █▀█  ▀▀█  █  █ █
        ▀▀▀ ▀▀▀    ▀ ▀▀▀ ▀▀▀
        """)
    #expect(arena(Size(width: 9, height: 2)).screen().text == "hall of …\n98 410")
    #expect(arena(Size(width: 80, height: 1)).screen().text == "98 410")
  }

  @Test func `there a line is its newest number, and any other chart its rows`() {
    let size = Size(width: 20, height: 2)
    var line = Sample.state([Sample.panel("games", .line, "")], size: size)
    line.deliver([0: Sample.minutes(["ranked": [1, 2, 7]])])
    #expect(line.screen().text == "games · ranked\n7")
    var map = Sample.state([Sample.panel("days", ViewKind(HeatmapKind.self), "")], size: size)
    map.deliver([0: Sample.minutes(["ranked": [1, 2, 7]])])
    #expect(map.screen().text == "days\n3 rows")
  }

  @Test func `what is typed and what is asked shows on the smallest screen`() throws {
    var state = arena(Size(width: 12, height: 3))
    try state.press("cselect 12345")
    #expect(state.screen().text == "\n\nelect 12345")
    #expect(state.screen().cursor?.x == 11)
    _ = reduce(
      &state, .console(.needsConfirmation(question: "DELETE all?", sql: "delete from t;")))
    #expect(state.screen().text == "y/n DELETE\nall?\n")
  }

  @Test func `what could not be seen is not opened`() throws {
    var state = arena(Size(width: 20, height: 5))
    try state.press("?<F1><Enter>")
    #expect(state.modes.overlay == nil)
  }

  @Test func `the console fills a screen that has no room for it`() throws {
    var state = arena(Size(width: 50, height: 12))
    try state.press("cselect 1")
    let screen = state.screen(at: 1)
    #expect(screen.text.contains("━┫4 SQL┣"))
    #expect(screen.text.contains("sql> select 1"))
    #expect(!screen.text.contains("players"))
    #expect(screen.cursor != nil)
  }

  @Test func `an ASCII screen is ASCII`() throws {
    var state = arena(glyphs: .ascii)
    #expect(state.screen(at: 1).text.utf8.allSatisfy { $0 < 0x80 })
    try state.press("?")
    #expect(state.screen(at: 1).text.utf8.allSatisfy { $0 < 0x80 })
    try state.press("<Esc><Enter>")
    #expect(state.screen(at: 1).text.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test func `at every size no glyph is cut and the cursor is on the screen`() throws {
    let keys = [
      "", "?", "<Enter>", "z", "/x", "c", "cselect<Enter>", "j", "4", "5", "5z", "c<C-r>",
    ]
    // Glyphs of two cells, for frames to end in the middle of.
    let wide: KeyValuePairs<String, Int64> = [
      "\u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}\u{8a9e}": 3, "\u{d55c}\u{ad6d}": 2,
    ]
    for keys in keys {
      var state = arena()
      state.deliver([0: Sample.scores(wide)], ordinal: 2, at: 1)
      try state.press(keys)
      for width in [0, 1, 2, 3, 5, 9, 15, 29, 30, 31, 45, 60, 72, 80, 119, 200] {
        for height in [0, 1, 2, 3, 5, 6, 7, 8, 11, 12, 16, 20, 24, 48] {
          let size = Size(width: width, height: height)
          _ = reduce(&state, .resized(size))
          let grid = state.screen(at: 1)
          #expect(grid.size == size)
          #expect(grid.hasWholeGlyphs, "\(keys) at \(width)x\(height)")
          if let cursor = grid.cursor {
            #expect((0..<width).contains(cursor.x) && (0..<height).contains(cursor.y))
          }
        }
      }
    }
  }

  @Test func `a question is asked where it is seen, at any size`() throws {
    for size in [Size(width: 80, height: 24), Size(width: 40, height: 8)] {
      var state = arena(size)
      _ = reduce(&state, .console(.transaction(open: true, statements: 1, since: nil)))
      try state.press("q")
      #expect(state.screen().text.contains("? a transaction is open"))
    }
  }

  @Test func `trouble is told below the panels`() {
    var state = arena()
    let stale = Staleness(since: Sample.moment(-1).civil, reason: "writer holds the lock")
    _ = reduce(&state, .refreshed(Refresh(stale: [2: stale], ordinal: 1), at: Sample.moment(1)))
    let screen = state.screen(at: 1).text
    #expect(screen.contains(" ! panel 3  stale for 2 s: writer holds the lock — showing tx 0\n"))
    #expect(screen.contains("● STALE"))
  }

  @Test func `what is typed as a filter has the cursor`() throws {
    var state = arena()
    try state.press("/gr日")
    let grid = state.screen(at: 1)
    #expect(grid.text.contains("\n /gr日\n"))
    #expect(grid.cursor?.x == 6)
    #expect(grid.cursor?.y == 21)
  }

  @Test func `many panels are shown page by page`() throws {
    let many = (1...40).map { Sample.panel("panel \($0)", .table) }
    var state = Sample.state(many)
    #expect(state.screen().text.contains("page 1/"))
    #expect(state.screen().text.contains("1 panel 1"))
    try state.press("<Tab><Tab><Tab><Tab><Tab><Tab><Tab><Tab>")
    let screen = state.screen().text
    #expect(screen.contains("9 panel 9"))
    #expect(!screen.contains("1 panel 1├"))
  }
}
