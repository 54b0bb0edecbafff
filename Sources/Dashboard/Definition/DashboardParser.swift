import DatabaseConsole
package import ObservationEngine

/// Reads a dashboard file: plain SQL, with directives in the comments above the queries.
///
///     -- dashboard: arena
///     -- layout: fame fame players
///
///     -- name: fame
///     -- title: Hall of fame
///     -- key: player
///     SELECT player, score FROM scores ORDER BY score DESC LIMIT 10;
///
/// A block of directives is the comment lines from `-- name:` to the query directly below. A
/// comment line that has no `word:` is prose. Queries before the first `-- name:` are called
/// `panel1`, …, and prose directly above one is its title.
///
/// ## Guarantees
/// - Any text is accepted and yields a definition; the diagnostics say whether it is usable.
/// - Without errors among them, the panels' names are unique and the layout is sound.
/// - The file is only read as text. Checks that need a database are done elsewhere.
package enum DashboardParser {
  /// Reads the text of a dashboard file.
  ///
  /// - Parameters:
  ///   - views: The kinds that `-- view:` may name.
  ///   - dialect: Whose SQL the queries are, unless the file says it.
  /// - Returns: What could be parsed, and diagnostics in the order of the file.
  /// - Complexity: O(length + panels²).
  package static func parse(
    _ text: String, views: [ViewKind], dialect: SQLDialect = .sqlite
  ) -> (definition: DashboardDefinition, diagnostics: [Diagnostic]) {
    let source = SourceText(text)
    func parse(
      _ dialect: SQLDialect
    ) -> (definition: DashboardDefinition, diagnostics: [Diagnostic]) {
      var builder = DashboardBuilder(source, views: views, dialect: dialect)
      for piece in StatementSplitter(source.bytes, dialect: dialect) { builder.add(piece) }
      return builder.finish()
    }
    let parsed = parse(dialect)
    // The head is comments alone, which both dialects read in the same way.
    guard let declared = parsed.definition.dialect?.dialect, declared != dialect else {
      return parsed
    }
    return parse(declared)
  }
}
