internal import ObservationEngine

/// The rows of a running statement, one at a time; the statement is always one row ahead of the caller, which
/// may write to its table behind it.
///
/// Confined to the statement's thread of execution.
final class KeyedRows {
  /// The rows of a table aren't in ``KeyOrder``: SQLite has another encoding, or texts that aren't UTF-8.
  struct OutOfOrder: Error {
    let table: TableID
  }

  private let statement: Statement?
  private let table: TrackedTable
  private let mustBeChecked: Bool
  private(set) var current: KeyedRow?
  private var hasStarted = false

  /// - Parameters:
  ///   - statement: `nil` for no rows.
  ///   - mustBeChecked: Whether the order is only hoped for.
  init(_ statement: Statement?, of table: TrackedTable, mustBeChecked: Bool) throws {
    (self.statement, self.table, self.mustBeChecked) = (statement, table, mustBeChecked)
    try advance()
  }

  /// Moves on.
  ///
  /// - Returns: The row that was ``current``.
  func take() throws -> KeyedRow? {
    let row = current
    try advance()
    return row
  }

  private func advance() throws {
    guard let statement else { return }
    let isRow = hasStarted ? try statement.advance() : try statement.step()
    hasStarted = true
    let previous = current
    current = isRow ? table.keyed(statement.row) : nil
    guard mustBeChecked, let previous, let current else { return }
    guard KeyOrder.compare(previous.key, current.key) < 0 else {
      throw OutOfOrder(table: TableID(name: table.name))
    }
  }
}
