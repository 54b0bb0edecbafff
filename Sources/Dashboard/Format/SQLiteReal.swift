/// Writes real numbers as SQLite does, digit for digit.
///
/// SQLite has no shortest rendering: it computes a fixed number of decimal digits by long double
/// arithmetic and drops the zeros at their end. The steps below are those of its `%!.*g`
/// (sqlite3_str_vappendf in printf.c of 3.40), because only the same roundings give the same digits.
package enum SQLiteReal {
  /// What `CAST(value AS TEXT)` gives: up to 15 digits, `1.0`, `1.0e+25`, `-Inf`.
  package static func text(_ value: Double) -> String {
    if value.isInfinite { return value < 0 ? "-Inf" : "Inf" }
    return rendered(value, digits: 15)
  }

  /// What `sqlite3 -json` prints: up to 20 digits. Infinity is `1e999`, which JSON allows and which
  /// readers take for infinity.
  package static func json(_ value: Double) -> String {
    if value.isInfinite { return value < 0 ? "-1e999" : "1e999" }
    let text = rendered(value, digits: 20)
    // Beyond 1e200 the errors add up so far that a few numbers would read as their neighbours.
    return Double(text) == value ? text : value.description
  }

  /// ``text(_:)`` when that reads as the same number again, and more digits otherwise.
  package static func exactText(_ value: Double) -> String {
    let text = text(value)
    return value.isInfinite || Double(text) == value ? text : value.description
  }

  // SQLite's LONGDOUBLE_TYPE is what the C compiler calls long double.
  #if arch(x86_64) || arch(i386)
  private typealias Extended = Float80
  #else
  // Swift has no wider type here: the last of 20 digits may be others than SQLite's.
  private typealias Extended = Double
  #endif

  private static let rounders: [Double] = [
    5.0e-01, 5.0e-02, 5.0e-03, 5.0e-04, 5.0e-05, 5.0e-06, 5.0e-07, 5.0e-08, 5.0e-09, 5.0e-10,
  ]

  private static func rendered(_ value: Double, digits: Int) -> String {
    // SQLite shows negative zero without its sign.
    if value == 0 { return "0.0" }
    var (rest, exponent) = normalized(Extended(value.magnitude))
    rest += Extended(rounder(digits: digits))
    if rest >= 10 {
      rest *= Extended(0.1 as Double)
      exponent += 1
    }
    var text: [UInt8] = value < 0 ? [UInt8(ascii: "-")] : []
    let isScientific = exponent < -4 || exponent > digits - 1
    let point = isScientific ? 0 : exponent
    if point < 0 {
      text += Array("0.".utf8) + Array(repeating: UInt8(ascii: "0"), count: -point - 1)
    }
    for index in 0..<digits {
      let digit = Int(rest)
      text.append(UInt8(ascii: "0") + UInt8(digit))
      rest = (rest - Extended(digit)) * 10
      if index == point { text.append(UInt8(ascii: ".")) }
    }
    while text.last == UInt8(ascii: "0") { text.removeLast() }
    if text.last == UInt8(ascii: ".") { text.append(UInt8(ascii: "0")) }
    var result = String(decoding: text, as: UTF8.self)
    if isScientific {
      let places = String(exponent.magnitude)
      result += (exponent < 0 ? "e-" : "e+") + (places.utf8.count < 2 ? "0" : "") + places
    }
    return result
  }

  /// `value` as a number from 1 to 10 and a power of ten.
  private static func normalized(_ value: Extended) -> (rest: Extended, exponent: Int) {
    var rest = value
    var exponent = 0
    var scale: Extended = 1
    // Double constants, as in C: none of the larger powers of ten is exact in both types.
    for (step, places): (Double, Int) in [(1e100, 100), (1e10, 10), (10, 1)] {
      while rest >= Extended(step) * scale, exponent <= 350 {
        scale *= Extended(step)
        exponent += places
      }
    }
    rest /= scale
    while rest < Extended(1e-8 as Double) {
      rest *= 1e8
      exponent -= 8
    }
    while rest < 1 {
      rest *= 10
      exponent -= 1
    }
    return (rest, exponent)
  }

  /// Half a unit of the last digit.
  private static func rounder(digits: Int) -> Double {
    var places = digits - 1
    var rounder = rounders[places % 10]
    while places >= 10 {
      rounder *= 1.0e-10
      places -= 10
    }
    return rounder
  }
}
