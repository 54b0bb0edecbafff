/// Times as text, in the forms that SQLite's date functions read, and in PostgreSQL's: `…+02` for
/// `…+02:00`.
///
///     SQLMoment.seconds("2026-11-20 12:04:31.204")     // 1795176271.204
///     SQLMoment.seconds("2026-11-20T14:04+02:00")      // 1795176240
///     SQLMoment.seconds("12:04")                       // on 2000-01-01, as for SQLite
///     SQLMoment.seconds("2026-13-01")                  // nil
///
/// - SeeAlso: <https://www.sqlite.org/lang_datefunc.html>
enum SQLMoment {
  /// Returns the seconds since 1970-01-01 00:00 UTC; a text without a zone counts as UTC.
  ///
  /// - Complexity: O(1): texts longer than any time are not read.
  static func seconds(_ text: String) -> Double? {
    guard (4...40).contains(text.utf8.count), let first = text.utf8.first,
      // Most texts aren't times and need not be read.
      first == UInt8(ascii: "+") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= first
    else { return nil }
    var reader = Reader(bytes: Array(text.utf8))
    guard let seconds = reader.moment() else { return julianDay(text) }
    return seconds
  }

  /// Days since 1970-01-01 of a day of the Gregorian calendar; the day may exceed its month.
  static func days(year: Int, month: Int, day: Int) -> Int {
    // As in CivilTime: years that start in March have their leap day at the end.
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// `2461365.003`: with a point, because plain digits are usually something else.
  private static func julianDay(_ text: String) -> Double? {
    guard text.utf8.contains(UInt8(ascii: ".")), let day = Double(text) else { return nil }
    return MomentForm.julianDay.seconds(day)
  }

  /// Reads digits and separators from left to right.
  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func moment() -> Double? {
      var date = 10957  // 2000-01-01, on which SQLite puts a time of day
      if let year = digits(4) {
        guard skip("-"), let month = digits(2), skip("-"), let day = digits(2),
          (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        date = SQLMoment.days(year: year, month: month, day: day)
        if isAtEnd { return Double(date) * 86_400 }
        guard skip("T") || skip(" ") else { return nil }
        skipBlanks()
      }
      guard let time = time() else { return nil }
      return Double(date) * 86_400 + time
    }

    private mutating func time() -> Double? {
      guard let hour = digits(2), skip(":"), let minute = digits(2), hour <= 24, minute <= 59 else {
        return nil
      }
      var seconds = Double(hour * 3600 + minute * 60)
      if skip(":") {
        guard let second = digits(2), second <= 59 else { return nil }
        seconds += Double(second)
        if skip(".") {
          var unit = 0.1
          let start = position
          while let digit = digits(1) {
            seconds += Double(digit) * unit
            unit /= 10
          }
          guard position > start else { return nil }
        }
      }
      skipBlanks()
      if isAtEnd || (skip("Z") || skip("z")) && isAtEnd { return seconds }
      let isWest = skip("-")
      guard isWest || skip("+"), let hours = digits(2), let minutes = isAtEnd ? 0 : offsetMinutes(),
        isAtEnd, hours <= 14, minutes <= 59
      else { return nil }
      let offset = Double(hours * 3600 + minutes * 60)
      return isWest ? seconds + offset : seconds - offset
    }

    private mutating func offsetMinutes() -> Int? { skip(":") ? digits(2) : nil }

    /// Exactly this many digits; none are taken when there are fewer.
    private mutating func digits(_ count: Int) -> Int? {
      guard position + count <= bytes.count else { return nil }
      var number = 0
      for byte in bytes[position..<position + count] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
      }
      position += count
      return number
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
      guard position < bytes.count, bytes[position] == UInt8(ascii: scalar) else { return false }
      position += 1
      return true
    }

    private mutating func skipBlanks() { while skip(" ") {} }
  }
}
