import Dashboard
import Testing

@testable import LiveQueryTUI

/// Whether everything can be read, by the contrast that WCAG 2 defines: 4.5 for text, 3 for lines.
@Suite struct ContrastTests {
  private struct Case: CustomStringConvertible {
    let theme: Theme
    let background: Palette.Background
    let colors: Int
    /// What the terminal may have behind the text.
    let behind: Int32

    var palette: Palette { Palette(colors: colors, background: background, theme: theme) }
    var description: String { "\(theme.name) on \(String(behind, radix: 16)), \(colors) colours" }
  }

  private static let cases: [Case] = [256, 1 << 24].flatMap { colors in
    EmbeddedThemes.names.map(Theme.builtIn).filter(\.hasColors).flatMap { theme -> [Case] in
      let dark = [0x000000, 0x1e1e1e].map { behind in
        Case(theme: theme, background: .dark, colors: colors, behind: behind)
      }
      let light = [Case(theme: theme, background: .light, colors: colors, behind: 0xffffff)]
      return (theme.dark == nil ? [] : dark) + (theme.light == nil ? [] : light)
    }
  }

  private static let lines: Set<Style.Role> = [.border, .focusedBorder, .barTrack]

  @Test(arguments: cases.indices)
  func `every role can be read`(_ index: Int) {
    let test = Self.cases[index]
    for role in Style.Role.allCases {
      let look = test.palette.look(of: Style(role))
      let contrast = Self.contrast(look, test)
      let least = test.theme.name == "high-contrast" ? 7 : Self.lines.contains(role) ? 3 : 4.5
      #expect(contrast >= least, "\(role) in \(test): \(contrast)")
      #expect(!look.dim, "\(role) in \(test)")
    }
  }

  @Test(arguments: cases.indices)
  func `what has just changed can be read, fresh or faint`(_ index: Int) {
    let test = Self.cases[index]
    for role in Style.Role.allCases where !Self.lines.contains(role) {
      for flash in 1...3 {
        let look = test.palette.look(of: Style(role, flash: UInt8(flash)))
        let contrast = Self.contrast(look, test)
        let least = test.theme.name == "high-contrast" ? 7 : 4.5
        #expect(contrast >= least, "\(role) \(flash) in \(test): \(contrast)")
      }
    }
  }

  @Test(arguments: cases.indices)
  func `the line of the cursor can be read`(_ index: Int) {
    let test = Self.cases[index]
    for role in Style.Role.allCases {
      var style = Style(role)
      style.isSelected = true
      let look = test.palette.look(of: style)
      // Reversed colours have the contrast of the usual ones.
      guard !look.reverse else { continue }
      let least = Self.lines.contains(role) || role == .bar ? 3 : 4.5
      let contrast = Self.contrast(look, test)
      #expect(contrast >= least, "\(role) in \(test): \(contrast)")
    }
  }

  @Test(arguments: cases.indices)
  func `every colour of a ramp can be read`(_ index: Int) {
    let test = Self.cases[index]
    for ramp in Tint.Ramp.allCases {
      for level in 0...Tint.top {
        let look = test.palette.look(of: Style(.bar, tint: Tint(ramp, level: level)))
        let contrast = Self.contrast(look, test)
        // Lengths and charts glow; numbers are hot or cool.
        let least = ramp == .glow ? 3 : 4.5
        #expect(contrast >= least, "\(ramp) \(level) in \(test): \(contrast)")
      }
    }
  }

  private static func contrast(_ look: Palette.Look, _ test: Case) -> Double {
    // The terminal's own text is light or dark; on dark the usual one is no full white.
    let own: Int32 = test.background == .dark ? 0xd0d0d0 : 0x000000
    let text = look.foreground == -1 ? own : rgb(look.foreground, test)
    let behind = look.background == -1 ? test.behind : rgb(look.background, test)
    let lights = [luminance(text), luminance(behind)].sorted()
    return (lights[1] + 0.05) / (lights[0] + 0.05)
  }

  /// The 240 colours of xterm that are the same everywhere: a cube, and greys.
  private static func rgb(_ color: Int32, _ test: Case) -> Int32 {
    guard test.colors == 256 else { return color }
    precondition((16...255).contains(color), "the first 16 are what the person made of them")
    if color >= 232 {
      let grey = 8 + (color - 232) * 10
      return grey << 16 | grey << 8 | grey
    }
    let levels: [Int32] = [0, 0x5f, 0x87, 0xaf, 0xd7, 0xff]
    let index = Int(color) - 16
    return levels[index / 36] << 16 | levels[index / 6 % 6] << 8 | levels[index % 6]
  }

  private static func luminance(_ rgb: Int32) -> Double {
    func linear(_ byte: Int32) -> Double {
      let part = Double(byte & 0xff) / 255
      guard part > 0.04045 else { return part / 12.92 }
      // ((part + 0.055) / 1.055) ** 2.4, without Foundation: x ** 2.4 = x² · x ** (2/5).
      let base = (part + 0.055) / 1.055
      var root = base
      for _ in 0..<40 {
        let fourth = root * root * root * root
        root -= (fourth * root - base * base) / (5 * fourth)
      }
      return base * base * root
    }
    return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8) + 0.0722 * linear(rgb)
  }
}
