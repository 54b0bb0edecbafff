import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct LogOrderTests {
  private func log(_ sql: String = "", options: String = "") -> PanelDefinition {
    var definition = Sample.panel("l", .log, options)
    definition.sql = sql
    return definition
  }

  private func events(_ times: [String]) -> RowSet {
    RowSet(
      columns: ["at", "what"],
      rows: times.enumerated().map { [.text("2026-11-20 \($1)"), .text("event \($0)")] })
  }

  private let newestFirst = ["12:05", "12:04", "12:03", "12:02", "12:01"]

  @Test(arguments: 0...5)
  func `a row with a date of long ago turns nothing round, wherever it comes`(_ place: Int) {
    var times = newestFirst
    times.insert("03:00", at: place)
    let before = events(newestFirst)
    for times in [times, times.map { $0 == "03:00" ? "23:00" : $0 }] {
      #expect(panel(log(), before, events(times)).order == [5, 4, 3, 2, 1, 0], "\(times)")
      let turned = events(times.reversed())
      #expect(panel(log(), events(newestFirst.reversed()), turned).order == [0, 1, 2, 3, 4, 5])
    }
  }

  @Test func `what cannot be told leaves the rows as they run`() {
    let two = events(["12:05", "12:04"])
    let same = events(["12:05", "12:05"])
    #expect(panel(log(), two, same).order == [1, 0])
    #expect(panel(log(), same).order == [0, 1])
  }

  @Test func `a key that only falls tells more than moments`() {
    let rows = RowSet(
      columns: ["id", "at"],
      rows: [[3, "2026-11-20 01:00"], [2, "2026-11-20 12:00"]])
    #expect(panel(log(), rows).order == [1, 0])
    let other = RowSet(columns: ["n", "at"], rows: rows.rows)
    #expect(panel(log(), other).order == [0, 1])
  }

  @Test func `a number that rises and falls tells nothing`() {
    let rows = RowSet(columns: ["n", "what"], rows: [[9, "a"], [1, "b"], [5, "c"]])
    #expect(panel(log(), rows).order == [0, 1, 2])
  }

  @Test(
    arguments: [
      ("select a from t order by id desc limit 40", true),
      ("select a from t order by id limit 40", false),
      ("select a from t order by t.\"id\" desc nulls last, a", true),
      ("select a from t order by id asc", false),
      ("select a from t order by -id", true), ("select a from t order by - id desc", false),
      ("select a from t order by datetime(at) desc", true),
      ("select a from (select a, id from t order by id desc) order by id", false),
      ("select a, (select max(b) from u order by b desc) from t order by id", false),
      ("select a from t order by id collate nocase desc -- asc", true),
      ("select a from t union all select a from u order by id desc;", true),
    ])
  func `the query says in which order its rows are`(_ sql: String, _ isNewestFirst: Bool) {
    let rows = RowSet(columns: ["a"], rows: [["x"], ["b"], ["m"]])
    #expect(panel(log(sql), rows).order == (isNewestFirst ? [2, 1, 0] : [0, 1, 2]))
    let top = panel(log(sql, options: "newest=top"), rows)
    #expect(top.order == (isNewestFirst ? [0, 1, 2] : [2, 1, 0]))
  }

  @Test func `an order of words is none of time`() {
    let rows = RowSet(
      columns: ["level", "at"],
      rows: [
        ["error", "2026-11-20 12:05"], ["error", "2026-11-20 12:01"], ["info", "2026-11-20 12:04"],
        ["info", "2026-11-20 12:02"],
      ])
    #expect(panel(log("select * from l order by level, at desc"), rows).order == [3, 2, 1, 0])
    #expect(panel(log("select * from l order by 1, 2 desc"), rows).order == [3, 2, 1, 0])
    #expect(panel(log("select * from l order by level"), rows).order == [3, 2, 1, 0])
  }

  @Test func `new rows flow in where they are seen, also without a moment`() {
    func names(_ range: ClosedRange<Int>) -> RowSet {
      RowSet(
        columns: ["name", "country"],
        rows: range.reversed().map { [.text("player \($0)"), .text("c\($0 * 7 % 5)")] })
    }
    var state = Sample.state(
      [log("select name, country from players order by id desc limit 40")], console: false,
      size: Size(width: 40, height: 12))
    state.deliver([0: names(1...40)])
    #expect(state.screen().text.contains("   player 40"))
    state.deliver([0: names(2...41)], ordinal: 2)
    let lines = state.screen().text.split(separator: "\n")
    #expect(lines.contains { $0.dropFirst().hasPrefix(" + player 41 ") })
  }
}
