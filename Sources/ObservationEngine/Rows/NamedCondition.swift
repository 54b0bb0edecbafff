/// A condition whose parameters all have names, so that it means the same wherever it stands in a
/// statement with further parameters.
///
///     "a > ? AND b = :b"  →  "a > :lq_where_1 AND b = :lq_where_2"
struct NamedCondition {
  let sql: String
  /// The values, by the new names.
  let arguments: [String: Value]

  /// Names each parameter after the index that SQLite would give it, with the value that
  /// `Statement.bind` would give it.
  ///
  /// - Throws: `DatabaseError` with code `range` when there are too few or too many values.
  init(_ sql: SQL) throws(DatabaseError) {
    let condition = sql.text
    let bytes = Array(condition.utf8)
    let tokens = SQLTokenizer.tokens(of: condition)
    let numbering: ParameterNumbering
    do { numbering = try ParameterNumbering(tokens) } catch {
      throw DatabaseError(code: error.code, message: error.message, sql: condition)
    }
    var text: [UInt8] = []
    var copied = 0
    for token in tokens {
      guard let number = numbering.numbers[token.range.lowerBound] else { continue }
      text += bytes[copied..<token.range.lowerBound]
      text += ":\(Self.name(number))".utf8
      copied = token.range.upperBound
    }
    text += bytes[copied...]
    self.sql = String(decoding: text, as: UTF8.self)
    let values = try sql.arguments.values(ofParameters: numbering.names, sql: condition)
    self.arguments = Dictionary(
      uniqueKeysWithValues: values.enumerated().map { (Self.name($0 + 1), $1) })
  }

  private static func name(_ number: Int) -> String { "lq_where_\(number)" }
}
