/// A condition whose parameters all have names of their own, so that it means the same wherever it
/// stands in a statement that has further parameters.
///
///     "a > ? AND b = :b"  →  "a > :lq_where_1 AND b = :lq_where_2"
struct NamedCondition {
  let sql: String
  /// The values by the new names.
  let arguments: [String: Value]

  /// Gives each parameter the name of the index that SQLite would give it, and the value that
  /// `Statement.bind` would.
  ///
  /// - Throws: `DatabaseError` with code `range` when values are missing, or too many.
  init(_ condition: String, _ arguments: QueryArguments) throws(DatabaseError) {
    var text: [UInt8] = []
    var names: [String: Int] = [:]
    var parameters: [Int: String] = [:]
    var last = 0
    var scanner = SQLScanner(condition)
    while let piece = scanner.next() {
      guard let name = piece.parameter else {
        text += piece.bytes
        continue
      }
      let index: Int
      if name == "?" {
        index = last + 1
      } else if name.hasPrefix("?"), let number = Int(name.dropFirst()) {
        index = number
      } else {
        index = names[name] ?? last + 1
        names[name] = index
      }
      // SQLite's own limit; a larger one it refuses.
      guard (1...32_766).contains(index) else {
        throw DatabaseError(
          code: .range, message: "\(name) is no parameter: they count from ?1 to ?32766",
          sql: condition)
      }
      last = max(last, index)
      parameters[index] = parameters[index] ?? name
      text += ":lq_where_\(index)".utf8
    }
    sql = String(decoding: text, as: UTF8.self)
    self.arguments = try Self.values(parameters, count: last, arguments, condition)
  }

  private static func values(
    _ parameters: [Int: String], count: Int, _ arguments: QueryArguments, _ condition: String
  ) throws(DatabaseError) -> [String: Value] {
    var values: [String: Value] = [:]
    var next = 0
    for index in 0..<count {
      let name = parameters[index + 1]
      if let name, let value = arguments.named[String(name.dropFirst())] {
        values["lq_where_\(index + 1)"] = value
      } else if next < arguments.positional.count {
        values["lq_where_\(index + 1)"] = arguments.positional[next]
        next += 1
      } else {
        let told = name.map { $0 == "?" ? "?\(index + 1)" : $0 } ?? "?\(index + 1)"
        throw DatabaseError(
          code: .range, message: "parameter \(told) has no value", sql: condition)
      }
    }
    guard next == arguments.positional.count else {
      throw DatabaseError(
        code: .range, message: "\(arguments.positional.count) values for \(count) parameters",
        sql: condition)
    }
    return values
  }
}

/// Cuts SQL into strings, quoted names, comments, words and parameters.
private struct SQLScanner {
  struct Piece {
    let bytes: ArraySlice<UInt8>
    let isParameter: Bool
    /// The parameter with its prefix; `nil` for everything else.
    var parameter: String? { isParameter ? String(decoding: bytes, as: UTF8.self) : nil }
  }

  private let bytes: [UInt8]
  private var index = 0

  init(_ sql: String) { bytes = Array(sql.utf8) }

  mutating func next() -> Piece? {
    guard index < bytes.count else { return nil }
    let start = index
    var isParameter = false
    let byte = bytes[index]
    switch byte {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): skip(past: byte)
    case UInt8(ascii: "["): skip(past: UInt8(ascii: "]"))
    case UInt8(ascii: "-") where peek == byte: skip(past: 0x0a)
    case UInt8(ascii: "/") where peek == UInt8(ascii: "*"): skipComment()
    case UInt8(ascii: "?"):
      isParameter = true
      skipWord()
    case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"):
      skipWord()
      isParameter = index > start + 1
    default: skipWord()
    }
    return Piece(bytes: bytes[start..<index], isParameter: isParameter)
  }

  private var peek: UInt8? { index + 1 < bytes.count ? bytes[index + 1] : nil }

  /// Skips one byte, and the letters, digits and underscores after it: a name may hold a dollar.
  private mutating func skipWord() {
    let isWord = Self.isWord(bytes[index]) || Self.isPrefix(bytes[index])
    index += 1
    guard isWord else { return }
    while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x24, 0x80...: true
    default: false
    }
  }

  private static func isPrefix(_ byte: UInt8) -> Bool {
    [UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@")].contains(byte)
  }

  // A doubled quote ends one string and begins the next, which is the same here.
  private mutating func skip(past end: UInt8) {
    index += 1
    while index < bytes.count, bytes[index] != end { index += 1 }
    index = min(index + 1, bytes.count)
  }

  private mutating func skipComment() {
    index += 2
    while index < bytes.count {
      index += 1
      if bytes[index - 1] == UInt8(ascii: "/"), bytes[index - 2] == UInt8(ascii: "*") { return }
    }
  }
}
