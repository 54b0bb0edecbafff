import TestSupport
import Testing

@testable import ObservationEngine

/// SQL text as SQLite's tokenizer cuts it.
struct SQLTokenizerTests {
  /// The tokens as `kind text`.
  private func tokens(_ sql: String) -> [String] {
    SQLTokenizer.tokens(of: sql).map { "\($0.kind) \($0.text)" }
  }

  @Test func `a byte order mark before a token is blank, and within one a letter`() {
    let texts = SQLTokenizer.tokens(of: "\u{feff}SELECT\u{feff} \u{feff}\u{feff}a").map(\.text)
    #expect(texts == ["SELECT\u{feff}", "a"])
  }

  @Test
  func `words, names in each kind of quotes, and strings are told apart`() {
    #expect(
      tokens("SELECT \"a\"\"b\", [c \"d], `e``f`, 'it''s', é$1 FROM t_2")
        == [
          "word SELECT", "quotedName a\"b", "symbol ,", "quotedName c \"d", "symbol ,",
          "quotedName e`f", "symbol ,", "string it's", "symbol ,", "word é$1", "word FROM",
          "word t_2",
        ])
  }

  @Test
  func `numbers, blobs and operators have SQLite's forms`() {
    #expect(
      tokens("1 1.5 .5 1. 1e3 1.e-3 0xFf x'00ff' X'' x a->>b a->b ||!=<>==<<>=~")
        == [
          "number 1", "number 1.5", "number .5", "number 1.", "number 1e3", "number 1.e-3",
          "number 0xFf", "blob 00ff", "blob ", "word x", "word a", "symbol ->>", "word b",
          "word a", "symbol ->", "word b", "symbol ||", "symbol !=", "symbol <>", "symbol ==",
          "symbol <<", "symbol >=", "symbol ~",
        ])
    #expect(tokens("t.1") == ["word t", "number .1"])
    #expect(tokens("1e") == ["invalid 1e"])
  }

  @Test
  func `parameters keep their prefix`() {
    #expect(
      tokens("? ?12 :a @b1 $c::d $e(f) ?x")
        == [
          "parameter ?", "parameter ?12", "parameter :a", "parameter @b1", "parameter $c::d",
          "parameter $e(f)", "parameter ?", "word x",
        ])
  }

  @Test
  func `comments and blanks are no tokens`() {
    #expect(
      tokens("a--b'c\n/* d \" */e/**/-f\t\u{0C}/ g /* no end")
        == ["word a", "word e", "symbol -", "word f", "symbol /", "word g"])
    #expect(tokens(" -- nothing") == [])
    #expect(tokens("") == [])
  }

  @Test
  func `comments are tokens for those who ask for them`() {
    #expect(
      SQLTokenizer.tokensAndComments(of: "a--b'c\n/* d */e -- f").map { "\($0.kind) \($0.text)" }
        == ["word a", "comment --b'c", "comment /* d */", "word e", "comment -- f"])
  }

  @Test(arguments: [
    ("'a", true), ("'a'", false), ("\"a\"\"", true), ("`a`", false), ("[a", true), ("[a]", false),
    ("x'0", true), ("x'0'", false), ("a -- b", true), ("a -- b\n", false), ("/* a", true),
    ("/* a */", false), ("/*/", true), ("1a", false), ("a", false),
  ])
  func `a token is open if the text ends within it`(_ sql: String, _ isOpen: Bool) {
    #expect(SQLTokenizer.tokensAndComments(of: sql).last?.isOpen == isOpen)
  }

  @Test(arguments: ["'a", "\"a", "[a", "`a", "x'0'", "x'0g'", "1a", "0x", ":", "#", "{", "a!b"])
  func `what SQLite would refuse is invalid`(_ sql: String) {
    #expect(SQLTokenizer.tokens(of: sql).contains { $0.kind == .invalid })
  }

  @Test
  func `ranges are the bytes of each token`() {
    let sql = "SELECT 'é', \"x\"\"y\" /* c */ FROM [t]"
    let bytes = Array(sql.utf8)
    #expect(
      SQLTokenizer.tokens(of: sql).map { String(decoding: bytes[$0.range], as: UTF8.self) }
        == ["SELECT", "'é'", ",", "\"x\"\"y\"", "FROM", "[t]"])
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `no text is too odd to be cut, and nothing is lost`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let pieces = [
      "'", "\"", "`", "[", "]", "x'", "/*", "*/", "--", "\n", "a", "1", ".", "e", "0x", "?", ":",
      "$", "(", ")", "-", ">", "=", "é", " ", "\u{0}",
    ]
    for _ in 0..<2_000 {
      let sql = (0..<Int.random(in: 0...12, using: &random))
        .map { _ in pieces.randomElement(using: &random)! }.joined()
      var end = 0
      for token in SQLTokenizer.tokens(of: sql) {
        #expect(token.range.lowerBound >= end && !token.range.isEmpty, "seed \(seed): \(sql)")
        end = token.range.upperBound
      }
      #expect(end <= sql.utf8.count, "seed \(seed): \(sql)")
    }
  }
}
