import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct JSONFormatTests {
  private let two = RowSet(columns: ["a", "b"], rows: [[1, 2], [3, "x"]])

  @Test func `one result is an array, laid out as the sqlite3 shell does`() {
    #expect(printed(.json, [("p", two)]) == "[{\"a\":1,\"b\":2},\n{\"a\":3,\"b\":\"x\"}]\n")
  }

  @Test func `no rows are an empty array`() {
    #expect(printed(.json, [("p", RowSet(columns: ["a"], rows: []))]) == "[]\n")
  }

  @Test func `several results are an object of arrays by name`() {
    let panels = [("p", two), ("q\"", RowSet(columns: [], rows: []))]
    #expect(
      printed(.json, panels)
        == "{\"p\":[{\"a\":1,\"b\":2},\n{\"a\":3,\"b\":\"x\"}],\n\"q\\\"\":[]}\n")
  }

  @Test func `rows are lines in NDJSON`() {
    #expect(
      printed(.ndjson, [("p", two), ("q", two)])
        == String(repeating: "{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":\"x\"}\n", count: 2))
    #expect(printed(.ndjson, [("p", .empty)]) == "")
  }

  @Test(
    arguments: [
      (nil, "null"), (.integer(.max), "9223372036854775807"),
      (.integer(.min), "-9223372036854775808"),
      (1.0, "1.0"), (.blob([]), "{\"$blob\":\"\"}"), (.blob([0, 255, 65]), "{\"$blob\":\"AP9B\"}"),
      (.blob([0]), "{\"$blob\":\"AA==\"}"), (.blob([0xFB, 0xFF]), "{\"$blob\":\"+/8=\"}"),
      ("x\"y\\/", #""x\"y\\/""#), ("\t\n\r\u{8}\u{C}", #""\t\n\r\b\f""#),
      ("\u{1}\u{1B}\0", #""\u0001\u001b\u0000""#),
      ("\u{7F}\u{80}é\u{1F600}\u{2028}\u{FFFD}", "\"\u{7F}\u{80}é\u{1F600}\u{2028}\u{FFFD}\""),
    ] as [(Value, String)])
  func `a value is exact`(_ value: Value, _ expected: String) {
    let result = RowSet(columns: ["v"], rows: [[value]])
    #expect(printed(.ndjson, [("p", result)]) == "{\"v\":\(expected)}\n")
  }

  @Test func `what acts on a terminal is escaped for one`() {
    let result = RowSet(columns: ["\u{202E}"], rows: [["\u{7F}\u{9B}31m\u{E0001}é\u{1F600}"]])
    #expect(
      printed(.ndjson, [("p", result)], terminal: .unicode)
        == "{\"\\u202e\":\"\\u007f\\u009b31m\\udb40\\udc01é\u{1F600}\"}\n")
  }

  @Test(arguments: [
    (["x", "x", "x"], ["x", "x:1", "x:2"]),
    (["x", "x", "x", "x:1"], ["x", "x:1", "x:2", "x:3"]),
    (["x", "X", "y", "y"], ["x", "X:1", "y", "y:1"]),
    ([":1", ":1"], [":1", ":1:1"]), (["12", "12"], ["12", "12:1"]), (["", ""], ["", ":1"]),
    ([], []),
  ])
  func `repeated columns get numbers, as in a view of SQLite`(
    _ columns: [String], _ expected: [String]
  ) {
    #expect(ColumnNames.unique(columns) == expected)
  }
}
