/// A word of an alert rule.
struct AlertToken: Equatable {
  enum Kind: Equatable {
    /// A bare word: a column, or one of the language's words.
    case word
    /// A column in quotes.
    case quotedName
    case text
    case number
    /// A comparison, a parenthesis, or an invalid character.
    case sign
  }

  let kind: Kind
  /// The text without quotes.
  let text: String
  /// Its bytes in the rule.
  let range: Range<Int>

  /// The tokens of a rule, in order.
  ///
  /// - Throws: ``AlertSyntaxError`` for an unclosed quote.
  /// - Complexity: O(length).
  static func tokens(of rule: String) throws(AlertSyntaxError) -> [AlertToken] {
    let bytes = Array(rule.utf8)
    var tokens: [AlertToken] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
        index += 1
        continue
      }
      let token = try next(bytes, at: index)
      tokens.append(token)
      index = token.range.upperBound
    }
    return tokens
  }

  private static func next(_ bytes: [UInt8], at start: Int) throws(AlertSyntaxError) -> AlertToken {
    func end(_ isPart: (UInt8) -> Bool) -> Int {
      bytes[(start + 1)...].firstIndex { !isPart($0) } ?? bytes.count
    }
    func token(_ kind: Kind, to end: Int) -> AlertToken {
      AlertToken(
        kind: kind, text: String(decoding: bytes[start..<end], as: UTF8.self), range: start..<end)
    }
    let byte = bytes[start]
    let following = start + 1 < bytes.count ? bytes[start + 1] : 0
    let signs = [UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ".")]
    switch byte {
    case UInt8(ascii: "'"): return try quoted(bytes, at: start, by: byte, .text, "text")
    case UInt8(ascii: "\""), UInt8(ascii: "`"):
      return try quoted(bytes, at: start, by: byte, .quotedName, "name")
    case UInt8(ascii: "["):
      return try quoted(bytes, at: start, by: UInt8(ascii: "]"), .quotedName, "name")
    case _ where isDigit(byte) || signs.contains(byte) && (isDigit(following) || following == 0x2e):
      return token(.number, to: numberEnd(bytes, at: start))
    case _ where isWord(byte): return token(.word, to: end { isWord($0) || isDigit($0) })
    case _ where isComparison(byte): return token(.sign, to: end(isComparison))
    case UInt8(ascii: "&"), UInt8(ascii: "|"): return token(.sign, to: end { $0 == byte })
    default: return token(.sign, to: start + 1)
    }
  }

  /// A quote inside is doubled, as in SQL.
  private static func quoted(
    _ bytes: [UInt8], at start: Int, by quote: UInt8, _ kind: Kind, _ what: String
  ) throws(AlertSyntaxError) -> AlertToken {
    var content: [UInt8] = []
    var index = start + 1
    while index < bytes.count {
      if bytes[index] == quote {
        guard index + 1 < bytes.count, bytes[index + 1] == quote, quote != UInt8(ascii: "]") else {
          return AlertToken(
            kind: kind, text: String(decoding: content, as: UTF8.self), range: start..<index + 1)
        }
        index += 1
      }
      content.append(bytes[index])
      index += 1
    }
    throw AlertSyntaxError("this \(what) has no closing quote", at: start)
  }

  private static func numberEnd(_ bytes: [UInt8], at start: Int) -> Int {
    var index = start + 1
    while index < bytes.count {
      let byte = bytes[index]
      let isExponentSign =
        (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+"))
        && [UInt8(ascii: "e"), UInt8(ascii: "E")].contains(bytes[index - 1])
      guard isDigit(byte) || isWord(byte) || isExponentSign || byte == UInt8(ascii: ".") else {
        break
      }
      index += 1
    }
    if index < bytes.count, bytes[index] == UInt8(ascii: "%") { index += 1 }
    return index
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
    default: false
    }
  }

  private static func isComparison(_ byte: UInt8) -> Bool {
    [UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "="), UInt8(ascii: "!")].contains(byte)
  }
}
