/// One token of SQL text, as SQLite's own tokenizer would cut it; blanks and comments are none.
package struct SQLToken: Sendable, Equatable {
  /// What a token is.
  package enum Kind: Sendable, Equatable {
    /// A keyword or a name without quotes.
    case word
    /// A name in double quotes, backquotes or brackets. In double quotes SQLite takes it for a
    /// string when there is no such name.
    case quotedName
    /// A string in single quotes.
    case string
    /// A BLOB: `x'00ff'`.
    case blob
    /// A number: an integer in decimal or hexadecimal, or a real one.
    case number
    /// A parameter: `?`, `?3`, `:a`, `@a` or `$a`.
    case parameter
    /// Punctuation, and operators that are no words.
    case symbol
    /// What SQLite would refuse: a quote without its end, a character of no use, …
    case invalid
  }

  package let kind: Kind
  /// What it says: without quotes, with doubled quotes undone; else as it is written.
  package let text: String
  /// Where it stands, in bytes of the UTF-8 text.
  package let range: Range<Int>

  package init(kind: Kind, text: String, range: Range<Int>) {
    self.kind = kind
    self.text = text
    self.range = range
  }

  /// Whether it is this keyword, given in lower case, without quotes.
  package func isWord(_ keyword: String) -> Bool {
    kind == .word && text.asciiLowercased == keyword
  }

  /// Whether it is this punctuation or operator.
  package func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text == symbol }

  /// Its text where it can name a column, a table or a schema.
  package var name: String? { kind == .word || kind == .quotedName ? text : nil }
}
