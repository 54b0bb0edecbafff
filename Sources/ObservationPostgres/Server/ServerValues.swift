internal import CPostgres
internal import Glibc
internal import ObservationEngine

/// How the text of a column's values becomes a ``Value``; see decision 58.
enum ColumnReading: Equatable {
  case integer
  case real
  case boolean
  case bytes
  /// A `numeric` that was computed, or declared without a precision: a value is text whose whole part and hundredths have
  /// more digits than a double keeps. Of an average, as of 16.6666666666666667, all of them say little.
  case number
  /// A `numeric` declared with more digits than a double keeps: a value with more of them is text.
  case exactNumber
  case text

  /// - Parameters:
  ///   - type: The type's number in `pg_type`; those of the built-in types are fixed.
  ///   - modifier: What was declared in its parentheses; -1 for nothing.
  init(type: UInt32, modifier: Int32) {
    switch type {
    case 20, 21, 23, 26: self = .integer  // int8, int2, int4, oid
    case 700, 701: self = .real  // float4, float8
    case 16: self = .boolean
    case 17: self = .bytes
    case 1700:
      // The precision is in the upper half.
      self = modifier >= 4 && (modifier - 4) >> 16 > Self.exactDigits ? .exactNumber : .number
    default: self = .text
    }
  }

  /// The value of a text as the server writes it.
  func value(_ text: UnsafeBufferPointer<UInt8>) -> Value {
    switch self {
    case .integer: return Self.integer(text).map { .integer($0) } ?? .text(Self.string(text))
    case .real: return Self.real(text)
    case .boolean: return .integer(text.first == UInt8(ascii: "t") ? 1 : 0)
    case .bytes: return Self.bytes(text)
    case .number, .exactNumber:
      if let integer = Self.integer(text) { return .integer(integer) }
      let digits = self == .number ? Self.leadingDigits(text) : Self.significantDigits(text)
      if digits > Self.exactDigits { return .text(Self.string(text)) }
      // NaN and Infinity have letters.
      let isNumber = text.allSatisfy { (0x30...0x39).contains($0) || "-.".utf8.contains($0) }
      return isNumber ? Self.real(text) : .text(Self.string(text))
    case .text: return .text(Self.string(text))
    }
  }

  /// Without the zeros before the first and after the last of them; 12.50 has three.
  private static func significantDigits(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    let digits = text.filter { (0x30...0x39).contains($0) }.drop { $0 == 0x30 }
    let zeros = text.contains(UInt8(ascii: ".")) ? digits.reversed().prefix { $0 == 0x30 }.count : 0
    return digits.count - zeros
  }

  /// Those of the whole part, and two behind it, if there are as many.
  private static func leadingDigits(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.endIndex
    let end = min(point + 3, text.endIndex)
    return significantDigits(UnsafeBufferPointer(rebasing: text[..<end]))
  }

  /// A double keeps as many (DBL_DIG).
  private static let exactDigits: Int32 = 15

  private static func string(_ text: UnsafeBufferPointer<UInt8>) -> String {
    String(decoding: text, as: UTF8.self)
  }

  /// The whole text as an integer.
  private static func integer(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    guard text.count > (isNegative ? 1 : 0) else { return nil }
    var number: Int64 = 0
    for byte in text.dropFirst(isNegative ? 1 : 0) {
      guard (0x30...0x39).contains(byte) else { return nil }
      let (product, isTooBig) = number.multipliedReportingOverflow(by: 10)
      let digit = Int64(byte - 0x30)
      // Downwards: there is one more negative number than positive ones.
      let (sum, overflows) = product.subtractingReportingOverflow(digit)
      guard !isTooBig, !overflows else { return nil }
      number = sum
    }
    return isNegative ? number : number == .min ? nil : -number
  }

  private static func real(_ text: UnsafeBufferPointer<UInt8>) -> Value {
    let string = string(text)
    // A Value is never NaN.
    guard let number = Double(string), !number.isNaN else { return .text(string) }
    return .real(number)
  }

  /// `\x` and hexadecimal digits, as `bytea_output` has it by default.
  private static func bytes(_ text: UnsafeBufferPointer<UInt8>) -> Value {
    guard text.count >= 2, text[0] == UInt8(ascii: "\\"), text[1] == UInt8(ascii: "x") else {
      return .text(string(text))
    }
    func digit(_ byte: UInt8) -> UInt8 { byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x61 + 10 }
    return .blob(
      stride(from: 2, to: text.count - 1, by: 2).map { digit(text[$0]) << 4 | digit(text[$0 + 1]) })
  }
}

extension Value {
  /// As the server reads it for a parameter whose type it infers; nil for NULL.
  package var parameterText: String? {
    switch self {
    case .null: return nil
    case .integer(let number): return String(number)
    case .real(let number): return number.description
    case .text(let text): return text
    case .blob(let bytes):
      let digits = Array("0123456789abcdef".utf8)
      return "\\x"
        + String(
          decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    case .date(let time): return time.text
    }
  }
}
