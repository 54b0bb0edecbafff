import ObservationEngine

/// How two values are compared, by alerts and by the colours of columns.
///
/// - Numbers compare as numbers, texts by their bytes, BLOBs by theirs. A ``LongDecimal`` is a
///   number.
/// - A comparison with NULL is never true. Values of different kinds are neither equal nor ordered,
///   so only `<>` is true of them.
package enum Comparison: String, Sendable, CaseIterable {
  case equal = "="
  case unequal = "<>"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
}

extension Comparison {
  /// Whether two values are in this relation.
  func holds(between left: Value, and right: Value) -> Bool {
    guard left != .null, right != .null else { return false }
    guard let order = Self.order(left, right) else { return self == .unequal }
    return switch self {
    case .equal: order == 0
    case .unequal: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// Below, at or above zero; nil for values of different kinds.
  private static func order(_ left: Value, _ right: Value) -> Int? {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): sign(a, b)
    case (.text(let a), .text(let b)):
      if let long = LongDecimal(a), let other = LongDecimal(b) {
        long.compared(to: other)
      } else {
        sign(Array(a.utf8), Array(b.utf8))
      }
    case (.blob(let a), .blob(let b)): sign(a, b)
    default:
      if let a = ColumnSummary.number(left), let b = ColumnSummary.number(right) {
        sign(a, b)
      } else {
        nil
      }
    }
  }

  private static func sign<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
    left == right ? 0 : left < right ? -1 : 1
  }

  private static func sign(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }
}
