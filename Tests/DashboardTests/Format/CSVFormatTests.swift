import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct CSVFormatTests {
  @Test func `a header and rows end in CR LF`() {
    let result = RowSet(columns: ["a", "b c"], rows: [[1, "x"], [2.5, nil]])
    #expect(printed(.csv, [("p", result)]) == "a,b c\r\n1,x\r\n2.5,\r\n")
  }

  @Test(
    arguments: [
      ("x\"y", "\"x\"\"y\""), ("a,b", "\"a,b\""), ("a\nb", "\"a\nb\""), ("a\r\nb", "\"a\r\nb\""),
      (" a", "\" a\""), ("a ", "\"a \""), ("it's a b", "it's a b"), ("", "\"\""), ("é", "é"),
      (nil, ""), (.blob([0, 255]), "X'00FF'"), (.real(0.1 + 0.2), "0.30000000000000004"),
    ] as [(Value, String)])
  func `a field has quotes where it has to`(_ value: Value, _ expected: String) {
    let result = RowSet(columns: ["v", "w"], rows: [[value, 1]])
    #expect(printed(.csv, [("p", result)]) == "v,w\r\n\(expected),1\r\n")
  }

  @Test func `NULL differs from the same text`() {
    let result = RowSet(columns: ["v"], rows: [[nil], ["NULL"], [""]])
    #expect(printed(.csv, [("p", result)], nullText: "NULL") == "v\r\nNULL\r\n\"NULL\"\r\n\"\"\r\n")
  }

  @Test func `nothing acts on a terminal`() {
    let result = RowSet(columns: ["\u{1B}[31m"], rows: [["\u{9B}m\u{202E}"]])
    let output = printed(.csv, [("p", result)], terminal: .unicode)
    #expect(!output.unicodeScalars.contains { ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0) })
  }
}
