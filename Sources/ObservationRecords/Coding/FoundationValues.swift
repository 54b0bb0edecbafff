public import FoundationEssentials
public import ObservationEngine

// MARK: - Date

extension Date: ColumnConvertible {
  /// A date in the form of `DateFormat.iso8601`, or a number of seconds since 1970: a value alone
  /// does not know the format of its database.
  ///
  /// For a database with another format, as for a row that is a dictionary, use
  /// ``fromValue(_:in:)``.
  public static func fromValue(_ value: Value) -> Date? {
    fromValue(value, in: .iso8601)
  }

  /// A date in a format, such as the database's `Configuration.dateFormat`.
  ///
  ///     let due = row?["due"].flatMap { Date.fromValue($0, in: .unixSeconds) }
  public static func fromValue(_ value: Value, in format: DateFormat) -> Date? {
    format.moment(of: value).map { Date($0) }
  }

  /// A date that the connection encodes in its own `Configuration.dateFormat` when it binds the value,
  /// to the microsecond.
  ///
  /// - Throws: `DatabaseError` with code `mismatch` for a date more than 290,000 years from 1970.
  public func toValue() throws(DatabaseError) -> Value { .date(try timestamp()) }

  /// A date, in the format of the database.
  public static func fromColumn(
    _ index: Int, of row: borrowing StatementRow
  ) throws(DatabaseError) -> Date {
    try row.cursor.date(index)
  }

  /// The date in a given format, for a column that does not follow `Configuration.dateFormat`.
  ///
  ///     let due = try now.value(.unixSeconds)
  ///     let late = try db.fetchAll(Task.self, where: "due < ?", [due])
  ///
  /// - Throws: `DatabaseError` with code `mismatch` when the format can't express the date.
  public func value(_ format: DateFormat) throws(DatabaseError) -> Value {
    try format.value(of: timestamp())
  }

  /// The point in time to the microsecond.
  ///
  /// Far from 2001, several microseconds are the same date. A whole millisecond among them is likely
  /// what a column had from which the date was read. Any other might be rounded towards the past, and
  /// the date would be a millisecond earlier each time that it is written back.
  private func timestamp() throws(DatabaseError) -> Timestamp {
    let seconds = timeIntervalSinceReferenceDate.rounded(.down)
    // The difference is exact.
    let fraction = ((timeIntervalSinceReferenceDate - seconds) * 1e6).rounded()
    guard let whole = Int64(exactly: seconds + Self.timeIntervalBetween1970AndReferenceDate),
      case let (product, isTooFar) = whole.multipliedReportingOverflow(by: 1_000_000), !isTooFar,
      case let (nearest, overflow) = product.addingReportingOverflow(Int64(fraction)), !overflow
    else {
      throw DatabaseError(code: .mismatch, message: "a date is too far from 1970 to be stored")
    }
    let ofMillisecond = nearest % 1_000
    let millisecond =
      nearest &- ofMillisecond &+ Int64((Double(ofMillisecond) / 1_000).rounded()) * 1_000
    // Between the two roundings of a date that was made of seconds since 1970, one may be off by one.
    for candidate in [millisecond, nearest, nearest &- 1, nearest &+ 1] {
      let moment = Timestamp(microseconds: candidate)
      if Date(moment) == self { return moment }
    }
    return Timestamp(microseconds: nearest)
  }

  init(_ moment: Timestamp) {
    self.init(timeIntervalSinceReferenceDate: moment.secondsSince2001)
  }
}

extension ValueConvertible where Self: RawRepresentable, RawValue == Date {
  /// The case with this date, in a format.
  public static func fromValue(_ value: Value, in format: DateFormat) -> Self? {
    // Through the conversion that the type may have of its own.
    format.moment(of: value).flatMap { fromValue(.date($0)) }
  }
}

extension RowCursor {
  func date(_ index: Int) throws(DatabaseError) -> Date {
    guard let moment = dateFormat.moment(of: try value(index)) else {
      throw misfit(index, Date.self)
    }
    return Date(moment)
  }

  func decimal(_ index: Int) throws(DatabaseError) -> Decimal {
    guard let number = Decimal.fromValue(try value(index)) else {
      throw misfit(index, Decimal.self)
    }
    return number
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

// MARK: - Decimal

extension Decimal: ColumnConvertible {
  /// Text with a decimal number, exactly; an integer; or a real number as the shortest decimal that
  /// reads back as the same `Double`.
  public static func fromValue(_ value: Value) -> Decimal? {
    switch value {
    case .text(let text): Decimal(exactly: text)
    case .integer(let number): Decimal(number)
    case .real(let number): Decimal(exactly: "\(number)")
    case .null, .blob, .date: nil
    }
  }

  /// Text with all digits, identical for equal numbers: `12.5`, never `12.50`.
  ///
  /// - Throws: `DatabaseError` with code `mismatch` for `Decimal.nan`.
  public func toValue() throws(DatabaseError) -> Value {
    guard !isNaN else {
      throw DatabaseError(
        code: .mismatch, message: "Decimal.nan can't be stored; store NULL")
    }
    var digits = description
    if digits.contains(".") {
      while digits.hasSuffix("0") { digits.removeLast() }
      if digits.hasSuffix(".") { digits.removeLast() }
    }
    return .text(digits)
  }

  /// The number that `text` spells completely; `nil` when it has more digits than a `Decimal` can
  /// represent.
  private init?(exactly text: String) {
    // Foundation reads as far as it can, and rounds: the number must spell the same digits again.
    guard let number = Decimal(string: text), !number.isNaN,
      let spelled = DecimalDigits(text), spelled == DecimalDigits(number.description)
    else { return nil }
    self = number
  }
}

/// The digits and exponent that determine the value of a decimal number in text.
private struct DecimalDigits: Equatable {
  var isNegative = false
  /// Without zeros at either end.
  var digits: [UInt8] = []
  /// The power of ten of the last digit.
  var exponent = 0

  /// - Returns: `nil` when `text` is anything but digits with a sign, a point and an exponent.
  init?(_ text: String) {
    let parts = text.utf8.split(omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
    guard parts.count <= 2, var mantissa = parts.first else { return nil }
    if let sign = mantissa.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      mantissa = mantissa.dropFirst()
    }
    if parts.count == 2 {
      guard let power = Int(Substring(parts[1])), abs(power) < 1_000 else { return nil }
      exponent = power
    }
    var hasPoint = false
    var count = 0
    for byte in mantissa {
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
        continue
      }
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      count += 1
      if hasPoint { exponent -= 1 }
      digits.append(byte)
    }
    guard count > 0 else { return nil }
    digits = Array(digits.drop { $0 == UInt8(ascii: "0") })
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty {
      isNegative = false
      exponent = 0
    }
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
