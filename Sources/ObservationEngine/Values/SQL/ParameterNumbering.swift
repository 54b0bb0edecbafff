/// The parameters of a statement, numbered from 1 as in SQLite: each `?` and each new name gets the
/// number after the highest so far; `?3` is 3.
///
/// See https://www.sqlite.org/lang_expr.html#varparam
struct ParameterNumbering {
  /// The number of each parameter, by its byte offset in the SQL.
  private(set) var numbers: [Int: Int] = [:]
  /// Their names, with the leading sign; `nil` for one without a name.
  private(set) var names: [String?] = []

  /// SQLite's own limit.
  private static let limit = 32_766

  /// - Throws: `DatabaseError` with code `range` for a number that SQLite refuses.
  init(_ tokens: [SQLToken]) throws(DatabaseError) {
    var known: [ExactText: Int] = [:]
    for token in tokens where token.kind == .parameter {
      let text = token.text
      let number =
        if text == "?" {
          names.count + 1
        } else if text.hasPrefix("?") {
          Int(text.dropFirst()) ?? 0
        } else {
          known[ExactText(text)] ?? names.count + 1
        }
      guard (1...Self.limit).contains(number) else {
        throw DatabaseError(
          code: .range,
          message: "\(text) isn't a parameter: they count from ?1 to ?\(Self.limit)")
      }
      names += Array(repeating: nil, count: max(0, number - names.count))
      if text != "?" {
        known[ExactText(text)] = number
        names[number - 1] = names[number - 1] ?? text
      }
      numbers[token.range.lowerBound] = number
    }
  }
}
