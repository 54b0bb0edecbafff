import Dashboard

/// The colours of a screen that no terminal shows: every cell as red, green and blue.
struct ScreenColors {
  /// What a cell looks like.
  struct Look: Hashable {
    var foreground: Int32
    /// nil for the background of the screen.
    var background: Int32?
    var isBold = false
    var isDim = false
    var isUnderlined = false
  }

  /// The colours that a terminal would have of its own.
  let foreground: Int32
  let background: Int32
  private let palette: Palette

  init(theme: Theme, background: Palette.Background = .dark) {
    palette = Palette(colors: 1 << 24, background: background, theme: theme)
    let isDark = palette.background == .dark
    foreground = isDark ? 0xd4d8df : 0x1f2328
    self.background = isDark ? 0x14181e : 0xffffff
  }

  func look(of style: Style) -> Look {
    let look = palette.look(of: style)
    var text = look.foreground == -1 ? foreground : look.foreground
    var behind = look.background == -1 ? nil : look.background
    if look.reverse { (text, behind) = (behind ?? background, text) }
    return Look(
      foreground: text, background: behind, isBold: look.bold, isDim: look.dim,
      isUnderlined: look.underline)
  }

  /// `#56d7f5`.
  static func hex(_ rgb: Int32) -> String {
    let digits = String(rgb & 0xffffff, radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.utf8.count) + digits
  }
}
