/// A Swift type that is read from a column of a running query, without an intermediate `Value`
/// where that is faster.
///
/// A type that is ``ValueConvertible`` needs no further code:
///
///     enum Team: String, ColumnConvertible { case red, blue }
public protocol ColumnConvertible: ValueConvertible {
  /// The value of a column of `row`, counted from 0.
  ///
  /// - Throws: `DatabaseError`: with code `mismatch` when it does not fit; with code `range` when
  ///   there is no such column.
  static func fromColumn(
    _ index: Int, of row: borrowing StatementRow
  ) throws(DatabaseError) -> Self
}

extension ColumnConvertible {
  /// Reads the value through ``ValueConvertible``.
  public static func fromColumn(
    _ index: Int, of row: borrowing StatementRow
  ) throws(DatabaseError) -> Self {
    guard let output = Self.fromValue(try row.cursor.value(index), in: row.cursor.dateFormat)
    else {
      throw row.cursor.misfit(index, Self.self)
    }
    return output
  }
}

extension Value: ColumnConvertible {}

extension Bool: ColumnConvertible {
  /// True for any integer but 0.
  public static func fromColumn(
    _ index: Int, of row: borrowing StatementRow
  ) throws(DatabaseError) -> Bool {
    try row.cursor.integer(index, for: Bool.self) != 0
  }
}

extension Double: ColumnConvertible {
  /// A real number, or an integer that a `Double` holds exactly.
  public static func fromColumn(
    _ index: Int, of row: borrowing StatementRow
  ) throws(DatabaseError) -> Double {
    try row.cursor.real(index, for: Double.self)
  }
}

extension Float: ColumnConvertible {}

extension String: ColumnConvertible {
  /// Text.
  public static func fromColumn(
    _ index: Int, of row: borrowing StatementRow
  ) throws(DatabaseError) -> String {
    try row.cursor.text(index, for: String.self)
  }
}

extension [UInt8]: ColumnConvertible {
  /// A BLOB.
  public static func fromColumn(
    _ index: Int, of row: borrowing StatementRow
  ) throws(DatabaseError) -> [UInt8] {
    try row.cursor.withBlob(index, for: [UInt8].self) { [UInt8]($0) }
  }
}

extension Optional: ColumnConvertible where Wrapped: ColumnConvertible {
  /// `nil` for NULL.
  @inlinable
  public static func fromColumn(
    _ index: Int, of row: borrowing StatementRow
  ) throws(DatabaseError) -> Wrapped? {
    try row.isNull(index) ? nil : Wrapped.fromColumn(index, of: row)
  }
}

// MARK: - Integers

extension Int64: ColumnConvertible {
  /// An integer.
  public static func fromColumn(
    _ index: Int, of row: borrowing StatementRow
  ) throws(DatabaseError) -> Int64 {
    try row.cursor.integer(index, for: Int64.self)
  }
}

extension Int: ColumnConvertible {
  /// An integer.
  public static func fromColumn(
    _ index: Int, of row: borrowing StatementRow
  ) throws(DatabaseError) -> Int {
    try row.cursor.narrow(index)
  }
}

extension Int8: ColumnConvertible {}
extension Int16: ColumnConvertible {}
extension Int32: ColumnConvertible {}
extension UInt: ColumnConvertible {}
extension UInt8: ColumnConvertible {}
extension UInt16: ColumnConvertible {}
extension UInt32: ColumnConvertible {}
extension UInt64: ColumnConvertible {}
