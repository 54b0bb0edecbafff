package import ObservationEngine

/// Which rows of a result a panel shows, when there are too many to hold them all.
///
/// A result that is loaded as a whole comes in the query's own order, with all its rows.
package struct RowWindow: Sendable {
  /// An order other than the query's own: by the bytes of the values, NULL first, as
  /// `ORDER BY … COLLATE BINARY` has it. Equal rows keep the query's order.
  package struct Sort: Sendable, Hashable {
    package var column: Int
    package var isDescending: Bool

    package init(column: Int, isDescending: Bool = false) {
      self.column = column
      self.isDescending = isDescending
    }
  }

  /// The position of the first row to read. Beyond the end of the result, its last rows are read.
  package var first: Int
  /// How many rows to read, at least 1.
  package var count: Int
  package var sort: Sort?
  /// Which rows count at all; `nil` for all of them.
  package var filter: (@Sendable ([Value]) -> Bool)?
  /// Returned with the rows, to distinguish them from those of earlier windows.
  package var number: Int

  package init(
    first: Int = 0, count: Int = 1_000, sort: Sort? = nil,
    number: Int = 0, filter: (@Sendable ([Value]) -> Bool)? = nil
  ) {
    self.first = max(0, first)
    self.count = max(1, count)
    self.sort = sort
    self.number = number
    self.filter = filter
  }
}
