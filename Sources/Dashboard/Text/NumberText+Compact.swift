extension NumberText {
  /// Returns `number` with three significant digits and a letter for its thousands: `98.4 k`, `1.25
  /// M`.
  static func compact(_ number: Double) -> String {
    guard number.isFinite, number.magnitude < 999.5e12 else { return real(number, decimals: 0) }
    var size = number
    for unit in ["", " k", " M", " G", " T"] {
      if size.magnitude < 999.5 || unit == " T" {
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
