// SQLite has one kind of integer, 64 bits and signed, for integers of every width.

extension ValueConvertible where Self: FixedWidthInteger {
  /// An integer within the range of the type.
  public static func fromValue(_ value: Value) -> Self? {
    if case .integer(let number) = value { Self(exactly: number) } else { nil }
  }

  /// An integer.
  ///
  /// - Throws: `DatabaseError` with code `mismatch` above `Int64.max`, SQLite's largest integer.
  public func toValue() throws(DatabaseError) -> Value {
    guard let number = Int64(exactly: self) else {
      throw DatabaseError(
        code: .mismatch,
        message: """
          a \(Self.self) is greater than SQLite's largest integer, 9223372036854775807; \
          store it as text or a BLOB
          """)
    }
    return .integer(number)
  }
}

extension Int: ValueConvertible {}
extension Int8: ValueConvertible {}
extension Int16: ValueConvertible {}
extension Int32: ValueConvertible {}
extension Int64: ValueConvertible {}
extension UInt: ValueConvertible {}
extension UInt8: ValueConvertible {}
extension UInt16: ValueConvertible {}
extension UInt32: ValueConvertible {}
extension UInt64: ValueConvertible {}
