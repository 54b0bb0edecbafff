import DatabaseConsole
import ObservationEngine

/// The part of CREATE TRIGGER before its body, as far as it has been typed.
///
///     CREATE TRIGGER t AFTER UPDATE OF name ON players WHEN new.name <> '' BEGIN …; END;
///            keyword         event     list    table        condition      body
struct TriggerHead {
  private let reader: ScopeReader
  /// The index of INSERT, UPDATE or DELETE.
  private let event: Int?
  private let on: Int?
  private let when: Int?
  private let table: SQLVocabulary.Table?

  /// - Parameter start: Where the statement starts.
  /// - Returns: nil for a statement that doesn't create a trigger.
  init?(_ reader: ScopeReader, from start: Int = 0) {
    guard let keyword = Self.keyword(in: reader.tokens, from: start) else { return nil }
    func first(_ words: Set<String>, behind index: Int?) -> Int? {
      guard let index else { return nil }
      return (index + 1..<reader.tokens.count).first { words.contains(reader.word($0)) }
    }
    self.reader = reader
    event = first(["insert", "update", "delete"], behind: keyword)
    on = first(["on"], behind: event)
    when = first(["when"], behind: on)
    table = on.flatMap {
      reader.table(at: $0 + 1, ScopeReader.Context(), aliasNeedsAs: true)?.table.table
    }
  }

  /// The index of the word TRIGGER in a statement that creates one; nil in any other.
  static func keyword(in tokens: [SQLToken], from start: Int) -> Int? {
    func isWord(_ index: Int, _ words: String...) -> Bool {
      tokens.indices.contains(index) && words.contains { tokens[index].isWord($0) }
    }
    var index = start
    while isWord(index, "explain", "query", "plan") { index += 1 }
    guard isWord(index, "create") else { return nil }
    index += isWord(index + 1, "temp", "temporary") ? 2 : 1
    return isWord(index, "trigger") ? index : nil
  }

  /// NEW and OLD, as far as the event has them.
  var rows: [NamedTables.Table] {
    guard let event, let table else { return [] }
    let names =
      switch reader.word(event) {
      case "insert": ["new"]
      case "delete": ["old"]
      default: ["new", "old"]
      }
    return names.map { NamedTables.Table(table: table, alias: $0) }
  }

  /// The scope at the cursor, which is in the head.
  func scope() -> StatementScope {
    let (tokens, cursor) = (reader.tokens, reader.cursor)
    var scope = StatementScope(levels: [])
    if let when, cursor > when {
      // Columns are qualified by NEW and OLD, except in queries.
      scope = reader.read(when + 1..<tokens.count, ScopeReader.Context())
      scope.rows = rows
    } else if let on, cursor > on {
      scope.isTablePlace = cursor == on + 1
    } else if let event, cursor > event + 1, reader.word(event + 1) == "of" {
      let present = Set(
        tokens[event + 2..<(on ?? tokens.count)].compactMap { $0.name?.asciiLowercased })
      scope.listed = table?.columns.filter { !present.contains($0.name.asciiLowercased) }
    }
    return scope
  }
}
