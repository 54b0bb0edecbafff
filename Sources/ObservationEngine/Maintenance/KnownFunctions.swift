/// The SQL functions of which maintained queries may be made: built into SQLite, without side effects, dependent
/// on their arguments alone, and never failing. Those of dates depend on the time as well when they are given `now`.
///
/// One that can fail could fail for a row in the whole query, and not for the changed row by itself, because SQLite
/// evaluates the terms of a WHERE in the order that suits its plan.
enum KnownFunctions {
  static let scalar: Set<String> = [
    "ceil", "ceiling", "coalesce", "exp", "floor", "ifnull", "iif", "instr", "length", "likely",
    "ln", "log", "log10", "log2", "lower", "ltrim", "max", "min", "mod", "nullif", "pow", "power",
    "round", "rtrim", "sign", "sqrt", "substr", "substring", "trim", "trunc", "typeof", "unicode",
    "unlikely", "upper",
  ]

  static let aggregates: Set<String> = ["count", "sum", "avg", "total", "min", "max"]

  /// Whether a call of one of SQLite's date functions begins with a word.
  static func isDate(_ token: SQLToken) -> Bool {
    token.kind == .word && dates[token.text.asciiLowercased] != nil
  }

  /// Which argument of a date function is a time; modifiers follow it.
  static let dates: [String: Int] = [
    "date": 0, "time": 0, "datetime": 0, "julianday": 0, "unixepoch": 0, "strftime": 1,
  ]

  /// Words that may stand before a parenthesis and call nothing.
  private static let keywords: Set<String> = [
    "and", "as", "between", "by", "case", "cast", "distinct", "else", "exists", "filter", "from",
    "glob", "having", "in", "is", "join", "like", "not", "on", "or", "over", "select", "then",
    "using", "when", "where",
  ]

  /// Checks what an expression calls, and how it compares.
  ///
  /// - Returns: The columns that are times, folded.
  /// - Throws: ``NotMaintainable`` that names the first call that isn't known.
  /// - Complexity: O(tokens).
  static func check(_ tokens: SelectText.Tokens) throws -> Set<String> {
    var times: Set<String> = []
    for index in tokens.indices {
      let token = tokens[index]
      let next = index + 1 < tokens.endIndex ? tokens[index + 1] : nil
      if next?.isSymbol("(") == true, let name = token.name {
        let folded = name.asciiLowercased
        if token.kind == .word, let place = dates[folded] {
          times.formUnion(try checkDate(name, tokens[(index + 1)...], time: place))
          continue
        }
        guard token.kind == .word,
          scalar.contains(folded) || aggregates.contains(folded) || keywords.contains(folded)
            || WindowCall.functions.contains(folded)
        else { throw NotMaintainable("it calls \(name)()") }
      }
      if token.isWord("in"), next?.isSymbol("(") != true {
        throw NotMaintainable("IN with a table")
      }
      if token.isWord("like") || token.isWord("glob") { try checkPattern(tokens[(index + 1)...]) }
    }
    return times
  }

  /// Checks the arguments of a date function: its time is a column, a constant, or another such call.
  private static func checkDate(
    _ name: String, _ rest: SelectText.Tokens, time place: Int
  ) throws -> Set<String> {
    let arguments = try SelectText.list(rest[..<(rest.closing ?? rest.endIndex)].dropFirst())
    guard place < arguments.count else { throw NotMaintainable("it depends on the time") }
    for (index, argument) in arguments.enumerated() where index != place {
      // The time zone is a setting of the computer.
      guard argument.count == 1, let text = argument.first, text.kind == .string,
        !["localtime", "utc"].contains(text.text.asciiLowercased)
      else { throw NotMaintainable("it calls \(name)() with what isn't constant") }
    }
    let time = arguments[place]
    guard let first = time.first, let last = time.last else { return [] }
    if time.count == 1, first.kind != .word, first.kind != .quotedName { return [] }
    if let column = last.name,
      time.count == 1 || time.count == 3 && time[time.startIndex + 1].isSymbol(".")
    {
      return [column.asciiLowercased]
    }
    if first.kind == .word, dates[first.text.asciiLowercased] != nil, time.count > 3,
      time[time.startIndex + 1].isSymbol("("), last.isSymbol(")")
    {
      return []
    }
    throw NotMaintainable("it calls \(name)() with an expression")
  }

  /// A pattern that is too long fails: a constant one does so at once, and then there is no result to maintain.
  private static func checkPattern(_ rest: SelectText.Tokens) throws {
    guard let pattern = rest.first, pattern.kind == .string || pattern.kind == .parameter else {
      throw NotMaintainable("a pattern that isn't constant")
    }
    guard let next = rest.dropFirst().first else { return }
    guard next.kind == .word || next.isSymbol(")") || next.isSymbol(",") || next.kind == .quotedName
    else { throw NotMaintainable("a pattern that isn't constant") }
  }

  /// All names that an expression calls, in lower case, without keywords.
  static func calls(_ tokens: SelectText.Tokens) -> Set<String> {
    var names: Set<String> = []
    for index in tokens.indices.dropLast() where tokens[index + 1].isSymbol("(") {
      guard let name = tokens[index].name?.asciiLowercased else { continue }
      if scalar.contains(name) || aggregates.contains(name) || dates[name] != nil
        || WindowCall.functions.contains(name)
      {
        names.insert(name)
      }
    }
    for token in tokens where token.isWord("like") || token.isWord("glob") {
      names.insert(token.text.asciiLowercased)
    }
    return names
  }
}
