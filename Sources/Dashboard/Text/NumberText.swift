/// Numbers for users: with grouped thousands, and no more digits than useful.
package enum NumberText {
  /// Returns `number` with a blank between groups of three digits: `98 410`.
  package static func grouped(_ number: Int64) -> String {
    grouped(digits: String(number.magnitude), negative: number < 0)
  }

  static func grouped(_ number: Int) -> String { grouped(Int64(number)) }

  /// Returns `number` with its sign, even a plus: `+1 250`.
  static func signed(_ number: Int64) -> String {
    number > 0 ? "+" + grouped(number) : grouped(number)
  }

  /// Returns `number` with exactly `decimals` decimals; very large and very small ones in powers of
  /// ten.
  static func real(_ number: Double, decimals: Int, isGrouped: Bool = true) -> String {
    guard number.isFinite else { return number.isNaN ? "NaN" : number < 0 ? "-Inf" : "Inf" }
    let size = number.magnitude
    if size >= 1e15 || (size > 0 && size < 0.5 / powers[min(decimals, 3)]) {
      return scientific(number)
    }
    // With more digits the product below would no longer be exact.
    let decimals = size >= 1e9 ? min(decimals, 3) : decimals
    let scaled = Int64((size * powers[decimals]).rounded())
    let power = Int64(powers[decimals])
    let whole =
      isGrouped ? grouped(digits: String(scaled / power), negative: false) : String(scaled / power)
    let sign = number < 0 && scaled != 0 ? "-" : ""
    guard decimals > 0 else { return sign + whole }
    let fraction = String(scaled % power)
    return sign + whole + "." + String(repeating: "0", count: decimals - fraction.count) + fraction
  }

  /// Returns `number` with exactly `decimals` decimals, however small it is; from 10¹⁵ on in powers
  /// of ten.
  static func fixed(_ number: Double, decimals: Int, isGrouped: Bool = true) -> String {
    let size = number.magnitude
    guard number.isFinite, size < 1e15 else {
      return real(number, decimals: 0, isGrouped: isGrouped)
    }
    // The parts are rounded separately: their sum may have more digits than a number can hold.
    var whole = size.rounded(.down)
    var power: Int64 = 1
    for _ in 0..<decimals { power *= 10 }
    var fraction = Int64(((size - whole) * Double(power)).rounded())
    if fraction >= power {
      whole += 1
      fraction -= power
    }
    let isZero = whole == 0 && fraction == 0
    let digits = String(Int64(whole))
    let text = isGrouped ? grouped(digits: digits, negative: false) : digits
    let sign = number < 0 && !isZero ? "-" : ""
    guard decimals > 0 else { return sign + text }
    return sign + text + "." + String(String(power + fraction).dropFirst())
  }

  /// Returns how many decimals `number` needs, at most `limit`; by default three, or those of three
  /// significant digits.
  static func decimals(of number: Double, limit: Int? = nil) -> Int {
    guard number.isFinite, number.magnitude < 1e12 else { return 0 }
    let limit = limit ?? usualLimit(number.magnitude)
    return (0..<limit).first { count in
      let scaled = number * powers[count]
      // What sums of binary fractions are off; in large numbers less than could be seen.
      let noise = min(1e-9 * max(1, scaled.magnitude), 0.0005 * powers[count])
      return abs(scaled - scaled.rounded()) < noise
    } ?? limit
  }

  /// With three decimals, small numbers would be shown as other ones: 0.0014 as 0.001. Even smaller
  /// ones are shown in powers of ten.
  private static func usualLimit(_ size: Double) -> Int {
    switch size {
    case 0.01..<0.1: 4
    case 0.001..<0.01: 5
    case 0.0005..<0.001: 6
    default: 3
    }
  }

  /// Returns how large `number` is, in the fewest cells: `5e18`.
  static func magnitude(_ number: Double) -> String {
    guard number.isFinite, number != 0 else { return real(number, decimals: 0) }
    let parts = DecimalParts(number)
    let digit = Int(parts.mantissa.rounded())
    let (first, exponent) = digit < 10 ? (digit, parts.exponent) : (1, parts.exponent + 1)
    return (number < 0 ? "-" : "") + "\(first)e\(exponent)"
  }

  /// Returns `number` with three significant digits: `1.23e-05`.
  private static func scientific(_ number: Double) -> String {
    let parts = DecimalParts(number)
    var exponent = parts.exponent
    var hundredths = Int((parts.mantissa * 100).rounded())
    if hundredths >= 1000 {
      hundredths /= 10
      exponent += 1
    }
    let fraction = hundredths % 100
    let digits = abs(exponent)
    return (number < 0 ? "-" : "") + "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
      + "e" + (exponent < 0 ? "-" : "+") + (digits < 10 ? "0" : "") + String(digits)
  }

  private static func grouped(digits: String, negative: Bool) -> String {
    let count = digits.utf8.count
    guard count > 3 else { return negative ? "-" + digits : digits }
    var result = negative ? "-" : ""
    result.reserveCapacity(count + count / 3 + 1)
    var left = count
    for digit in digits {
      if left < count, left % 3 == 0 { result.append(" ") }
      result.append(digit)
      left -= 1
    }
    return result
  }

  private static let powers: [Double] = [1, 10, 100, 1e3, 1e4, 1e5, 1e6]
}

extension NumberText {
  /// Returns `number` with three significant digits and a letter for its thousands: `98.4 k`, `1.25
  /// M`.
  ///
  /// - Parameter decimals: Exactly this many decimals, in place of three digits.
  static func compact(_ number: Double, decimals fixed: Int? = nil) -> String {
    guard number.isFinite, number.magnitude < 999.5e12 else { return real(number, decimals: 0) }
    var size = number
    for unit in ["", " k", " M", " G", " T"] {
      if size.magnitude < 999.5 || unit == " T" {
        if let fixed { return self.fixed(size, decimals: fixed) + unit }
        let limit = size.magnitude < 9.995 ? 2 : size.magnitude < 99.95 ? 1 : 0
        return real(size, decimals: min(limit, decimals(of: rounded(size, limit)))) + unit
      }
      size /= 1000
    }
    return real(number, decimals: 0)
  }

  private static func rounded(_ number: Double, _ decimals: Int) -> Double {
    let power: Double = decimals == 2 ? 100 : decimals == 1 ? 10 : 1
    return (number * power).rounded() / power
  }
}

/// A number in scientific notation: `mantissa` times ten to the power of `exponent`.
struct DecimalParts {
  /// From 1 to less than 10, except for rounding.
  private(set) var mantissa: Double
  private(set) var exponent = 0

  /// - Precondition: `number` is finite, and not zero; its sign is ignored.
  init(_ number: Double) {
    mantissa = number.magnitude
    while mantissa >= 10 {
      mantissa /= 10
      exponent += 1
    }
    while mantissa < 1 {
      mantissa *= 10
      exponent -= 1
    }
  }
}
