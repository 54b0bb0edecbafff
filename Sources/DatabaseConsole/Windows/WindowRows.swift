internal import ObservationEngine

/// The last rows of a stream up to a position, as many as a window has.
///
///     let rows = WindowRows(first: 2_000, count: 100)
///     while … { rows.append(row) }     // holds 100 at most
struct WindowRows {
  private let end: Int
  private let capacity: Int
  private var rows: [[Value]] = []
  /// The index of the oldest row.
  private var oldest = 0
  /// How many rows have come.
  private(set) var total = 0

  init(first: Int, count: Int) {
    let (end, isTooFar) = first.addingReportingOverflow(count)
    self.end = isTooFar ? .max : end
    capacity = count
  }

  /// Whether the next row is one of the window, or may be.
  var isOpen: Bool { total < end }

  /// - Parameter row: Evaluated only when the row is retained.
  mutating func append(_ row: @autoclosure () -> [Value]) {
    defer { total += 1 }
    guard isOpen else { return }
    if rows.count < capacity {
      rows.append(row())
    } else {
      rows[oldest] = row()
      oldest = (oldest + 1) % capacity
    }
  }

  /// The rows of the window; when that lay beyond the end, the last ones that came.
  var held: [[Value]] { Array(rows[oldest...] + rows[..<oldest]) }

  /// The position of the first of them.
  var first: Int { min(total, end) - rows.count }
}
