/// Cuts SQL text into tokens by the rules of SQLite's own tokenizer, or of PostgreSQL's.
///
///     SQLTokenizer.tokens(of: "SELECT \"a\" FROM t -- all").map(\.text)   // SELECT a FROM t
///
/// This is the only place that knows where a string, a name or a comment ends. The rules come from `sqlite3GetToken` in SQLite's tokenize.c. Only SQLite decides whether the
/// tokens form a statement. Those for PostgreSQL come from its scan.l: dollar quotes, `E'\''`, nested comments, `::`,
/// and of parameters `$1` and `:name` alone, which the program numbers.
package struct SQLTokenizer {
  private let bytes: [UInt8]
  private let dialect: SQLDialect
  private var position = 0
  /// The brackets that are open in PostgreSQL's text: whether each has the elements of an array, or is a subscript.
  private var brackets: [Bool] = []

  /// The tokens of `sql`, in order; text that can't be a token is of kind `invalid`.
  ///
  /// - Complexity: O(length).
  package static func tokens(of sql: String, dialect: SQLDialect = .sqlite) -> [SQLToken] {
    tokensAndComments(of: sql, dialect: dialect).filter { $0.kind != .comment }
  }

  /// The same with the comments between them.
  ///
  /// - Complexity: O(length).
  package static func tokensAndComments(
    of sql: String, dialect: SQLDialect = .sqlite
  ) -> [SQLToken] {
    var tokenizer = SQLTokenizer(Array(sql.utf8), dialect: dialect)
    var tokens: [SQLToken] = []
    while let token = tokenizer.next() { tokens.append(token) }
    return tokens
  }

  package init(_ bytes: [UInt8], dialect: SQLDialect = .sqlite) {
    self.bytes = bytes
    self.dialect = dialect
  }

  /// The next token or comment; nil at the end of the text.
  ///
  /// - Complexity: O(length of the token and the blanks before it).
  package mutating func next() -> SQLToken? {
    skipBlanks()
    guard let byte = peek(0) else { return nil }
    if dialect == .postgres, let token = postgresToken(byte) { return token }
    switch byte {
    case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"): return lineComment()
    case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*") && peek(2) != nil:
      return blockComment()
    case UInt8(ascii: "'"): return quoted(.string, until: byte)
    case UInt8(ascii: "\""), UInt8(ascii: "`"): return quoted(.quotedName, until: byte)
    case UInt8(ascii: "["): return bracketed()
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      return peek(1) == UInt8(ascii: "'") ? blob() : token(.word, while: Self.isNamePart)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
    case UInt8(ascii: ".") where peek(1).map(Self.isDigit) == true: return number()
    case UInt8(ascii: "?"): return token(.parameter, after: 1, while: Self.isDigit)
    case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"): return namedParameter()
    case _ where Self.isNamePart(byte): return token(.word, while: Self.isNamePart)
    default: return symbol(byte)
    }
  }

  private mutating func skipBlanks() {
    skip { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0C || $0 == 0x0D }
    // To SQLite, a byte order mark is blank before any token, and a letter within one.
    guard dialect == .sqlite, bytes[position...].starts(with: [0xEF, 0xBB, 0xBF]) else { return }
    position += 3
    skipBlanks()
  }

  /// Skips the rest of the line, and returns where it ends.
  package mutating func skipLine() -> Int {
    skip { $0 != UInt8(ascii: "\n") }
    return position
  }

  // MARK: - Kinds of tokens

  private mutating func lineComment() -> SQLToken {
    let start = position
    let end = skipLine()
    return made(.comment, from: start, isOpen: end == bytes.count)
  }

  private mutating func blockComment() -> SQLToken {
    let start = position
    position += 2
    while peek(0) != nil {
      if peek(0) == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
        position += 2
        return made(.comment, from: start)
      }
      position += 1
    }
    return made(.comment, from: start, isOpen: true)
  }

  private mutating func quoted(_ kind: SQLToken.Kind, until quote: UInt8) -> SQLToken {
    let start = position
    var content: [UInt8] = []
    position += 1
    while let byte = peek(0) {
      position += 1
      guard byte == quote else {
        content.append(byte)
        continue
      }
      // A doubled quote stands for itself.
      guard peek(0) == quote else { return made(kind, content, from: start) }
      content.append(quote)
      position += 1
    }
    return made(.invalid, content, from: start, isOpen: true)
  }

  private mutating func bracketed() -> SQLToken {
    let start = position
    while let byte = peek(0) {
      position += 1
      if byte == UInt8(ascii: "]") {
        return made(.quotedName, Array(bytes[(start + 1)..<(position - 1)]), from: start)
      }
    }
    return made(.invalid, Array(bytes[start...]), from: start, isOpen: true)
  }

  private mutating func blob() -> SQLToken {
    let start = position
    position += 1
    let digits = quoted(.blob, until: UInt8(ascii: "'"))
    let isWhole =
      digits.kind == .blob && digits.text.utf8.count % 2 == 0
      && digits.text.utf8.allSatisfy(Self.isHexadecimal)
    return made(
      isWhole ? .blob : .invalid, Array(digits.text.utf8), from: start, isOpen: digits.isOpen)
  }

  private mutating func number() -> SQLToken {
    let start = position
    if peek(0) == UInt8(ascii: "0"), peek(1).map({ $0 | 0x20 }) == UInt8(ascii: "x"),
      peek(2).map(Self.isHexadecimal) == true
    {
      position += 2
      skip(while: Self.isHexadecimal)
    } else {
      skip(while: Self.isDigit)
      if peek(0) == UInt8(ascii: ".") {
        position += 1
        skip(while: Self.isDigit)
      }
      if peek(0).map({ $0 | 0x20 }) == UInt8(ascii: "e") {
        let isSigned = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-")
        if peek(isSigned ? 2 : 1).map(Self.isDigit) == true {
          position += isSigned ? 2 : 1
          skip(while: Self.isDigit)
        }
      }
    }
    // Digits followed by letters are neither a number nor a name.
    guard let byte = peek(0), Self.isNamePart(byte) else { return made(.number, from: start) }
    skip(while: Self.isNamePart)
    return made(.invalid, from: start)
  }

  private mutating func namedParameter() -> SQLToken {
    let start = position
    var hasName = false
    position += 1
    while let byte = peek(0) {
      if Self.isNamePart(byte) {
        hasName = true
        position += 1
      } else if byte == UInt8(ascii: ":"), peek(1) == UInt8(ascii: ":") {
        // A Tcl variable in a namespace, `$a::b`, or with a suffix, `$a(b)`: one name to SQLite.
        position += 2
      } else if byte == UInt8(ascii: "("), hasName {
        skip { $0 != UInt8(ascii: ")") && !Self.isBlank($0) }
        guard peek(0) == UInt8(ascii: ")") else { return made(.invalid, from: start) }
        position += 1
        return made(.parameter, from: start)
      } else {
        break
      }
    }
    return made(hasName ? .parameter : .invalid, from: start)
  }

  private mutating func symbol(_ byte: UInt8) -> SQLToken {
    let start = position
    for symbol in Self.symbols where bytes[position...].starts(with: symbol.utf8) {
      position += symbol.utf8.count
      return made(.symbol, from: start)
    }
    position += 1
    return made(.invalid, from: start)
  }

  /// Longer symbols first: the first match wins.
  private static let symbols = [
    "->>", "->", "==", "<>", "<=", ">=", "<<", ">>", "!=", "||", "=", "<", ">", "+", "-", "*", "/",
    "%", "&", "|", "~", "(", ")", ",", ".", ";",
  ]

  // MARK: - PostgreSQL

  /// The next token, where PostgreSQL's rules are others than SQLite's; nil where they are the same.
  private mutating func postgresToken(_ byte: UInt8) -> SQLToken? {
    switch byte {
    case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): return nestedComment()
    case UInt8(ascii: "$"):
      if let end = dollarTag() { return dollarQuoted(end) }
      return peek(1).map(Self.isDigit) == true
        ? token(.parameter, after: 1, while: Self.isDigit)
        : token(.invalid, after: 1) { _ in false }
    case UInt8(ascii: ":"):
      if peek(1) == byte || peek(1) == UInt8(ascii: "=") {
        return token(.symbol, after: 2) { _ in false }
      }
      let startsName = peek(1).map { Self.isNamePart($0) && !Self.isDigit($0) } == true
      return startsName && !isSlice
        ? token(.parameter, after: 1) { Self.isNamePart($0) && $0 != UInt8(ascii: "$") }
        : token(.symbol, after: 1) { _ in false }
    case UInt8(ascii: "["), UInt8(ascii: "]"):
      if byte == UInt8(ascii: "[") { brackets.append(startsArray) } else { _ = brackets.popLast() }
      return token(.symbol, after: 1) { _ in false }
    case UInt8(ascii: ";"):
      brackets = []
      return nil
    case UInt8(ascii: "e"), UInt8(ascii: "E"):
      return peek(1) == UInt8(ascii: "'") ? escapeString() : nil
    case UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "b"), UInt8(ascii: "B"),
      UInt8(ascii: "n"), UInt8(ascii: "N"):
      // A bit string, or a national one.
      return peek(1) == UInt8(ascii: "'") ? prefixedString(after: 1) : nil
    case UInt8(ascii: "u"), UInt8(ascii: "U"):
      guard peek(1) == UInt8(ascii: "&"), let quote = peek(2) else { return nil }
      if quote == UInt8(ascii: "'") { return prefixedString(after: 2) }
      return quote == UInt8(ascii: "\"") ? prefixedString(after: 2, kind: .quotedName) : nil
    case _ where Self.isOperator(byte): return operatorToken()
    default: return nil
    }
  }

  /// All bytes before the next token, without the blanks at the end.
  private var bytesBefore: ArraySlice<UInt8> {
    let end = bytes[..<position].lastIndex { !Self.isBlank($0) }
    return bytes[..<(end.map { $0 + 1 } ?? 0)]
  }

  /// Whether a bracket begins the elements of an array, `ARRAY[1, 2]`, and no subscript.
  private var startsArray: Bool {
    let before = bytesBefore
    if brackets.last == true, let byte = before.last, "[,".utf8.contains(byte) { return true }
    let start = before.lastIndex { !Self.isNamePart($0) }.map { $0 + 1 } ?? 0
    return String(decoding: before[start...], as: UTF8.self).asciiLowercased == "array"
  }

  /// Whether a colon stands between the bounds of a subscript, as in `scores[1:n]` and `scores[:n]`.
  private var isSlice: Bool {
    guard brackets.last == false, let byte = bytesBefore.last else { return false }
    return byte != UInt8(ascii: "(") && byte != UInt8(ascii: ",") && !Self.isOperator(byte)
  }

  /// A comment, and those within it.
  private mutating func nestedComment() -> SQLToken {
    let start = position
    var depth = 0
    while let byte = peek(0) {
      if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
        depth += 1
        position += 2
      } else if byte == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
        depth -= 1
        position += 2
        if depth == 0 { return made(.comment, from: start) }
      } else {
        position += 1
      }
    }
    return made(.comment, from: start, isOpen: true)
  }

  /// The length of the `$tag$` here; nil when there is none.
  private func dollarTag() -> Int? {
    var length = 1
    while let byte = peek(length), Self.isNamePart(byte), byte != UInt8(ascii: "$") {
      if length == 1, Self.isDigit(byte) { return nil }
      length += 1
    }
    return peek(length) == UInt8(ascii: "$") ? length + 1 : nil
  }

  private mutating func dollarQuoted(_ length: Int) -> SQLToken {
    let start = position
    let tag = bytes[start..<start + length]
    position += length
    while position + length <= bytes.count {
      if bytes[position] == UInt8(ascii: "$"), bytes[position..<position + length] == tag {
        position += length
        return made(.string, Array(bytes[start + length..<position - length]), from: start)
      }
      position += 1
    }
    position = bytes.count
    return made(.invalid, Array(bytes[start...]), from: start, isOpen: true)
  }

  /// `E'…'`, in which a backslash escapes the next character.
  private mutating func escapeString() -> SQLToken {
    let start = position
    var content: [UInt8] = []
    position += 2
    while let byte = peek(0) {
      position += 1
      if byte == UInt8(ascii: "\\"), let next = peek(0) {
        content.append(next)
        position += 1
      } else if byte != UInt8(ascii: "'") {
        content.append(byte)
      } else if peek(0) == byte {
        content.append(byte)
        position += 1
      } else {
        return made(.string, content, from: start)
      }
    }
    return made(.invalid, content, from: start, isOpen: true)
  }

  private mutating func prefixedString(
    after count: Int, kind: SQLToken.Kind = .string
  ) -> SQLToken {
    let start = position
    position += count
    let text = quoted(kind, until: bytes[position])
    return made(text.kind, Array(text.text.utf8), from: start, isOpen: text.isOpen)
  }

  /// An operator of any length, which ends where a comment begins.
  private mutating func operatorToken() -> SQLToken {
    let start = position
    while let byte = peek(0), Self.isOperator(byte) {
      let pair = (byte, peek(1))
      let isComment =
        pair.0 == UInt8(ascii: "-") && pair.1 == UInt8(ascii: "-")
        || pair.0 == UInt8(ascii: "/") && pair.1 == UInt8(ascii: "*")
      if isComment { break }
      position += 1
    }
    if position > start { return made(.symbol, from: start) }
    // It begins with the comment.
    return lineComment()
  }

  private static func isOperator(_ byte: UInt8) -> Bool {
    "+-*/<>=~!@#%^&|`?".utf8.contains(byte)
  }

  // MARK: - Bytes

  private func peek(_ distance: Int) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  private mutating func skip(while isPart: (UInt8) -> Bool) {
    while let byte = peek(0), isPart(byte) { position += 1 }
  }

  private mutating func token(
    _ kind: SQLToken.Kind, after count: Int = 0, while isPart: (UInt8) -> Bool
  ) -> SQLToken {
    let start = position
    position += count
    skip(while: isPart)
    return made(kind, from: start)
  }

  private func made(
    _ kind: SQLToken.Kind, from start: Int, isOpen: Bool = false
  ) -> SQLToken {
    made(kind, Array(bytes[start..<position]), from: start, isOpen: isOpen)
  }

  private func made(
    _ kind: SQLToken.Kind, _ text: [UInt8], from start: Int, isOpen: Bool = false
  ) -> SQLToken {
    SQLToken(
      kind: kind, text: String(decoding: text, as: UTF8.self), range: start..<position,
      isOpen: isOpen)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D) ~= byte }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39) ~= byte }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x66) ~= byte | 0x20
  }

  /// Letters, digits, `_`, `$` and all beyond ASCII.
  private static func isNamePart(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x7A) ~= byte | 0x20 || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "$") || byte > 0x7F
  }
}
