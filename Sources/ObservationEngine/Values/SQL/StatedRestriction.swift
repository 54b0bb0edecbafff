/// States that a query reads, of one table, only rows whose column equals one of a few values.
///
///     SELECT name FROM player AS p WHERE p.id IN (1, ?)
///     // table "player", column "id", operands 1 and the first parameter
///
/// Names are as written in the SQL, without quotes.
package struct StatedRestriction: Sendable, Equatable {
  /// A value to compare the column with.
  package enum Operand: Sendable, Equatable {
    /// An integer or text literal in the SQL.
    case literal(Value)
    /// A parameter: its index as SQLite counts, from 1, and its name as SQLite reports it (`?3`,
    /// `:a`); `nil` for a plain `?`.
    case parameter(index: Int, name: String?)
  }

  /// The schema, if the query names one.
  package let schema: String?
  /// The only table, or view, that the query names after FROM.
  package let table: String
  /// The column, or a name of the rowid.
  package let column: String
  /// The values; never empty.
  package let operands: [Operand]

  package init(schema: String? = nil, table: String, column: String, operands: [Operand]) {
    self.schema = schema
    self.table = table
    self.column = column
    self.operands = operands
  }
}
