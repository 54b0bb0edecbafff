/// The SQL functions of which maintained queries may be made: built into SQLite, without side effects, dependent
/// on their arguments alone. Those of dates depend on the time as well when they are given `now`.
enum KnownFunctions {
  /// They never fail.
  static let scalar: Set<String> = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "char",
    "coalesce", "cos", "cosh", "degrees", "exp", "floor", "if", "ifnull", "iif", "instr",
    "json_valid", "length", "likely", "ln", "log", "log10", "log2", "lower", "ltrim", "max", "min",
    "mod", "nullif", "octet_length", "pi", "pow", "power", "radians", "round", "rtrim", "sign",
    "sin", "sinh", "sqrt", "substr", "substring", "tan", "tanh", "trim", "trunc", "typeof",
    "unicode", "unlikely", "upper",
  ]

  /// They fail for some arguments: for the least integer, for text that isn't JSON, for a BLOB that can't be in JSON, or
  /// where they make a longer text than SQLite allows.
  private static let fallible: Set<String> = json.union([
    "abs", "concat", "concat_ws", "format", "hex", "json_array_length", "json_type", "printf",
    "quote", "replace",
  ])

  /// What they return is JSON to a function of which it is an argument, until it is stored: then it is a text like others.
  private static let json: Set<String> = [
    "json", "json_array", "json_extract", "json_group_array", "json_group_object", "json_insert",
    "json_object", "json_patch", "json_quote", "json_remove", "json_replace", "json_set",
  ]

  private static let formats: Set<String> = ["format", "printf"]

  static let aggregates: Set<String> = ["count", "sum", "avg", "total", "min", "max"]

  /// Aggregates that depend on the order of the rows, whatever their values are.
  static let collecting: Set<String> = [
    "group_concat", "json_group_array", "json_group_object", "string_agg",
  ]

  /// Which argument those of them put into JSON as it is that do so.
  static let placesOfJSON = ["json_group_array": 0, "json_group_object": 1]

  /// Whether an expression calls a function to which JSON is another thing than a text.
  ///
  /// - Complexity: O(tokens).
  static func callsJSON(_ tokens: SelectText.Tokens) -> Bool {
    tokens.contains { $0.kind == .word && json.contains($0.text.asciiLowercased) }
  }

  /// Whether an expression has JSON in it that a function takes otherwise than a text.
  ///
  /// - Complexity: O(tokens).
  static func hasJSON(_ tokens: SelectText.Tokens) -> Bool {
    tokens.indices.contains { place in
      let token = tokens[place]
      return token.isSymbol("->") || token.isSymbol("->>")
        || token.kind == .word && json.contains(token.text.asciiLowercased)
          && place + 1 < tokens.endIndex && tokens[place + 1].isSymbol("(")
    }
  }

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
        if token.kind == .word, formats.contains(folded) {
          try checkFormat(name, tokens[(index + 2)...])
          continue
        }
        if token.isWord("values") { throw NotMaintainable("VALUES in an expression") }
        if folded == "json_valid" { try checkFlags(name, tokens[(index + 1)...]) }
        guard token.kind == .word,
          scalar.contains(folded) || fallible.contains(folded) || aggregates.contains(folded)
            || collecting.contains(folded) || keywords.contains(folded)
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

  /// Checks the arguments of a date function: its time is a column, perhaps its least or greatest value, a constant, another
  /// such call, or something that is never the text `now`.
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
    var time = arguments[place]
    if isNeverNow(time) { return [] }
    if let inside = callArguments(of: ["max", "min"], in: time), inside.count == 1 {
      time = inside[0]
    }
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

  /// Whether an expression is certain to be another value than the text `now`: a number, NULL, or a text with what that
  /// hasn't.
  private static func isNeverNow(_ tokens: SelectText.Tokens) -> Bool {
    var tokens = tokens
    while tokens.first?.isSymbol("(") == true, tokens.closing == tokens.endIndex - 1 {
      tokens = tokens.dropFirst().dropLast()
    }
    if callArguments(of: ["abs", "ceil", "ceiling", "floor", "length", "round"], in: tokens) != nil
    {
      return true
    }
    if tokens.first?.isWord("cast") == true, tokens.dropFirst().closing == tokens.endIndex - 1,
      let type = tokens.dropLast().last, tokens.dropLast(2).last?.isWord("as") == true
    {
      return ["bigint", "int", "integer", "numeric", "real"].contains { type.isWord($0) }
    }
    var (depth, isNumber, hasOther) = (0, false, false)
    for index in tokens.indices {
      let token = tokens[index]
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      guard depth == 0 else { continue }
      // CASE returns any of its values; other operators that are words return numbers, but bind in other ways.
      if token.kind == .word,
        keywords.contains(token.text.asciiLowercased)
          || token.isWord("collate") || token.isWord("end")
      {
        return false
      }
      let isBinary = index > tokens.startIndex && SelectText.endsExpression(tokens[index - 1])
      if isBinary, ["+", "-", "*", "/", "%"].contains(where: { token.isSymbol($0) }) {
        isNumber = true
      }
      if token.kind == .string, token.text.utf8.contains(where: { $0 < 0x41 }) { hasOther = true }
    }
    // A text to which a digit or a hyphen is added has it, unless something is taken out of it again.
    let isJoined =
      tokens.contains { $0.isSymbol("||") }
      && !tokens.contains { $0.isSymbol("->") || $0.isSymbol("->>") }
    return isNumber || isJoined && hasOther
  }

  /// The arguments of a call that is all of an expression; `nil` for anything else.
  private static func callArguments(
    of names: Set<String>, in tokens: SelectText.Tokens
  ) -> [SelectText.Tokens]? {
    guard let name = tokens.first, name.kind == .word, names.contains(name.text.asciiLowercased),
      tokens.dropFirst().first?.isSymbol("(") == true,
      tokens.dropFirst().closing == tokens.endIndex - 1
    else { return nil }
    return try? SelectText.list(tokens.dropFirst(2).dropLast())
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

  /// The second argument of `json_valid()` says what counts as valid, and fails for most numbers.
  private static func checkFlags(_ name: String, _ rest: SelectText.Tokens) throws {
    let arguments = try SelectText.list(rest[..<(rest.closing ?? rest.endIndex)].dropFirst())
    guard arguments.count == 1 else { throw NotMaintainable("it calls \(name)() with flags") }
  }

  /// A width that comes from a row could make a text that is too long.
  private static func checkFormat(_ name: String, _ arguments: SelectText.Tokens) throws {
    guard let format = arguments.first, format.kind == .string,
      let next = arguments.dropFirst().first,
      next.isSymbol(",") || next.isSymbol(")"), !format.text.utf8.contains(UInt8(ascii: "*"))
    else { throw NotMaintainable("it calls \(name)() with a format that isn't constant") }
  }

  /// Whether a token is an operator, or begins a call, that can fail.
  static func canFail(_ tokens: SelectText.Tokens, at place: Int) -> Bool {
    let token = tokens[place]
    if token.isSymbol("->") || token.isSymbol("->>") { return true }
    return token.kind == .word && fallible.contains(token.text.asciiLowercased)
      && place + 1 < tokens.endIndex && tokens[place + 1].isSymbol("(")
  }

  /// The first word of an expression that can fail.
  ///
  /// - Complexity: O(tokens).
  static func firstFallible(in tokens: SelectText.Tokens) -> String? {
    tokens.indices.first { canFail(tokens, at: $0) }.map { tokens[$0].text }
  }

  /// Whether a parenthesis behind a token has the arguments of a call.
  static func isCall(_ token: SQLToken) -> Bool {
    let name = token.text.asciiLowercased
    return token.kind == .word
      && (scalar.contains(name) || fallible.contains(name) || dates[name] != nil)
  }

  /// All names that an expression calls, in lower case, without keywords.
  static func calls(_ tokens: SelectText.Tokens) -> Set<String> {
    var names: Set<String> = []
    for index in tokens.indices.dropLast() where tokens[index + 1].isSymbol("(") {
      guard let name = tokens[index].name?.asciiLowercased else { continue }
      if scalar.contains(name) || fallible.contains(name)
        || aggregates.contains(name) || collecting.contains(name) || dates[name] != nil
        || WindowCall.functions.contains(name)
      {
        names.insert(name)
      }
    }
    let operators: Set<String> = ["like", "glob", "->", "->>"]
    for token in tokens where token.kind == .word || token.kind == .symbol {
      let name = token.text.asciiLowercased
      if operators.contains(name) { names.insert(name) }
    }
    return names
  }
}
