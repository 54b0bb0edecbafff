/// The statement that is being typed, and those that were typed before.
struct TypedStatement: Sendable, Equatable {
  var text = TextBuffer()
  var kills = KillRing()
  var history: StatementHistory
  /// Where the word starts whose offers were dismissed.
  var dismissedWord: Int?

  /// Removes the text.
  mutating func clear() {
    text = TextBuffer()
    history.endWalk()
    dismissedWord = nil
  }

  /// Puts the previous or next statement of the history in place of the text.
  mutating func walkHistory(back: Bool) {
    if let statement = history.walk(back: back, from: text) { text = TextBuffer(statement) }
  }

  /// Inserts a newline after the text, which is not a complete statement.
  mutating func continueLine() {
    text.moveToEnd()
    text.insert("\n")
  }
}

/// The statements of this session and the earlier ones, oldest first, and the user's way through
/// them.
struct StatementHistory: Sendable, Equatable {
  /// A way back from the text that was being written.
  private struct Walk: Sendable, Equatable {
    /// The statement that is shown.
    var index: Int
    var draft: String
  }

  private(set) var statements: [String]
  /// Nil while the user writes.
  private var position: Walk?

  init(_ statements: [String]) { self.statements = statements }

  subscript(index: Int) -> String { statements[index] }

  /// Adds a statement; the same one is not added twice in a row.
  mutating func append(_ statement: String) {
    if statements.last != statement { statements.append(statement) }
  }

  /// Moves to the previous or next statement.
  ///
  /// - Parameter text: What is being written, which follows the newest statement.
  /// - Returns: What to show; nil at either end.
  mutating func walk(back: Bool, from text: TextBuffer) -> String? {
    let index = position?.index ?? statements.count
    let next = back ? index - 1 : index + 1
    guard next >= 0, next <= statements.count else { return nil }
    let draft = position?.draft ?? text.text
    position = next == statements.count ? nil : Walk(index: next, draft: draft)
    return next == statements.count ? draft : statements[next]
  }

  /// The text is no longer one of the history.
  mutating func endWalk() { position = nil }

  /// Continues a search from its match (`older`), or restarts it after the pattern changed.
  func find(_ search: inout HistorySearch, older: Bool) {
    let end = older ? (search.match ?? statements.count) : statements.count
    let match = statements[..<end].lastIndex { TextSearch(search.pattern).matches($0) }
    if match != nil || !older { search.match = match }
  }
}

/// A search backwards through the history, like `^r` in a shell.
struct HistorySearch: Sendable, Equatable {
  var pattern = ""
  /// The statement that was found.
  var match: Int?
}
