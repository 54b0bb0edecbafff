/// One token of SQL text, as SQLite's own tokenizer would cut it, or a comment between tokens.
package struct SQLToken: Sendable, Equatable {
  /// What a token is.
  package enum Kind: Sendable, Equatable {
    /// A keyword or a name without quotes.
    case word
    /// A name in double quotes, backquotes or brackets. SQLite reads double quotes as a string when
    /// there is no such name.
    case quotedName
    /// A string in single quotes.
    case string
    /// A BLOB: `x'00ff'`.
    case blob
    /// A number: a decimal or hexadecimal integer, or a real number.
    case number
    /// A parameter: `?`, `?3`, `:a`, `@a` or `$a`.
    case parameter
    /// Punctuation, and operators that aren't words.
    case symbol
    /// Text that SQLite would refuse: an unclosed quote, a character that starts no token, …
    case invalid
    /// `-- …` to the end of its line, or `/* … */`.
    case comment
  }

  package let kind: Kind
  /// Its content: without quotes, with doubled quotes undone; otherwise as written.
  package let text: String
  /// Where it is, in bytes of the UTF-8 text.
  package let range: Range<Int>
  /// Whether the text ends within it, so that appended text would be part of it: a quote that isn't
  /// closed, a comment without an end, `-- …` on the last line.
  package let isOpen: Bool

  package init(kind: Kind, text: String, range: Range<Int>, isOpen: Bool = false) {
    self.kind = kind
    self.text = text
    self.range = range
    self.isOpen = isOpen
  }

  /// Whether it is this keyword, given in lower case, without quotes.
  package func isWord(_ keyword: String) -> Bool {
    kind == .word && text.asciiLowercased == keyword
  }

  /// Whether it is this punctuation mark or operator.
  package func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text == symbol }

  /// Its text, if it can name a column, a table or a schema.
  package var name: String? { kind == .word || kind == .quotedName ? text : nil }
}
