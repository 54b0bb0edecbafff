/// Whose rules SQL text follows: where its strings, names, comments and parameters begin and end.
package enum SQLDialect: Sendable, Equatable {
  case sqlite
  /// PostgreSQL's, with `standard_conforming_strings` on, as it is by default.
  case postgres

  /// - Parameter word: `sqlite`, or `postgres`, which is also called `postgresql`.
  package init?(word: String) {
    switch word {
    case "sqlite": self = .sqlite
    case "postgres", "postgresql": self = .postgres
    default: return nil
    }
  }

  /// As its users call it.
  package var name: String { self == .sqlite ? "SQLite" : "PostgreSQL" }
}
