internal import ObservationEngine

/// The order of keys in a table without affinities, under the collation BINARY, in UTF-8: NULL, numbers by
/// their exact values, texts and BLOBs by their bytes.
enum KeyOrder {
  /// Whether `left` comes before (negative), after (positive) or at the same place as `right`.
  ///
  /// Keys at the same place can differ: `1` and `1.0` do.
  static func compare(_ left: RowChange.Key, _ right: RowChange.Key) -> Int {
    switch (left, right) {
    case (.rowid(let left), .rowid(let right)): return compare(left, right)
    case (.primaryKey(let left), .primaryKey(let right)):
      for (left, right) in zip(left, right) {
        let order = compare(left, right)
        if order != 0 { return order }
      }
      return 0
    case (.rowid, .primaryKey), (.primaryKey, .rowid):
      preconditionFailure("keys of different kinds have no order")
    }
  }

  static func compare(_ left: Value, _ right: Value) -> Int {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): compare(left, right)
    case (.real(let left), .real(let right)): left < right ? -1 : left > right ? 1 : 0
    case (.integer(let left), .real(let right)): compare(left, to: right)
    case (.real(let left), .integer(let right)): -compare(right, to: left)
    case (.text(let left), .text(let right)):
      left.utf8.lexicographicallyPrecedes(right.utf8)
        ? -1 : right.utf8.lexicographicallyPrecedes(left.utf8) ? 1 : 0
    case (.blob(let left), .blob(let right)):
      left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
    default: compare(rank(left), rank(right))
    }
  }

  private static func compare<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  /// Exact, which comparing as `Double` is not: 2⁵³ + 1 has no `Double`.
  private static func compare(_ left: Int64, to right: Double) -> Int {
    if right >= 0x1p63 { return -1 }
    if right < -0x1p63 { return 1 }
    let whole = Int64(right)
    return left != whole ? compare(left, whole) : -compare(right - Double(whole), 0)
  }

  private static func rank(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .integer, .real: 1
    case .text, .date: 2
    case .blob: 3
    }
  }
}
