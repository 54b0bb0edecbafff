/// What the text of a query tells of how its result depends on rows and on time.
///
/// Pure: it knows no schema and runs nothing. It expects SQL that SQLite has accepted, and says
/// nothing rather than something doubtful.
package enum QueryShape {
  /// The restrictions to few rows that a query states: each of them holds by itself.
  ///
  ///     SELECT * FROM player WHERE id = 7 AND (team IN (?, :b) OR 1)   // id only
  ///
  /// Recognised is one SELECT from one name, with or without schema and alias, and nothing nested,
  /// joined, combined or windowed; whose WHERE is a conjunction in which one operand is
  /// `column = X`, `X = column`, `column == X`, `column IS X` or `column IN (X, …)`. X is an integer
  /// or a text literal, or a parameter. What else stands in the conjunction, in the select list, in
  /// GROUP BY, HAVING, ORDER BY and LIMIT does not matter.
  ///
  /// ## Guarantees
  /// For SQL that SQLite accepts, when the name after FROM is an ordinary table, the column is one of
  /// that table (or `rowid`, `oid`, `_rowid_` as SQLite resolves it), and "equals" is meant as the
  /// SQL's own comparison of that column with that operand has it: a change of rows which hold,
  /// before and after, none of the operands' values in that column cannot change the result. A row
  /// that holds NULL equals a parameter that is bound to NULL, on account of IS.
  ///
  /// ## Limits
  /// It does not know what the names refer to, affinities, nor collations: whoever uses it must
  /// resolve them, and take "equals" no narrower than SQLite does. A double-quoted "column" which no
  /// table has is a string to SQLite: then there is no restriction. An error that SQLite would raise
  /// for another row, before it looks at the column, is not foreseen.
  ///
  /// - Complexity: O(length of the SQL).
  package static func rowRestrictions(_ sql: String) -> [StatedRestriction] {
    var tokens = SQLTokenizer.tokens(of: sql)
    if tokens.last?.isSymbol(";") == true { tokens.removeLast() }
    guard let source = SimpleSelect(tokens) else { return [] }
    return source.conjuncts.compactMap { source.restriction($0) }
  }
}
