internal import ObservationEngine

/// A statement as a server takes it: its named parameters have numbers.
///
///     ServerStatement("SELECT :a::text, :b, :a")     // SELECT $1::text, $2, $1
///
/// The server reports errors at a position in the text that it got; ``offset(ofCharacter:)`` finds that place in the
/// text that the user wrote.
package struct ServerStatement: Sendable, Hashable {
  /// As the user wrote it.
  package let source: String
  /// As the server gets it.
  package let text: String
  /// The parameters by number from 1, without their colon; `$3` is called `3`.
  package let names: [String]
  /// Where in `text` a parameter ends, and how many bytes further that is in the source.
  private let shifts: [Shift]

  private struct Shift: Hashable {
    /// The bytes of the parameter in `text`.
    var range: Range<Int>
    /// Where it begins, and where it ends, in the source.
    var source: Range<Int>
  }

  /// - Complexity: O(length).
  package init(_ source: String) {
    self.source = source
    let bytes = Array(source.utf8)
    var text: [UInt8] = []
    var names: [String] = []
    var shifts: [Shift] = []
    var position = 0
    for token in SQLTokenizer.tokens(of: source, dialect: .postgres)
    where token.kind == .parameter {
      let name = String(token.text.dropFirst())
      let number = (names.firstIndex(of: name) ?? names.count) + 1
      if number > names.count { names.append(name) }
      text += bytes[position..<token.range.lowerBound]
      let start = text.count
      text += Array("$\(number)".utf8)
      shifts.append(Shift(range: start..<text.count, source: token.range))
      position = token.range.upperBound
    }
    text += bytes[position...]
    self.text = String(decoding: text, as: UTF8.self)
    self.names = names
    self.shifts = shifts
  }

  /// A statement of the program's own, whose parameters have numbers already.
  init(verbatim text: String) {
    (source, self.text, names, shifts) = (text, text, [], [])
  }

  /// The byte of ``source`` that a position of the server's refers to.
  ///
  /// - Parameter position: In characters of ``text``, from 1, as the server counts: Unicode scalars.
  /// - Complexity: O(length).
  package func offset(ofCharacter position: Int) -> Int {
    let scalars = text.unicodeScalars
    let index = scalars.index(
      scalars.startIndex, offsetBy: max(0, position - 1), limitedBy: scalars.endIndex)
    let offset = text.utf8.distance(from: text.startIndex, to: index ?? text.endIndex)
    guard let last = shifts.last(where: { $0.range.lowerBound <= offset }) else { return offset }
    guard offset >= last.range.upperBound else { return last.source.lowerBound }
    return offset - last.range.upperBound + last.source.upperBound
  }

  /// The words with which a query begins. Anything else can't be a panel, even if a transaction that only reads
  /// would admit it.
  private static let queryWords = ["select", "with", "values", "table", "show", "explain"]

  /// Whether it may be a query, as far as its first word shows.
  package var isQuery: Bool {
    let tokens = SQLTokenizer.tokens(of: source, dialect: .postgres)
    guard let first = tokens.first(where: { !$0.isSymbol("(") }) else { return false }
    return Self.queryWords.contains { first.isWord($0) }
  }

  /// Where a query does more than read: the word, and its byte in ``source``. A transaction that only reads refuses it when
  /// it runs.
  package var writing: (word: String, offset: Int)? {
    let tokens = SQLTokenizer.tokens(of: source, dialect: .postgres)
    let isExplained = tokens.first?.isWord("explain") == true
    guard !isExplained || Self.isRun(explained: tokens) else { return nil }
    var depth = 0
    for (place, token) in tokens.enumerated() {
      let before = place > 0 ? tokens[place - 1] : nil
      let rest = tokens[(place + 1)...].prefix(3)
      func goesOn(_ words: String...) -> Bool {
        zip(rest, words).allSatisfy { $0.isWord($1) } && rest.count >= words.count
      }
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      let beginsStatement =
        before?.isSymbol("(") == true
        || depth == 0 && (isExplained || before?.isSymbol(")") == true)
      let writes =
        beginsStatement
        && (token.isWord("insert") && goesOn("into") || token.isWord("merge") && goesOn("into")
          || token.isWord("delete") && goesOn("from")
          || token.isWord("update") && tokens[place...].contains { $0.isWord("set") })
      if writes { return (token.text, token.range.lowerBound) }
      let locks = [["update"], ["no", "key", "update"], ["share"], ["key", "share"]]
      if token.isWord("for"),
        let lock = locks.first(where: { lock in
          zip(rest, lock).allSatisfy { $0.isWord($1) } && rest.count >= lock.count
        })
      {
        return ("for " + lock.joined(separator: " "), token.range.lowerBound)
      }
      // `SELECT … INTO`, but not a column of that name.
      if token.isWord("into"), depth == 0, before?.isWord("as") != true,
        before?.isSymbol(".") != true
      {
        return (token.text, token.range.lowerBound)
      }
    }
    return nil
  }

  /// Whether EXPLAIN runs the statement: with ANALYZE, unless that is off.
  private static func isRun(explained tokens: [SQLToken]) -> Bool {
    guard let place = tokens.firstIndex(where: { $0.isWord("analyze") }) else { return false }
    let next = place + 1 < tokens.count ? tokens[place + 1] : nil
    return !["false", "off", "0"].contains(next?.text.asciiLowercased ?? "")
  }

  /// Whether it is COPY.
  var copies: Bool { firstWord?.isWord("copy") == true }

  /// Whether it is ROLLBACK, by any of its names.
  var rollsBack: Bool { ["rollback", "abort"].contains { firstWord?.isWord($0) == true } }

  /// Whether it makes a transaction last, so that a lost connection doesn't say what became of it.
  var commits: Bool { ["commit", "end", "prepare"].contains { firstWord?.isWord($0) == true } }

  /// Whether it may commit within itself, and go on in another transaction.
  var mayCommit: Bool { ["call", "do"].contains { firstWord?.isWord($0) == true } }

  private var firstWord: SQLToken? {
    SQLTokenizer.tokens(of: source, dialect: .postgres).first { !$0.isSymbol(";") }
  }

  /// Whether its result may differ although nothing was committed: it asks for the time, for chance, or for what the
  /// server itself does.
  package var dependsOnTime: Bool {
    let tokens = SQLTokenizer.tokens(of: source, dialect: .postgres)
    return tokens.indices.contains { place in
      let word = tokens[place].text.asciiLowercased
      switch tokens[place].kind {
      case .string:
        // 'today 08:00' has two words, and a sentence more.
        let words = word.split { !$0.isLetter && !$0.isNumber && $0 != ":" }
        return words.count <= 2 && words.contains { Self.days.contains(String($0)) }
      case .word where Self.clocks.contains(word) || word.hasPrefix("pg_"): return true
      case .word, .quotedName:
        // A column may have the same name.
        return Self.clockFunctions.contains(word)
          && tokens[(place + 1)...].first?.isSymbol("(") == true
      default: return false
      }
    }
  }

  /// What a text means as a date.
  private static let days: Set = ["now", "today", "tomorrow", "yesterday"]

  /// What is called without parentheses: keywords, which name no column.
  private static let clocks: Set = [
    "current_timestamp", "current_time", "current_date", "localtime", "localtimestamp",
  ]

  private static let clockFunctions: Set = [
    "now", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "timeofday", "age",
    "random", "gen_random_uuid", "txid_current_snapshot",
  ]
}
