import Testing

@testable import Dashboard

/// Every diagnostic, exactly as `--check` prints it.
@Suite struct DashboardDiagnosticsTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let text: String
    let expected: [String]

    init(_ text: String, _ expected: String...) {
      self.text = text
      self.expected = expected
    }

    var testDescription: String { text.debugDescription }
  }

  @Test(arguments: [
    Example(
      "-- name: a\n-- titel: A\nSELECT 1",
      #"f:2:4: error: unknown key "titel", did you mean "title"?"#),
    Example(
      "-- name: a\n-- colour: red\nSELECT 1",
      #"f:2:4: error: unknown key "colour", did you mean "color"?"#),
    Example(
      "-- name: a\n-- layout: a a\nSELECT 1",
      #"f:2:4: error: "layout:" belongs at the head of the file, above the first "-- name:""#),
    Example(
      "-- name: a\n-- view: tabel\nSELECT 1",
      #"f:2:10: error: no view is called "tabel", did you mean "table"?"#),
    Example(
      "-- name: a\n-- view: pie\nSELECT 1",
      "f:2:10: error: no view is called \"pie\"; there are table, number, bar, line, sparkline, "
        + "gauge, histogram, log, heatmap"),
    Example(
      "-- name: a\n-- view: gauge mim=0\nSELECT 1",
      #"f:2:16: error: "gauge" has no option "mim", did you mean "min"?"#),
    Example(
      "-- name: a\n-- view: gauge min=x max\nSELECT 1",
      #"f:2:20: error: "min=" needs a number, not "x""#,
      #"f:2:22: error: "max" needs a value, as in "max=1""#),
    Example(
      "-- name: a\n-- view: gauge min=1 max=50%\nSELECT 1",
      #"f:2:10: error: "min=" must be less than "max=""#),
    Example(
      "-- name: a\n-- view: histogram bins=0\nSELECT 1",
      #"f:2:25: error: "bins=" needs a number from 1 to 500"#),
    Example(
      "-- name: a\n-- view: log newest=left\nSELECT 1",
      #"f:2:21: error: "newest=" is either "top" or "bottom""#),
    Example(
      "-- name: a\n-- view: table wide\nSELECT 1",
      #"f:2:16: error: "table" takes no options"#),
    Example(
      "-- name: a\n-- format: score thousnads, x bytes , y\nSELECT 1",
      #"f:2:18: error: no format is called "thousnads", did you mean "thousands"?"#,
      #"f:2:39: error: "format:" takes a column and words about it, as in "y thousands""#),
    Example(
      "-- name: a\n-- format: x bytes, X time\nSELECT 1",
      #"f:2:21: error: "X" has a format already"#),
    Example(
      "-- name: a\n-- alert: é > 5 adn x < 1\nSELECT 1",
      #"f:2:17: error: "alert:" unexpected "adn", did you mean "and"?"#),
    Example(
      "-- name: a\n-- alert: x\nSELECT 1",
      #"f:2:12: error: "alert:" "x" needs a comparison after it: = <> < <= > >="#),
    Example(
      "-- name: a\n-- on-alert: ./x\nSELECT 1",
      #"f:2:4: warning: "on-alert:" has no effect without "alert:""#),
    Example(
      "-- name: a\n-- alert: x > 1\n-- on-alert: ./x 'y\nSELECT 1",
      #"f:3:18: error: "on-alert:" this quote is not closed"#),
    Example(
      "-- name: a\n-- alert: x > 1\n-- on-alert: ./x | wc\nSELECT 1",
      "f:3:18: warning: no shell reads this command: \"|\" is passed on as it is; "
        + "sh -c '…' asks for one"),
    Example(
      "-- name: a\n-- title: x\n-- title: y\nSELECT 1",
      #"f:3:4: error: "title:" is given twice"#),
    Example(
      "-- name: a\n-- name: b\nSELECT 1", #"f:2:4: error: "name:" is given twice"#),
    Example(
      "-- name: a\n-- key:\nSELECT 1", #"f:2:4: error: "key:" needs a value"#),
    Example(
      "-- name: a\n-- key: , \nSELECT 1",
      #"f:2:9: error: "key:" needs the name of a column"#),
    Example(
      "-- name: a\n-- view: \u{1B}c\nSELECT 1",
      "f:2:10: error: no view is called \"\u{241B}c\"; there are table, number, bar, line, "
        + "sparkline, gauge, histogram, log, heatmap"),
    Example(
      "-- name: hall of fame\nSELECT 1",
      #"f:1:15: error: a name is one word; "title:" can have several"#),
  ])
  func `a directive that makes no sense is told with its remedy`(_ example: Example) {
    check(example)
  }

  @Test(arguments: [
    Example(
      "-- name: a\nSELECT 1;\n\nSELECT 2;",
      #"f:4:1: error: a second query under "a"; put "-- name:" above it"#),
    Example(
      "-- name: a\nSELECT 1;\n\n-- name: a\nSELECT 2;",
      #"f:4:10: error: a panel is called "a" already, on line 1"#),
    Example(
      "-- name: a\n\nSELECT 1",
      "f:1:4: error: \"-- name:\" and what follows it must stand directly above the query, "
        + "without an empty line between"),
    Example(
      "-- name: a\n\n-- name: b\nSELECT 1", #"f:1:4: error: no query follows this "-- name:""#),
    Example(
      "SELECT 1;\n-- name: b\n", #"f:2:4: error: no query follows this "-- name:""#),
    Example(
      "-- name: a\nSELECT 1\n\n-- name: b\nSELECT 2;",
      #"f:4:4: error: the query above has no ";" at its end"#),
    Example(
      "-- view: bar\nSELECT 1",
      #"f:1:4: warning: "view:" has no effect without "-- name:" above it"#),
    Example(
      "-- layuot: a b\n\nSELECT 1",
      #"f:1:4: warning: "layuot:" has no effect, did you mean "layout"?"#),
    Example(
      "-- dashboard: a\n-- dashboard: b\nSELECT 1",
      #"f:2:4: error: "dashboard:" is given twice"#),
    Example(
      "SELECT 1;\n-- dashboard: a\n",
      #"f:2:4: error: "dashboard:" belongs at the head of the file, above the first query"#),
    Example("-- layout:\nSELECT 1", #"f:1:4: error: "layout:" needs a value"#),
    Example("", "f:1:1: error: there is no query in this dashboard"),
    Example("\n-- only prose\n;", "f:1:1: error: there is no query in this dashboard"),
  ])
  func `a file that makes no sense is told with its remedy`(_ example: Example) {
    check(example)
  }

  @Test(arguments: [
    Example("SELECT 'a", "f:1:8: error: this string has no end"),
    Example("SELECT 1;\n  /* a;", "f:2:3: error: this comment has no end"),
    Example("SELECT \"é\" \"a", "f:1:12: error: this name in double quotes has no end"),
    Example("SELECT `a", "f:1:8: error: this name in backquotes has no end"),
    Example("-- name: a\nSELECT 'a", "f:2:8: error: this string has no end"),
    Example("SELECT [a", "f:1:8: error: this name in brackets has no end"),
    Example(
      ".mode csv\nSELECT 1;",
      #"f:1:1: error: ".mode" is a command of the sqlite3 shell, not SQL; remove this line"#),
  ])
  func `text that cannot be split is told with its place`(_ example: Example) {
    check(example)
  }

  @Test(arguments: [
    Example(
      "-- layout: fmae\n-- name: fame\nSELECT 1;",
      #"f:1:12: error: the layout names "fmae", but no panel is called so, did you mean "fame"?"#),
    Example(
      "-- layout: a c\n-- name: a\nSELECT 1;",
      #"f:1:14: error: the layout names "c", but no panel is called so"#),
    Example(
      "-- layout: a b\n-- layout: a\n\n-- name: a\nSELECT 1;\n-- name: b\nSELECT 2;",
      "f:2:12: error: this row of the layout has 1 cell, the first one 2"),
    Example(
      "-- layout: a b\n-- layout: b a\n\n-- name: a\nSELECT 1;\n-- name: b\nSELECT 2;",
      #"f:1:12: error: the cells of "a" in the layout are not a rectangle"#,
      #"f:1:14: error: the cells of "b" in the layout are not a rectangle"#),
    Example(
      "-- layout: b b\n\n-- name: a\nSELECT 1;\n-- name: b\nSELECT 2;",
      #"f:3:10: warning: "a" is not in the layout, so it is not shown"#),
    Example(
      "-- layout: .\n-- name: a\nSELECT 1;",
      "f:1:12: warning: the layout names no panel, so it has no effect"),
    Example(
      "-- layout: . console\n-- name: a\nSELECT 1;",
      "f:1:12: warning: the layout names no panel, so it has no effect"),
  ])
  func `a layout that makes no sense is told with its place`(_ example: Example) {
    check(example)
  }

  @Test func `a bad layout is no layout`() {
    let text = "-- layout: a b\n-- layout: b a\n\n-- name: a\nSELECT 1;\n-- name: b\nSELECT 2;"
    #expect(DashboardParser.parse(text).definition.layout == [])
  }

  private func check(_ example: Example) {
    let diagnostics = DashboardParser.parse(example.text).diagnostics
    #expect(diagnostics.map { $0.rendered(file: "f") } == example.expected)
  }
}
