import Glibc

/// A colour as terminals report it: red, green and blue from 0 to 1.
struct TerminalColor: Equatable {
  let red, green, blue: Double

  init(red: Double, green: Double, blue: Double) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// X11's `rgb:R/G/B`, each of one to four hexadecimal digits, or `rgba:` with an opacity.
  init?(specification: String) {
    let parts = specification.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, ["rgb", "rgba"].contains(parts[0]) else { return nil }
    let components = parts[1].split(separator: "/", omittingEmptySubsequences: false)
      .map(Self.component)
    guard components.count == parts[0].count, !components.contains(nil) else { return nil }
    let values = components.compactMap(\.self)
    self.init(red: values[0], green: values[1], blue: values[2])
  }

  /// `f`, `ff` and `ffff` are the same.
  private static func component(_ digits: Substring) -> Double? {
    guard (1...4).contains(digits.utf8.count), digits.first?.isHexDigit == true,
      let value = Int(digits, radix: 16)
    else { return nil }
    return Double(value) / Double((1 << (4 * digits.utf8.count)) - 1)
  }

  /// The relative luminance of WCAG 2: 0 is black, 1 is white.
  var luminance: Double { 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) }

  private func linear(_ value: Double) -> Double {
    // sRGB's curve, with the exponent 2.4; using 2.2 throughout is accurate enough for this
    // decision.
    pow(value, 2.2)
  }
}

extension Palette.Background {
  /// Light if black text is easier to read than white: WCAG's contrast, whose two sides are equal
  /// at a luminance of 0.18.
  init(_ color: TerminalColor) {
    self = color.luminance > 0.179 ? .light : .dark
  }
}
