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
