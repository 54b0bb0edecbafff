import ObservationEngine

extension Completer {
  /// Where a word is being typed.
  struct Place {
    /// The typed part of the word.
    let prefix: String
    /// The opening quote of the name; nil without one.
    let quote: Character?
    /// How many characters of the word are before the cursor, and how many after it.
    let typed: (before: Int, after: Int)
    /// The table or alias before the dot, if there is one.
    let qualifier: String?
    /// The tokens of the whole statement, without the word.
    let statement: [SQLToken]
    /// The tokens of the head of the trigger whose body contains the statement; empty elsewhere.
    let trigger: [SQLToken]
    /// How many tokens of the statement precede the word.
    let cursor: Int
    /// The keyword or name before the word, in lower case; empty after punctuation.
    let previous: String
    /// Whether the statement starts with it.
    let isFirst: Bool
    /// Whether the user writes keywords in capitals.
    let writesCapitals: Bool

    /// - Returns: nil within a string, a number or a comment.
    init?(_ before: String, after: String) {
      var after = after[...]
      let head: String
      if let open = Self.openName(in: before) {
        prefix = open.content
        quote = open.quote
        head = open.head
        // The closing quote may be there already.
        let end: Character = open.quote == "[" ? "]" : open.quote
        let isClosed = after.first == end
        if isClosed { after = after.dropFirst() }
        typed = (before.count - head.count, isClosed ? 1 : 0)
      } else {
        prefix = String(before.reversed().prefix { Self.isNamePart($0) }.reversed())
        if prefix.first?.isNumber == true { return nil }
        quote = nil
        typed = (prefix.count, 0)
        head = String(before.dropLast(prefix.count))
      }
      var tokens = SQLTokenizer.tokensAndComments(of: head)
      // A comment, an open quote, or :name, whose name can't be completed.
      if tokens.last?.isOpen == true { return nil }
      tokens.removeAll { $0.kind == .comment }
      if tokens.last?.kind == .invalid { return nil }
      let start = StatementStart(tokens)
      trigger = start.trigger.map { Array(tokens[$0]) } ?? []
      tokens.removeFirst(start.index)
      // The body of a trigger is independent of its head.
      let isHead = TriggerHead.keyword(in: tokens, from: 0) != nil
      let rest = SQLTokenizer.tokens(of: String(after)).prefix {
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
        prefix.isEmpty || quote != nil
        ? keywords.last.map { $0.text == $0.text.uppercased() } ?? true
        : prefix == prefix.uppercased()
    }

    /// The quoted name at the end of a text that is not closed there.
    private static func openName(
      in text: String
    ) -> (content: String, quote: Character, head: String)? {
      guard let last = SQLTokenizer.tokens(of: text).last, last.isOpen else { return nil }
      let head = String(decoding: text.utf8.prefix(last.range.lowerBound), as: UTF8.self)
      guard let quote = text.dropFirst(head.count).first, "\"`[".contains(quote) else { return nil }
      // The tokenizer omits quotes, except for an unclosed bracket.
      return (quote == "[" ? String(last.text.dropFirst()) : last.text, quote, head)
    }

    private static func isNamePart(_ character: Character) -> Bool {
      character.isLetter || character.isNumber || character == "_"
    }
  }
}
