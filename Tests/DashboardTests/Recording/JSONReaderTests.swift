import Testing

@testable import Dashboard

@Suite struct JSONReaderTests {
  private func read(_ text: String) throws(JSONReader.Failure) -> JSONValue {
    try JSONReader.read(Array(text.utf8))
  }

  @Test func `values of each kind are read`() throws {
    let value = try read(
      #" { "a" : [ 1 , -2.5e3 , true , false , null , "x" ] , "b" : {} , "c" : [] } "#)
    #expect(
      value["a"]
        == .array([.number("1"), .number("-2.5e3"), .bool(true), .bool(false), .null, .string("x")])
    )
    #expect(value["b"] == .object([]))
    #expect(value["c"]?.elements == [])
    #expect(value["d"] == nil)
  }

  @Test(
    arguments: [
      (#""a\n\t\r\b\f\"\\\/z""#, "a\n\t\r\u{8}\u{c}\"\\/z"), (#""\u00e9\ud83d\ude00é""#, "é😀é"),
      (#""\ud83d""#, "\u{fffd}"), (#""\ud83dx""#, "\u{fffd}x"),
    ])
  func `texts are unescaped`(_ json: String, _ text: String) throws {
    #expect(try read(json) == .string(text))
  }

  @Test(
    arguments: [
      "", " ", "{", "[", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "1 2", "tru",
      "\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12", "\"\u{1}\"", "+1", ".5", "--1", "1e", "nul",
      "]", "'a'", "NaN", "\"\\ud83d\\u\"",
    ])
  func `what is no JSON is refused`(_ text: String) {
    #expect(throws: JSONReader.Failure.self) { try read(text) }
  }

  @Test func `depth has a limit, and no end of the stack`() {
    #expect(throws: JSONReader.Failure(message: "nested too deeply", offset: 64)) {
      try read(String(repeating: "[", count: 1_000_000))
    }
  }

  @Test func `bytes that are no UTF-8 are refused within a text`() {
    #expect(throws: JSONReader.Failure.self) { try JSONReader.read([0x22, 0xff, 0x22]) }
  }

  @Test func `what Base64 writes it reads`() {
    for count in 0..<20 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count) }
      #expect(Base64.bytes(Base64.text(bytes)) == bytes)
    }
    for text in ["a", "ab=", "a===", "ab=c", "é===", "=abc"] { #expect(Base64.bytes(text) == nil) }
  }
}
