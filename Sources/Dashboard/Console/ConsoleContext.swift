import DatabaseConsole
import ObservationEngine

/// What the console's reducer knows of the dashboard around the console, and what it says to the
/// user.
struct ConsoleContext {
  /// The names of the commands that are typed in a panel.
  let panelCommands: [String]
  /// All panels, in their order.
  let panels: [PanelDefinition]
  let isReadOnly: Bool
  /// Whether the panels come from a dashboard that was named.
  let hasFile: Bool
  /// Whether there is a generated dashboard, which a file can have.
  let hasGenerated: Bool
  /// Whether the user is still where the statement was typed: elsewhere a key with another meaning
  /// could become the answer to a question.
  let isAttended: Bool
  let size: Size
  let glyphs: GlyphSet
  let utcOffsetSeconds: Int
  var news: News
  /// What the user must answer first.
  var question: ConsoleQuestion?
  /// The file that the generated dashboard is to be written to, with what is pinned.
  var fileOfGenerated: String?

  mutating func say(_ text: String, _ severity: Message.Severity = .notice) {
    news.message = Message(text, severity)
  }
}

/// A question of the console, which is answered with y or n.
enum ConsoleQuestion: Sendable, Equatable {
  /// Run this statement.
  case run(sql: String, text: String)
  /// Run the statements of a file.
  case script(text: String)
  /// Append these lines to the open dashboard.
  case save(PanelAddition)
  /// Undo this transaction.
  case undo(UndoableCommit, text: String)
  /// Redo this transaction.
  case redo(UndoableCommit, text: String)

  var text: String {
    switch self {
    case .run(_, let text), .script(let text), .undo(_, let text), .redo(_, let text): text
    case .save(let addition): addition.question
    }
  }
}
