// Integers of every width are stored as SQLite's one kind of integer, 64 bits and signed.

extension Int: ValueConvertible {
  /// An integer.
  public static func fromValue(_ value: Value) -> Int? {
    if case .integer(let number) = value { Int(exactly: number) } else { nil }
  }
  /// An integer.
  public func toValue() -> Value { .integer(Int64(self)) }
}

extension Int8: ValueConvertible {
  /// An integer within the range of `Int8`.
  public static func fromValue(_ value: Value) -> Int8? {
    if case .integer(let number) = value { Int8(exactly: number) } else { nil }
  }
  /// An integer.
  public func toValue() -> Value { .integer(Int64(self)) }
}

extension Int16: ValueConvertible {
  /// An integer within the range of `Int16`.
  public static func fromValue(_ value: Value) -> Int16? {
    if case .integer(let number) = value { Int16(exactly: number) } else { nil }
  }
  /// An integer.
  public func toValue() -> Value { .integer(Int64(self)) }
}

extension Int32: ValueConvertible {
  /// An integer within the range of `Int32`.
  public static func fromValue(_ value: Value) -> Int32? {
    if case .integer(let number) = value { Int32(exactly: number) } else { nil }
  }
  /// An integer.
  public func toValue() -> Value { .integer(Int64(self)) }
}

extension Int64: ValueConvertible {
  /// An integer.
  public static func fromValue(_ value: Value) -> Int64? {
    if case .integer(let number) = value { number } else { nil }
  }
  /// An integer.
  public func toValue() -> Value { .integer(self) }
}

extension UInt: ValueConvertible {
  /// An integer within the range of `UInt`.
  public static func fromValue(_ value: Value) -> UInt? {
    if case .integer(let number) = value { UInt(exactly: number) } else { nil }
  }
  /// An integer.
  ///
  /// - Throws: `DatabaseError` with code `mismatch` beyond `Int64.max`, the largest that SQLite has.
  public func toValue() throws(DatabaseError) -> Value {
    guard let number = Int64(exactly: self) else { throw .beyondInt64(Self.self) }
    return .integer(number)
  }
}

extension UInt8: ValueConvertible {
  /// An integer within the range of `UInt8`.
  public static func fromValue(_ value: Value) -> UInt8? {
    if case .integer(let number) = value { UInt8(exactly: number) } else { nil }
  }
  /// An integer.
  public func toValue() -> Value { .integer(Int64(self)) }
}

extension UInt16: ValueConvertible {
  /// An integer within the range of `UInt16`.
  public static func fromValue(_ value: Value) -> UInt16? {
    if case .integer(let number) = value { UInt16(exactly: number) } else { nil }
  }
  /// An integer.
  public func toValue() -> Value { .integer(Int64(self)) }
}

extension UInt32: ValueConvertible {
  /// An integer within the range of `UInt32`.
  public static func fromValue(_ value: Value) -> UInt32? {
    if case .integer(let number) = value { UInt32(exactly: number) } else { nil }
  }
  /// An integer.
  public func toValue() -> Value { .integer(Int64(self)) }
}

extension UInt64: ValueConvertible {
  /// An integer within the range of `UInt64`.
  public static func fromValue(_ value: Value) -> UInt64? {
    if case .integer(let number) = value { UInt64(exactly: number) } else { nil }
  }
  /// An integer.
  ///
  /// - Throws: `DatabaseError` with code `mismatch` beyond `Int64.max`, the largest that SQLite has.
  public func toValue() throws(DatabaseError) -> Value {
    guard let number = Int64(exactly: self) else { throw .beyondInt64(Self.self) }
    return .integer(number)
  }
}

extension DatabaseError {
  static func beyondInt64(_ type: Any.Type) -> DatabaseError {
    DatabaseError(
      code: .mismatch,
      message: """
        a \(type) is greater than SQLite's largest integer, 9223372036854775807; store it as text or a BLOB
        """)
  }
}
