import DatabaseConsole
import ObservationEngine

/// The tables that a statement names anywhere, with their aliases: enough for statements that
/// aren't queries, such as CREATE INDEX.
struct NamedTables {
  struct Table: Equatable {
    /// The table as the vocabulary spells it.
    var table: SQLVocabulary.Table
    var alias: String?
  }

  private(set) var tables: [Table] = []

  /// Finds names of known tables anywhere: the columns of a table that is named later are in scope
  /// too, and an unfinished list can't be parsed by a grammar.
  init(_ tokens: [SQLToken], _ vocabulary: SQLVocabulary) {
    var known: [String: SQLVocabulary.Table] = [:]
    for table in vocabulary.tables where known[table.name.asciiLowercased] == nil {
      known[table.name.asciiLowercased] = table
    }
    var isTablePlace = false
    for (index, token) in tokens.enumerated() {
      defer { isTablePlace = Self.opensTables(token, isTablePlace) }
      guard isTablePlace || Self.followsSchema(tokens, index), let name = token.name,
        let table = known[name.asciiLowercased]
      else { continue }
      // main.players: the schema isn't a table, and neither is a qualifier before a column.
      if index + 1 < tokens.count, tokens[index + 1].isSymbol(".") { continue }
      let found = Table(table: table, alias: Self.alias(tokens, after: index))
      if !tables.contains(found) { tables.append(found) }
    }
  }

  private static let tableWords: Set<String> = ["from", "join", "into", "update", "table", "on"]

  /// Whether a table can stand after `token`.
  private static func opensTables(_ token: SQLToken, _ isTablePlace: Bool) -> Bool {
    if token.kind == .word, tableWords.contains(token.text.asciiLowercased) { return true }
    // FROM a, b AS c, (d …: names and commas continue it; anything else ends it.
    if token.isSymbol(",") || token.isSymbol("(") || token.isSymbol(".") { return isTablePlace }
    return isTablePlace && token.name != nil && !SQLKeywords.contains(token.text)
      || token.isWord("as") && isTablePlace
  }

  private static func followsSchema(_ tokens: [SQLToken], _ index: Int) -> Bool {
    index > 2 && tokens[index - 1].isSymbol(".")
      && tokens[index - 3].kind == .word
      && tableWords.contains(tokens[index - 3].text.asciiLowercased)
  }

  private static func alias(_ tokens: [SQLToken], after index: Int) -> String? {
    var next = index + 1
    if next < tokens.count, tokens[next].isWord("as") { next += 1 }
    guard next < tokens.count, let name = tokens[next].name else { return nil }
    return tokens[next].kind == .word && SQLKeywords.contains(name) ? nil : name
  }
}
