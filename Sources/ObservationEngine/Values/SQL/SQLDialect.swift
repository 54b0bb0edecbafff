/// Whose rules SQL text follows: where its strings, names, comments and parameters begin and end.
package enum SQLDialect: Sendable, Equatable {
  case sqlite
  /// PostgreSQL's, with `standard_conforming_strings` on, as it is by default.
  case postgres
}
