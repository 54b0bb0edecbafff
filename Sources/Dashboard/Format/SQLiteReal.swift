/// Writes real numbers in SQLite's layout, with the fewest digits that read as the same number
/// again: the same text for every reader.
package enum SQLiteReal {
  /// `0.1`, `1.0`, `0.30000000000000004`, `1.0e+25`, `-Inf`.
  package static func text(_ value: Double) -> String {
    if value.isInfinite { return value < 0 ? "-Inf" : "Inf" }
    return finite(value)
  }

  /// The same for JSON. Infinity is `1e999`, which JSON allows and readers parse as infinity.
  package static func json(_ value: Double) -> String {
    if value.isInfinite { return value < 0 ? "-1e999" : "1e999" }
    return finite(value)
  }

  /// Numbers with more digits than SQLite shows have an exponent, as in SQLite.
  private static let mostPlaces = 15

  private static func finite(_ value: Double) -> String {
    // SQLite shows negative zero without its sign.
    if value == 0 { return "0.0" }
    let (digits, exponent) = decimal(value.magnitude)
    let sign = value < 0 ? "-" : ""
    if exponent < -4 || exponent >= mostPlaces {
      let places = String(exponent.magnitude)
      return sign + pointed(digits, after: 1) + (exponent < 0 ? "e-" : "e+")
        + (places.utf8.count < 2 ? "0" : "") + places
    }
    if exponent < 0 { return sign + "0." + zeros(-exponent - 1) + digits }
    return sign + pointed(digits, after: exponent + 1)
  }

  /// Digits with the decimal point after some of them, and at least one after it.
  private static func pointed(_ digits: String, after count: Int) -> String {
    let padded = digits + zeros(count + 1 - digits.utf8.count)
    return padded.prefix(count) + "." + padded.dropFirst(count)
  }

  private static func zeros(_ count: Int) -> String { String(repeating: "0", count: max(0, count)) }

  /// The fewest digits that distinguish a positive number from its neighbours, and the power of ten
  /// of the first.
  private static func decimal(_ value: Double) -> (digits: String, exponent: Int) {
    // The standard library finds them: `5e-324`, `0.001`, `100.0`.
    let parts = value.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    let all = mantissa.joined()
    let significant = all.drop { $0 == "0" }
    let exponent =
      (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) + mantissa[0].utf8.count - 1
      - (all.utf8.count - significant.utf8.count)
    let last = significant.lastIndex { $0 != "0" } ?? significant.startIndex
    return (String(significant[...last]), exponent)
  }
}
