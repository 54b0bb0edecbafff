/// A Swift type that a single SQLite value can be read as.
public protocol ValueConvertible: Sendable {
  /// The value as this type.
  ///
  /// - Returns: `nil` when the storage class does not fit, or would lose information.
  static func fromValue(_ value: Value) -> Self?
}

extension Value: ValueConvertible {
  /// Any value is itself.
  public static func fromValue(_ value: Value) -> Value? { value }
}

extension Int: ValueConvertible {
  /// An integer.
  public static func fromValue(_ value: Value) -> Int? {
    if case .integer(let number) = value { Int(exactly: number) } else { nil }
  }
}

extension Int64: ValueConvertible {
  /// An integer.
  public static func fromValue(_ value: Value) -> Int64? {
    if case .integer(let number) = value { number } else { nil }
  }
}

extension Bool: ValueConvertible {
  /// An integer: false for 0.
  public static func fromValue(_ value: Value) -> Bool? {
    if case .integer(let number) = value { number != 0 } else { nil }
  }
}

extension Double: ValueConvertible {
  /// A real number, or an integer that a `Double` holds exactly.
  public static func fromValue(_ value: Value) -> Double? {
    switch value {
    case .real(let number): number
    case .integer(let number): Double(exactly: number)
    default: nil
    }
  }
}

extension String: ValueConvertible {
  /// Text.
  public static func fromValue(_ value: Value) -> String? {
    if case .text(let text) = value { text } else { nil }
  }
}

extension [UInt8]: ValueConvertible {
  /// A BLOB.
  public static func fromValue(_ value: Value) -> [UInt8]? {
    if case .blob(let bytes) = value { bytes } else { nil }
  }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
  /// NULL as `nil`, all else as the wrapped type.
  public static func fromValue(_ value: Value) -> Wrapped?? {
    if case .null = value { return .some(nil) }
    return Wrapped.fromValue(value).map { .some($0) }
  }
}
