import ObservationEngine

/// A decimal number with more digits than a double keeps. A server's `numeric` value with so many
/// is a text, which has all of them; where values are compared, sorted or drawn, it is the number.
///
/// A text with a decimal point and more than 15 digits is one, and so is an integer beyond 64 bits.
struct LongDecimal {
  /// The nearest double.
  let number: Double
  private let isNegative: Bool
  private let whole: Substring
  private let fraction: Substring

  /// - Complexity: O(length). Columns of texts are sorted by this: a text is refused, without an
  ///   allocation, at its first byte that no such number has there, as a time is at its fifth.
  init?(_ text: String) {
    isNegative = text.utf8.first == UInt8(ascii: "-")
    let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
    guard digits.count > Self.exactDigits, digits.allSatisfy(Self.isDigitOrPoint) else {
      return nil
    }
    let parts = Substring(digits).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count < 3, !parts.contains("") else { return nil }
    whole = parts[0].drop { $0 == "0" }
    var fraction = parts.count == 2 ? parts[1] : ""
    while fraction.last == "0" { fraction.removeLast() }
    self.fraction = fraction
    let significant = whole.isEmpty ? fraction.drop { $0 == "0" } : whole + fraction
    guard parts.count == 2 ? significant.count > Self.exactDigits : Int64(text) == nil,
      // A number doesn't begin with other zeros than one before the point.
      parts[0].count == 1 || parts[0].first != "0", let number = Double(text), number.isFinite
    else { return nil }
    self.number = number
  }

  /// That of a text, if it is one.
  init?(_ value: Value) {
    guard case .text(let text) = value, let found = LongDecimal(text) else { return nil }
    self = found
  }

  /// Below, at or above zero.
  func compared(to other: LongDecimal) -> Int {
    guard isNegative == other.isNegative else { return isNegative ? -1 : 1 }
    func order(_ left: Substring, _ right: Substring) -> Int {
      left == right ? 0 : left < right ? -1 : 1
    }
    let lengths = whole.count == other.whole.count ? 0 : whole.count < other.whole.count ? -1 : 1
    let wholes = lengths == 0 ? order(whole, other.whole) : lengths
    let size = wholes == 0 ? order(fraction, other.fraction) : wholes
    return isNegative ? -size : size
  }

  private static let exactDigits = 15

  private static func isDigitOrPoint(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".")
  }
}

extension Value {
  /// Whether it is sorted before another one: as SQLite sorts, with long decimals among the
  /// numbers.
  func isSorted(before other: Value) -> Bool {
    let (left, right) = (LongDecimal(self), LongDecimal(other))
    if let left, let right { return left.compared(to: right) < 0 }
    return (left.map { .real($0.number) } ?? self).precedes(right.map { .real($0.number) } ?? other)
  }
}
