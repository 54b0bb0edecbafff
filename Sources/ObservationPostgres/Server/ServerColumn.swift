import CPostgres

/// A column of a query's result.
package struct ServerColumn: Sendable, Equatable {
  /// A column of a table, by its numbers in the catalogs.
  package struct Origin: Sendable, Equatable {
    package let table: UInt32
    package let column: Int
  }

  package let name: String
  /// Whose values it has, unchanged; nil for those of an expression.
  package let origin: Origin?

  init(_ result: OpaquePointer, _ column: Int32) {
    name = String(cString: lq_pq_fname(result, column))
    let table = lq_pq_ftable(result, column)
    let number = Int(lq_pq_ftablecol(result, column))
    // A system column has a negative number.
    origin = table == 0 || number <= 0 ? nil : Origin(table: table, column: number)
  }
}
