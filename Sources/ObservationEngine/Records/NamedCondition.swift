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
    let bytes = Array(condition.utf8)
    var text: [UInt8] = []
    var copied = 0
    var names: [String: Int] = [:]
    var parameters: [Int: String] = [:]
    var last = 0
    for token in SQLTokenizer.tokens(of: condition) where token.kind == .parameter {
      let name = token.text
      let index: Int
      if name == "?" {
        index = last + 1
      } else if name.hasPrefix("?") {
        index = Int(name.dropFirst()) ?? 0
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
      text += bytes[copied..<token.range.lowerBound]
      text += ":lq_where_\(index)".utf8
      copied = token.range.upperBound
    }
    text += bytes[copied...]
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
