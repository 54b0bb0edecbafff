/// Reads from a query's text how its result depends on rows and on time.
///
/// Pure: it knows no schema and runs nothing. It expects SQL that SQLite has accepted, and returns
/// nothing rather than something doubtful.
package enum QueryShape {
  /// The restrictions to few rows that a query states. Each holds by itself.
  ///
  ///     SELECT * FROM player WHERE id = 7 AND (team IN (?, :b) OR 1)   // id only
  ///
  /// It recognises one SELECT from one name, with or without schema and alias, without anything
  /// nested, joined, combined or windowed, if its WHERE is a conjunction with an operand `column =
  /// X`, `X = column`, `column == X`, `column IS X` or `column IN (X, …)`. X is an integer or text
  /// literal, or a parameter. The rest of the conjunction, the select list, GROUP BY, HAVING, ORDER
  /// BY and LIMIT do not matter.
  ///
  /// ## Guarantees
  /// Take SQL that SQLite accepts. Let the name after FROM be an ordinary table, the column one of
  /// its columns (or `rowid`, `oid`, `_rowid_` as SQLite resolves them), and "equals" the SQL's own
  /// comparison of that column with that operand. Then a change of rows that hold none of the
  /// operands' values in that column, before and after, cannot change the result. Because of IS, a
  /// row that holds NULL equals a parameter bound to NULL.
  ///
  /// ## Limits
  /// It does not know what names refer to, nor affinities, nor collations: the caller must resolve
  /// them, with an "equals" no narrower than SQLite's. A double-quoted "column" that no table has
  /// is a string to SQLite, so it states no restriction. An error that SQLite would raise for
  /// another row, before it compares the column, is not foreseen.
  ///
  /// - Complexity: O(length of the SQL).
  package static func rowRestrictions(_ sql: String) -> [StatedRestriction] {
    var tokens = SQLTokenizer.tokens(of: sql)
    if tokens.last?.isSymbol(";") == true { tokens.removeLast() }
    guard let source = SimpleSelect(tokens) else { return [] }
    return source.conjuncts.compactMap { source.restriction($0) }
  }
}
