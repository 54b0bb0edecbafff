/// A Swift type that is stored as a single SQLite value.
///
/// An enumeration with raw values needs no code of its own:
///
///     enum Team: String, ColumnConvertible { case red, blue }
///     let teams = try db.fetchAll("SELECT team FROM player") { row in try row[0] as Team }
///
/// To read the type from columns as well, conform it to ``ColumnConvertible``.
public protocol ValueConvertible: Sendable {
  /// The value as this type.
  ///
  /// - Returns: `nil` when the storage class does not fit, or the conversion would lose
  ///   information.
  static func fromValue(_ value: Value) -> Self?

  /// The value as this type, with dates in a format.
  ///
  /// Only a type that contains a date implements it, unless its raw value is a `Date`. By default
  /// it is the same as ``fromValue(_:)``.
  ///
  /// - Returns: As ``fromValue(_:)``.
  static func fromValue(_ value: Value, in format: DateFormat) -> Self?

  /// The value that represents this in a database.
  ///
  /// - Throws: `DatabaseError` with code `mismatch` when SQLite has no such value.
  func toValue() throws(DatabaseError) -> Value
}

extension ValueConvertible {
  /// The value as this type, whatever the format of dates.
  @inlinable
  public static func fromValue(_ value: Value, in format: DateFormat) -> Self? {
    fromValue(value)
  }
}

extension Value: ValueConvertible {
  /// Any value is itself.
  public static func fromValue(_ value: Value) -> Value? { value }
  /// Any value is itself.
  public func toValue() -> Value { self }
}

extension Bool: ValueConvertible {
  /// True for any integer but 0.
  public static func fromValue(_ value: Value) -> Bool? {
    if case .integer(let number) = value { number != 0 } else { nil }
  }
  /// 1 or 0.
  public func toValue() -> Value { .integer(self ? 1 : 0) }
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
  /// A real number; SQLite stores NaN as NULL.
  public func toValue() -> Value { .real(self) }
}

extension Float: ValueConvertible {
  /// A real number, rounded to the nearest `Float`, or an integer that a `Float` holds exactly.
  ///
  /// A finite number outside the range of `Float` does not fit.
  public static func fromValue(_ value: Value) -> Float? {
    switch value {
    case .real(let number):
      Float(number).isInfinite && number.isFinite ? nil : Float(number)
    case .integer(let number): Float(exactly: number)
    default: nil
    }
  }
  /// The exact real number; SQLite stores NaN as NULL.
  public func toValue() -> Value { .real(Double(self)) }
}

extension String: ValueConvertible {
  /// Text.
  public static func fromValue(_ value: Value) -> String? {
    if case .text(let text) = value { text } else { nil }
  }
  /// Text.
  public func toValue() -> Value { .text(self) }
}

extension [UInt8]: ValueConvertible {
  /// A BLOB.
  public static func fromValue(_ value: Value) -> [UInt8]? {
    if case .blob(let bytes) = value { bytes } else { nil }
  }
  /// A BLOB.
  public func toValue() -> Value { .blob(self) }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
  /// `nil` for NULL, otherwise the wrapped type.
  public static func fromValue(_ value: Value) -> Wrapped?? {
    if case .null = value { return .some(nil) }
    return Wrapped.fromValue(value).map { .some($0) }
  }
  /// `nil` for NULL, otherwise the wrapped type.
  public static func fromValue(_ value: Value, in format: DateFormat) -> Wrapped?? {
    if case .null = value { return .some(nil) }
    return Wrapped.fromValue(value, in: format).map { .some($0) }
  }
  /// NULL for `nil`.
  public func toValue() throws(DatabaseError) -> Value {
    if let self { try self.toValue() } else { .null }
  }
}

extension ValueConvertible where Self: RawRepresentable, RawValue: ValueConvertible {
  /// The case with this raw value.
  public static func fromValue(_ value: Value) -> Self? {
    RawValue.fromValue(value).flatMap { Self(rawValue: $0) }
  }
  /// The raw value.
  public func toValue() throws(DatabaseError) -> Value { try rawValue.toValue() }
}
