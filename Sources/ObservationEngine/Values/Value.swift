/// One SQLite value, in the storage class that SQLite reported; or a date that is yet to be stored.
///
/// Two values are equal if their storage class and bits are: `1` differs from `1.0`, and `0.0` from
/// `-0.0`, because a display of one must notice a change to the other.
public enum Value: Sendable {
  /// SQL NULL.
  case null
  /// A 64-bit signed integer.
  case integer(Int64)
  /// An IEEE 754 double; never NaN, which SQLite stores as NULL.
  case real(Double)
  /// Text. Bytes that aren't valid UTF-8 appear as U+FFFD.
  case text(String)
  /// Uninterpreted bytes.
  case blob([UInt8])
  /// A date that has no storage class yet: a connection encodes it by ``Configuration/dateFormat``
  /// when it binds the value. Values read from a database are never of this case.
  case date(Timestamp)
}

extension Value: Hashable {
  /// Whether storage class and bits are the same.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): a.isExactly(b)
    case (.blob(let a), .blob(let b)): a == b
    case (.date(let a), .date(let b)): a == b
    default: false
    }
  }

  /// Hashes storage class and bits.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0 as UInt8)
    case .integer(let value):
      hasher.combine(1 as UInt8)
      hasher.combine(value)
    case .real(let value):
      hasher.combine(2 as UInt8)
      hasher.combine(value.bitPattern)
    case .text(let value):
      hasher.combine(3 as UInt8)
      var value = value
      value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .blob(let value):
      hasher.combine(4 as UInt8)
      hasher.combine(value)
    case .date(let value):
      hasher.combine(5 as UInt8)
      hasher.combine(value)
    }
  }
}

extension Value {
  /// Whether it certainly is what is stored: U+FFFD in a text may stand for any bytes that aren't UTF-8.
  var isFaithful: Bool {
    guard case .text(let text) = self else { return true }
    // EF BF BD in UTF-8. Most texts have no byte above 7F.
    var (first, second) = (UInt8(0), UInt8(0))
    for byte in text.utf8 {
      if byte == 0xBD, second == 0xBF, first == 0xEF { return false }
      (first, second) = (second, byte)
    }
    return true
  }

  /// Whether both are certainly stored as the same value.
  func isSurely(_ other: Value) -> Bool { self == other && isFaithful }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A real number.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// Text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// `1` or `0`, SQLite's booleans.
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
  /// NULL.
  public init(nilLiteral: ()) { self = .null }
}
