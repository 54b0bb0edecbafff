import ObservationEngine

extension Completer {
  /// Where a word is being typed.
  struct Place {
    /// What is typed of the word.
    let prefix: String
    /// The table or alias before the dot, if there is one.
    let qualifier: String?
    /// The tokens of the whole statement, without the word.
    let statement: [SQLToken]
    /// The tokens of the head of the trigger whose body has the statement; empty elsewhere.
    let trigger: [SQLToken]
    /// How many tokens of the statement stand before the word.
    let cursor: Int
    /// The keyword or name before the word, in lower case; empty after punctuation.
    let previous: String
    /// Whether the statement begins with it.
    let isFirst: Bool
    /// Whether the person writes keywords in capitals.
    let writesCapitals: Bool

    /// - Returns: nil within a string, a quoted name, a number or a comment.
    init?(_ before: String, after: String) {
      let word = before.reversed().prefix { Self.isNamePart($0) }
      prefix = String(word.reversed())
      if prefix.first?.isNumber == true { return nil }
      let head = String(before.dropLast(prefix.count))
      var tokens = SQLTokenizer.tokens(of: head)
      // A quote that is open, or :name, whose name is nobody's to complete.
      if let last = tokens.last {
        if last.kind == .invalid { return nil }
        let end = last.range.upperBound
        if end < head.utf8.count, Self.opensComment(head.utf8.dropFirst(end)) { return nil }
      } else if Self.opensComment(head.utf8[...]) {
        return nil
      }
      let start = StatementStart(tokens)
      trigger = start.trigger.map { Array(tokens[$0]) } ?? []
      tokens.removeFirst(start.index)
      // The body of a trigger says nothing of its head.
      let isHead = TriggerHead.keyword(in: tokens, from: 0) != nil
      let rest = SQLTokenizer.tokens(of: after).prefix {
        !$0.isSymbol(";") && !(isHead && $0.isWord("begin"))
      }
      statement = tokens + rest
      cursor = tokens.count
      var qualifier: String?
      if tokens.count > 1, let dot = tokens.last, dot.isSymbol("."),
        dot.range.upperBound == head.utf8.count
      {
        qualifier = tokens[tokens.count - 2].name
      }
      self.qualifier = qualifier
      isFirst = tokens.isEmpty
      previous = tokens.last.flatMap { $0.kind == .word ? $0.text.asciiLowercased : nil } ?? ""
      let keywords = tokens.filter { $0.kind == .word && SQLKeywords.contains($0.text) }
      writesCapitals =
        prefix.isEmpty
        ? keywords.last.map { $0.text == $0.text.uppercased() } ?? true
        : prefix == prefix.uppercased()
    }

    private static func isNamePart(_ character: Character) -> Bool {
      character.isLetter || character.isNumber || character == "_"
    }

    /// Whether blanks and comments end within a comment.
    private static func opensComment(_ gap: Substring.UTF8View.SubSequence) -> Bool {
      let text = String(decoding: gap, as: UTF8.self)
      if let line = text.split(separator: "\n", omittingEmptySubsequences: false).last,
        line.contains("--")
      {
        return true
      }
      guard let start = text.ranges(of: "/*").last else { return false }
      return !text[start.upperBound...].contains("*/")
    }
  }
}
