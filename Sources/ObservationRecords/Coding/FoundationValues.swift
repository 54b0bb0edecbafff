public import FoundationEssentials
public import ObservationEngine

// MARK: - Date

extension Date: ColumnConvertible {
  /// A moment in the form of `DateFormat.iso8601`, or a number of seconds since
  /// 1970: nothing tells here how a certain database stores its moments.
  public static func fromValue(_ value: Value) -> Date? {
    DateFormat.iso8601.moment(of: value).map { Date($0) }
  }

  /// The moment as text in the form of `DateFormat.iso8601`.
  ///
  /// - Throws: `DatabaseError` with code `mismatch` outside of the years 0 to 9999.
  public func toValue() throws(DatabaseError) -> Value { try value(.iso8601) }

  /// A moment, in the format of the database.
  public static func fromColumn(
    _ index: Int, of row: borrowing StatementRow
  ) throws(DatabaseError) -> Date {
    try row.cursor.date(index)
  }

  /// The value that stands for the moment in a database which stores moments so.
  ///
  ///     let due = try now.value(.unixSeconds)
  ///     let late = try db.fetchAll(Task.self, where: "due < ?", [due])
  ///
  /// - Throws: `DatabaseError` with code `mismatch` when the format has no such moment.
  public func value(_ format: DateFormat) throws(DatabaseError) -> Value {
    let microseconds = (timeIntervalSince1970 * 1e6).rounded()
    guard let whole = Int64(exactly: microseconds) else {
      throw DatabaseError(
        code: .mismatch, message: "a date is too far from 1970 to be stored")
    }
    return try format.value(of: Timestamp(microseconds: whole))
  }

  init(_ moment: Timestamp) {
    self.init(timeIntervalSince1970: Double(moment.microseconds) / 1e6)
  }
}

extension RowCursor {
  func date(_ index: Int) throws(DatabaseError) -> Date {
    guard let moment = dateFormat.moment(of: try value(index)) else {
      throw misfit(index, Date.self)
    }
    return Date(moment)
  }

  func url(_ index: Int) throws(DatabaseError) -> URL {
    guard let url = URL(string: try text(index, for: URL.self)) else {
      throw misfit(index, URL.self)
    }
    return url
  }

  func uuid(_ index: Int) throws(DatabaseError) -> UUID {
    guard let uuid = UUID.fromValue(try value(index)) else { throw misfit(index, UUID.self) }
    return uuid
  }

  func data(_ index: Int) throws(DatabaseError) -> Data {
    try withBlob(index, for: Data.self) { Data($0) }
  }
}

// MARK: - Data, URL, UUID

extension Data: ColumnConvertible {
  /// A BLOB.
  public static func fromValue(_ value: Value) -> Data? {
    if case .blob(let bytes) = value { Data(bytes) } else { nil }
  }
  /// A BLOB.
  public func toValue() -> Value { .blob([UInt8](self)) }
  /// A BLOB.
  public static func fromColumn(
    _ index: Int, of row: borrowing StatementRow
  ) throws(DatabaseError) -> Data {
    try row.cursor.data(index)
  }
}

extension URL: ColumnConvertible {
  /// Text that is a URL.
  public static func fromValue(_ value: Value) -> URL? {
    if case .text(let text) = value { URL(string: text) } else { nil }
  }
  /// The absolute string.
  public func toValue() -> Value { .text(absoluteString) }
}

extension UUID: ColumnConvertible {
  /// Text in the form `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`, in either case, or a BLOB of 16 bytes.
  public static func fromValue(_ value: Value) -> UUID? {
    switch value {
    case .text(let text): return UUID(uuidString: text)
    case .blob(let bytes) where bytes.count == 16:
      return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    default: return nil
    }
  }
  /// Text in capital letters.
  public func toValue() -> Value { .text(uuidString) }
}
