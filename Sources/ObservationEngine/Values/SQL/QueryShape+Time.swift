/// Whether a result changes with time, without any commit.
package enum TimeDependence: Sendable, Equatable {
  /// It doesn't.
  case none
  /// It may, because of this function.
  case always(reason: String)
  /// It may when a parameter is bound to the text `now`, because of this function.
  case whenBoundToNow(reason: String)

  /// The stronger of two.
  package func union(_ other: TimeDependence) -> TimeDependence {
    switch (self, other) {
    case (.always, _), (_, .none): self
    case (_, .always), (.none, _): other
    case (.whenBoundToNow, .whenBoundToNow): self
    }
  }

  /// Why the result of a statement run with `arguments` depends on time; `nil` when it doesn't.
  package func reason(arguments: QueryArguments) -> String? {
    switch self {
    case .none: return nil
    case .always(let reason): return reason
    case .whenBoundToNow(let reason):
      let values = arguments.positional + arguments.named.values
      return values.contains(where: QueryShape.isNow) ? reason : nil
    }
  }
}

extension QueryShape {
  /// Whether a statement may return a different result at another time from the same rows.
  ///
  ///     SELECT * FROM task WHERE due < date('now')      // always: date('now')
  ///     SELECT date(created) FROM task                  // none
  ///     SELECT * FROM task WHERE due < datetime(?)      // when bound to 'now'
  ///     WITH p(t) AS (SELECT 'now') SELECT date(t) FROM p      // always: a column may have it
  ///
  /// Time-dependent are `current_date` and its kin, `random()`, `randomblob()`, and SQLite's date
  /// and time functions when they ask for the present: with `'now'` (or `'subsec'`), or without a
  /// time. `changes()`, `total_changes()` and `last_insert_rowid()` count as well: they depend on
  /// the connection that runs the query, and no commit reports when they change.
  ///
  /// - Parameters:
  ///   - texts: The statement, and the definitions of the views that it reads.
  ///   - functions: The SQL functions that it calls, including those of its views, in lower case,
  ///     as SQLite's authorizer reported them. Other functions are not searched for.
  ///
  /// ## Limits
  /// A time that comes from a table or a table-valued function with the text `now`, or that operators compose, is not
  /// recognised; neither is a function that the application defined.
  ///
  /// - Complexity: O(length of the texts); O(functions) when no date or time function is among
  ///   them.
  package static func timeDependence(
    _ texts: [String], functions: Set<String>
  ) -> TimeDependence {
    if let name = functions.intersection(restless).min() { return .always(reason: "\(name)()") }
    if let name = functions.intersection(currentWords).min() {
      return .always(reason: name.asciiUppercased)
    }
    let clocks = functions.intersection(timeArguments.keys)
    guard !clocks.isEmpty else { return .none }
    let statements = texts.map { SQLTokenizer.tokens(of: $0) }
    let found = statements.reduce(TimeDependence.none) { found, tokens in
      found.union(dependence(of: tokens, on: clocks))
    }
    return found.union(columnDependence(of: statements, on: clocks))
  }

  /// Whether any of these functions, in lower case, may return a different result at another time.
  package static func areRestless(_ functions: Set<String>) -> Bool {
    !functions.isDisjoint(with: restless) || !functions.isDisjoint(with: currentWords)
      || functions.contains { timeArguments[$0] != nil }
  }

  /// Whether SQLite's date functions, as `tokens` call them, ask for the present.
  static func dependsOnTime(_ tokens: [SQLToken]) -> Bool {
    if case .always = dependence(of: tokens, on: Set(timeArguments.keys)) { true } else { false }
  }

  /// Whether SQLite reads this value as the present time: it takes a BLOB for a text, and a text up to its first NUL.
  static func isNow(_ value: Value) -> Bool {
    switch value {
    case .text(let text): isNow(word: text)
    case .blob(let bytes): isNow(word: String(decoding: bytes, as: UTF8.self))
    case .null, .integer, .real, .date: false
    }
  }

  private static func isNow(word text: String) -> Bool {
    ["now", "subsec", "subsecond"].contains(String(text.prefix { $0 != "\0" }).asciiLowercased)
  }

  private static let restless: Set<String> = [
    "random", "randomblob", "changes", "total_changes", "last_insert_rowid",
  ]
  private static let currentWords: Set<String> = [
    "current_date", "current_time", "current_timestamp",
  ]
  /// Which arguments of a function are times. A call without them uses the present.
  private static let timeArguments: [String: [Int]] = [
    "date": [0], "time": [0], "datetime": [0], "julianday": [0], "unixepoch": [0],
    "strftime": [1], "timediff": [0, 1],
  ]

  private static func dependence(
    of tokens: [SQLToken], on clocks: Set<String>
  ) -> TimeDependence {
    times(in: tokens, of: clocks).reduce(.none) { found, time in
      guard let argument = time.argument else {
        return found.union(.always(reason: "\(time.function)() without a time"))
      }
      return found.union(dependence(of: argument, in: time.function))
    }
  }

  /// Whether a column that a function takes for a time may be `now`: a text or a parameter of a SELECT in FROM or WITH, or
  /// of a view, as in `FROM (SELECT 'now' AS t)`.
  private static func columnDependence(
    of statements: [[SQLToken]], on clocks: Set<String>
  ) -> TimeDependence {
    let reader = statements.lazy.flatMap { times(in: $0, of: clocks) }.first { time in
      time.argument?.contains { $0.name != nil } ?? false
    }
    guard let reader else { return .none }
    let reason = "\(reader.function)() of a column that is 'now'"
    let tokens = inner(statements.first ?? []) + statements.dropFirst().joined()
    if tokens.contains(where: { isText($0) && isNow(word: $0.text) }) {
      return .always(reason: reason)
    }
    return tokens.contains { $0.kind == .parameter } ? .whenBoundToNow(reason: reason) : .none
  }

  /// The tokens within SELECTs and VALUES in parentheses.
  private static func inner(_ tokens: [SQLToken]) -> [SQLToken] {
    // Of each parenthesis that is open, whether it or one around it has a SELECT.
    var open: [Bool] = []
    var found: [SQLToken] = []
    for (index, token) in tokens.enumerated() {
      if token.isSymbol("(") {
        let next = index + 1 < tokens.count ? tokens[index + 1] : token
        open.append(open.last == true || ["select", "values", "with"].contains(where: next.isWord))
      } else if token.isSymbol(")") {
        _ = open.popLast()
      } else if open.last == true {
        found.append(token)
      }
    }
    return found
  }

  /// What calls of these functions take for times; no argument where a call has none.
  private static func times(
    in tokens: [SQLToken], of clocks: Set<String>
  ) -> [(function: String, argument: ArraySlice<SQLToken>?)] {
    tokens.indices.flatMap { index -> [(function: String, argument: ArraySlice<SQLToken>?)] in
      guard let name = tokens[index].name?.asciiLowercased, clocks.contains(name),
        index + 1 < tokens.count, tokens[index + 1].isSymbol("(")
      else { return [] }
      let arguments = arguments(tokens[(index + 2)...])
      return (timeArguments[name] ?? []).map {
        (name, $0 < arguments.count ? arguments[$0] : nil)
      }
    }
  }

  private static func dependence(
    of argument: ArraySlice<SQLToken>, in function: String
  ) -> TimeDependence {
    let isNow = argument.contains { isText($0) && Self.isNow(word: $0.text) }
    if isNow { return .always(reason: "\(function)('now')") }
    if argument.contains(where: { $0.kind == .parameter }) {
      return .whenBoundToNow(reason: "\(function)('now')")
    }
    return .none
  }

  /// Also in double quotes: SQLite reads that as a string when there is no such column.
  private static func isText(_ token: SQLToken) -> Bool {
    token.kind == .string || token.kind == .quotedName
  }

  /// The arguments of a call, from behind its opening parenthesis.
  private static func arguments(_ tokens: ArraySlice<SQLToken>) -> [ArraySlice<SQLToken>] {
    var arguments: [ArraySlice<SQLToken>] = []
    var depth = 0
    var start = tokens.startIndex
    for index in tokens.indices {
      if tokens[index].isSymbol("(") { depth += 1 }
      let isEnd = depth == 0 && tokens[index].isSymbol(")")
      if isEnd || (depth == 0 && tokens[index].isSymbol(",")) {
        if index > start { arguments.append(tokens[start..<index]) }
        start = index + 1
      }
      if isEnd { break }
      if tokens[index].isSymbol(")") { depth -= 1 }
    }
    return arguments
  }
}

extension String {
  fileprivate var asciiUppercased: String {
    String(decoding: utf8.map { (0x61...0x7A) ~= $0 ? $0 & 0xDF : $0 }, as: UTF8.self)
  }
}
