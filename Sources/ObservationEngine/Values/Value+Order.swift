internal import Glibc

extension Value {
  /// Whether SQLite sorts it before another value: NULL, numbers, texts, BLOBs; the latter two by
  /// their bytes, as the collation BINARY does.
  package func precedes(_ other: Value) -> Bool { compared(to: other) < 0 }

  /// How SQLite sorts it against another value under the collation BINARY: negative before it, positive behind it,
  /// 0 when they are equal to SQLite, as `1` and `1.0` are.
  ///
  /// - Complexity: O(bytes).
  func compared(to other: Value) -> Int {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.integer(let a), .real(let b)): Self.compare(a, b)
    case (.real(let a), .integer(let b)): -Self.compare(b, a)
    case (.real(let a), .real(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.text(let a), .text(let b)): Self.compare(a, b)
    case (.blob(let a), .blob(let b)):
      a.withUnsafeBytes { left in b.withUnsafeBytes { Self.compare(left, $0) } }
    default: storageClass - other.storageClass
    }
  }

  /// The same for all values that are equal to SQLite under the collation BINARY: `1` for `1.0`, `0` for `-0.0`.
  var canonical: Value {
    guard case .real(let number) = self, number >= -0x1p63, number < 0x1p63,
      number == number.rounded()
    else { return self }
    return .integer(Int64(number))
  }

  /// Exactly, as `sqlite3IntFloatCompare` does in SQLite's vdbeaux.c: a REAL can't represent every integer.
  private static func compare(_ integer: Int64, _ real: Double) -> Int {
    if real < -0x1p63 { return 1 }
    if real >= 0x1p63 { return -1 }
    let whole = Int64(real)
    if integer != whole { return integer < whole ? -1 : 1 }
    let rounded = Double(integer)
    return rounded < real ? -1 : rounded > real ? 1 : 0
  }

  private static func compare(_ left: String, _ right: String) -> Int {
    var (left, right) = (left, right)
    return left.withUTF8 { left in
      right.withUTF8 { compare(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer($0)) }
    }
  }

  private static func compare(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Int {
    let common = min(left.count, right.count)
    let order = common == 0 ? 0 : memcmp(left.baseAddress!, right.baseAddress!, common)
    return order != 0 ? Int(order) : left.count - right.count
  }

  private var storageClass: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    // Nearly every date format sorts chronologically; SQLite never returns a date.
    case .text, .date: 2
    case .blob: 3
    }
  }
}
