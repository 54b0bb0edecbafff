import Testing

@testable import ObservationEngine

/// Which queries give another result as time goes by.
struct TimeDependenceTests {
  private func dependence(_ sql: String, _ functions: Set<String>) -> TimeDependence {
    QueryShape.timeDependence([sql], functions: functions)
  }

  @Test(
    arguments: [
      ("SELECT date('now')", "date", "date('now')"),
      ("SELECT TIME ( 'NoW' , 'localtime')", "time", "time('now')"),
      ("SELECT * FROM t WHERE due < datetime(\"now\", '+1 day')", "datetime", "datetime('now')"),
      ("SELECT strftime('%s', 'now')", "strftime", "strftime('now')"),
      ("SELECT strftime('%s')", "strftime", "strftime() without a time"),
      ("SELECT julianday()", "julianday", "julianday() without a time"),
      ("SELECT unixepoch('subsec')", "unixepoch", "unixepoch('now')"),
      ("SELECT timediff('2026-01-01', 'now')", "timediff", "timediff('now')"),
      ("SELECT date(coalesce(a, (('now'))))", "date", "date('now')"),
      ("SELECT max(date(a), date())", "date", "date() without a time"),
      ("SELECT CURRENT_TIMESTAMP", "current_timestamp", "CURRENT_TIMESTAMP"),
      ("SELECT current_date", "current_date", "CURRENT_DATE"),
      ("SELECT random()", "random", "random()"),
      ("SELECT randomblob(4)", "randomblob", "randomblob()"),
      ("SELECT changes()", "changes", "changes()"),
      ("SELECT last_insert_rowid()", "last_insert_rowid", "last_insert_rowid()"),
    ])
  func `the present time, chance and the connection's own state are dependence`(
    _ sql: String, function: String, reason: String
  ) {
    #expect(dependence(sql, [function, "max", "coalesce"]) == .always(reason: reason))
  }

  @Test(
    arguments: [
      "SELECT date(created) FROM t", "SELECT date('2026-11-20', '+1 day')",
      "SELECT strftime('%Y now', created)", "SELECT 'now', date(a)", "SELECT date(1, 'localtime')",
      "SELECT date, now FROM t", "SELECT timediff(a, b) FROM t",
    ])
  func `dates that are given are none`(_ sql: String) {
    #expect(dependence(sql, ["date", "strftime", "timediff"]) == .none)
  }

  @Test(
    arguments: [
      ("WITH p(t) AS (SELECT 'now') SELECT date(t) FROM p", true),
      ("SELECT date(v) FROM (SELECT 1, lower('now') AS v)", true),
      ("SELECT strftime('%S', column1) FROM (VALUES ('Now'))", true),
      ("SELECT date(a) FROM t WHERE b IN ('now')", false),
      ("SELECT date('2026-11-20') FROM (SELECT 'now' AS t)", false),
      ("SELECT date(a) FROM t WHERE b IN (SELECT 'never')", false),
    ])
  func `a column of a SELECT in FROM may be now`(_ sql: String, _ depends: Bool) {
    let reason = sql.contains("strftime") ? "strftime()" : "date()"
    #expect(
      dependence(sql, ["date", "strftime", "lower"])
        == (depends ? .always(reason: "\(reason) of a column that is 'now'") : .none))
  }

  @Test
  func `a parameter in FROM counts when it is bound to now, and a text in a view always`() {
    let found = dependence("SELECT date(v) FROM (SELECT :at AS v)", ["date"])
    #expect(found == .whenBoundToNow(reason: "date() of a column that is 'now'"))
    let view = QueryShape.timeDependence(
      ["SELECT date(v) FROM moments", "CREATE VIEW moments AS SELECT 'now' AS v"],
      functions: ["date"])
    #expect(view == .always(reason: "date() of a column that is 'now'"))
  }

  @Test
  func `a function that is not called is not looked for`() {
    #expect(dependence("SELECT date('now')", []) == .none)
  }

  @Test
  func `a parameter counts when it is bound to now`() {
    let found = dependence("SELECT * FROM t WHERE due < date(?, ?)", ["date"])
    #expect(found == .whenBoundToNow(reason: "date('now')"))
    #expect(found.reason(arguments: ["2026-11-20", "+1 day"]) == nil)
    #expect(found.reason(arguments: ["Now", "+1 day"]) == "date('now')")
    #expect(found.reason(arguments: QueryArguments(named: ["a": "now"])) == "date('now')")
    #expect(dependence("SELECT date(a, ?)", ["date"]) == .none)
  }

  @Test
  func `the graver of several texts counts`() {
    let found = QueryShape.timeDependence(
      ["SELECT * FROM v WHERE d < date(?)", "CREATE VIEW v AS SELECT date('now') AS d"],
      functions: ["date"])
    #expect(found == .always(reason: "date('now')"))
    #expect(TimeDependence.none.union(found) == found)
    #expect(TimeDependence.whenBoundToNow(reason: "a").union(.none).reason(arguments: []) == nil)
  }
}
