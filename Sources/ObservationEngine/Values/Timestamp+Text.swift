extension Timestamp {
  /// The point in time as `2024-05-06 07:08:09.123` in UTC; `nil` outside the years 0 to 9999.
  package var text: String? {
    let milliseconds = microseconds.flooredQuotient(1_000)
    let days = milliseconds.flooredQuotient(86_400_000)
    guard (Self.firstDay...Self.lastDay).contains(days) else { return nil }
    let ofDay = Int(milliseconds - days * 86_400_000)
    let (year, month, day) = Self.civil(days)
    return String(unsafeUninitializedCapacity: 23) { bytes in
      func put(_ number: Int, _ digits: Int, at start: Int, then separator: Character? = nil) {
        var rest = number
        for index in (start..<(start + digits)).reversed() {
          bytes[index] = 0x30 + UInt8(rest % 10)
          rest /= 10
        }
        if let separator { bytes[start + digits] = separator.asciiValue ?? 0x20 }
      }
      put(year, 4, at: 0, then: "-")
      put(month, 2, at: 5, then: "-")
      put(day, 2, at: 8, then: " ")
      put(ofDay / 3_600_000, 2, at: 11, then: ":")
      put(ofDay / 60_000 % 60, 2, at: 14, then: ":")
      put(ofDay / 1_000 % 60, 2, at: 17, then: ".")
      put(ofDay % 1_000, 3, at: 20)
      return 23
    }
  }

  /// Reads `YYYY-MM-DD`, optionally followed by a space or `T` and `HH:MM`, `:SS`, a fraction, and
  /// `Z` or an offset: the forms of SQLite's date functions and of ISO 8601.
  ///
  /// Digits beyond the microsecond are dropped.
  package init?(text: String) {
    var text = text
    let parsed: Int64? = text.withUTF8 { bytes in
      var scanner = Scanner(bytes: bytes)
      return scanner.moment()
    }
    guard let parsed else { return nil }
    self.init(microseconds: parsed)
  }

  private static let firstDay: Int64 = -719_528  // 0000-01-01
  private static let lastDay: Int64 = 2_932_896  // 9999-12-31

  // Counting from March puts the leap day at the end of the year; 146,097 days are 400 years.
  private static func civil(_ days: Int64) -> (year: Int, month: Int, day: Int) {
    let shifted = Int(days) + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * ofYear + 2) / 153
    let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    let day = ofYear - (153 * fromMarch + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  fileprivate static func days(year: Int, month: Int, day: Int) -> Int64? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...12).contains(month), (1...lengths[month - 1]).contains(day) else { return nil }
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let ofEra = shifted - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return Int64(era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468)
  }
}

private struct Scanner {
  let bytes: UnsafeBufferPointer<UInt8>
  var index = 0

  init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { index == bytes.count }

  mutating func take(_ wanted: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: wanted) else { return false }
    index += 1
    return true
  }

  mutating func digit() -> Int? {
    guard index < bytes.count, case 0x30...0x39 = bytes[index] else { return nil }
    index += 1
    return Int(bytes[index - 1] - 0x30)
  }

  mutating func number(_ digits: Int) -> Int? {
    var number = 0
    for _ in 0..<digits {
      guard let digit = digit() else { return nil }
      number = number * 10 + digit
    }
    return number
  }

  mutating func moment() -> Int64? {
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
      let days = Timestamp.days(year: year, month: month, day: day)
    else { return nil }
    let midnight = days * 86_400_000_000
    if isAtEnd { return midnight }
    guard take(" ") || take("T") || take("t"), let hour = number(2), hour < 24, take(":"),
      let minute = number(2), minute < 60
    else { return nil }
    var microseconds = Int64(hour * 60 + minute) * 60_000_000
    if take(":") {
      guard let second = number(2), second < 60 else { return nil }
      microseconds += Int64(second) * 1_000_000
      if take(".") {
        guard let fraction = fraction() else { return nil }
        microseconds += fraction
      }
    }
    guard let offset = offset(), isAtEnd else { return nil }
    return midnight + microseconds - offset
  }

  private mutating func fraction() -> Int64? {
    var weight: Int64 = 100_000
    guard let first = digit() else { return nil }
    var sum = Int64(first) * weight
    while let digit = digit() {
      weight /= 10
      sum += Int64(digit) * weight
    }
    return sum
  }

  private mutating func offset() -> Int64? {
    if isAtEnd || take("Z") || take("z") { return 0 }
    let isNegative = take("-")
    guard isNegative || take("+"), let hours = number(2), hours < 24 else { return nil }
    _ = take(":")
    guard let minutes = number(2), minutes < 60 else { return nil }
    return Int64(hours * 60 + minutes) * (isNegative ? -60_000_000 : 60_000_000)
  }
}
