import CNcurses
import Dashboard

/// Turns the meaning of a cell into a terminal's colours and attributes.
///
/// No meaning depends on colour alone: the views set marks, and without colours roles still differ
/// by attribute where that helps.
struct Palette: Sendable, Equatable {
  /// Colours and attributes; a colour of -1 is the terminal's own.
  struct Look: Sendable, Equatable {
    var foreground: Int32 = -1
    var background: Int32 = -1
    var bold = false
    var dim = false
    var underline = false
    var reverse = false

    /// The attributes as ncurses numbers them.
    var attributes: UInt32 {
      (bold ? lq_attribute_bold : 0) | (dim ? lq_attribute_dim : 0)
        | (underline ? lq_attribute_underline : 0) | (reverse ? lq_attribute_reverse : 0)
    }
  }

  enum Background: Sendable { case dark, light }
  /// How many colours there are: none, the named ones, the 256 of xterm, or any.
  enum Depth: Sendable { case none, eight, many, any }

  let depth: Depth
  /// Which background the colours are for: the theme decides, if it suits only one.
  let background: Background
  let theme: Theme
  /// The theme's colours on this background.
  private let tones: Theme.Tones

  /// - Parameters:
  ///   - colors: How many colours the terminal has; above 256 they are red, green and blue.
  ///   - background: The terminal's background, if known.
  init(colors: Int, background: Background, theme: Theme) {
    depth =
      !theme.hasColors || colors < 8 ? .none : colors > 256 ? .any : colors == 256 ? .many : .eight
    self.theme = theme
    self.background = theme.light == nil ? .dark : theme.dark == nil ? .light : background
    tones = (self.background == .dark ? theme.dark : theme.light) ?? Theme.Tones()
  }

  /// Whether another background would change the appearance of anything.
  var dependsOnBackground: Bool { depth != .none && theme.suitsBoth }

  private func color(_ tone: Theme.Tone?) -> Int32 {
    guard let tone else { return -1 }
    return depth == .any ? tone.rgb : tone.index
  }

  func look(of style: Style) -> Look {
    var look =
      switch depth {
      case .none: Self.monochrome(style.role)
      case .eight: eight(style.role)
      case .many, .any: Look(foreground: color(style.tint.map(tone) ?? tones[style.role]))
      }
    if depth == .eight, let tint = style.tint, tint.ramp == .heat {
      look.foreground = tint.level < 6 ? 2 : tint.level < 11 ? (background == .dark ? 3 : 5) : 1
    }
    if style.role == .title || style.role == .header { look.bold = true }
    look.bold = look.bold || style.bold
    look.dim = look.dim || style.dim
    if !theme.hasDimText {
      look.dim = false
      look.bold = look.bold || [.accent, .error, .warning, .focusedBorder].contains(style.role)
    }
    look.underline = look.underline || style.underline
    // Reversing twice would cancel out: an emphasised cell stays emphasised.
    look.reverse = look.reverse || style.reverse
    if style.isSelected { select(&look, style) }
    if style.flash > 0 { flash(&look, style) }
    return look
  }

  /// The line of the cursor: a soft background where there are colours for it.
  private func select(_ look: inout Look, _ style: Style) {
    guard depth == .many || depth == .any, let selection = tones.selection else {
      look.reverse = true
      // What is faint on the usual background can't be read on the other one.
      look.dim = false
      return
    }
    look.background = color(selection)
    look.bold = true
    if style.tint?.ramp == .heat || Self.isWeak(style.role) {
      look.foreground = color(tones.textOnSelection)
    }
  }

  /// Roles that are too faint for another background than the usual one.
  private static func isWeak(_ role: Style.Role) -> Bool {
    switch role {
    case .muted, .border, .placeholder, .comment, .barTrack, .error: true
    default: false
    }
  }

  /// The colour at a level of a ramp, between those of its roles.
  private func tone(_ tint: Tint) -> Theme.Tone? {
    let roles: [Style.Role] =
      switch tint.ramp {
      case .glow: [.muted, .bar, .accent]
      case .heat: [.rising, .warning, .error]
      }
    let place = Double(tint.level) / Double(Tint.top) * Double(roles.count - 1)
    let lower = min(Int(place), roles.count - 2)
    guard let from = tones[roles[lower]], let to = tones[roles[lower + 1]] else {
      return tones[roles[Int(place.rounded())]]
    }
    let rgb = Self.mixed(from.rgb, to.rgb, place - Double(lower))
    return Theme.Tone(index: depth == .many ? XtermColor.nearest(to: rgb) : 0, rgb: rgb)
  }

  /// The colour at a share of the way between two.
  private static func mixed(_ from: Int32, _ to: Int32, _ share: Double) -> Int32 {
    [16, 8, 0].reduce(0) { rgb, shift in
      let (low, high) = (Double(from >> shift & 0xff), Double(to >> shift & 0xff))
      return rgb | Int32((low + (high - low) * share).rounded()) << shift
    }
  }

  private func flash(_ look: inout Look, _ style: Style) {
    guard depth == .many || depth == .any else {
      if style.flash >= 2 { look.reverse = true }
      return
    }
    let levels =
      switch style.role {
      case .inserted: tones.inserted
      case .removed: tones.removed
      default: tones.changed
      }
    look.background = color(levels[min(Int(style.flash), 3) - 1])
    // Roles have colours for the terminal's own background. On a strong background, text has the
    // text colour; on a faint one too, unless its own colour is strong.
    if style.flash >= 2 {
      look.foreground = color(tones.textOnFlash)
    } else if !Self.isStrong(style.role) {
      look.foreground = color(tones[.text])
    }
  }

  private static func isStrong(_ role: Style.Role) -> Bool {
    switch role {
    case .inserted, .changed, .removed, .rising, .falling, .accent, .warning, .error: true
    default: false
    }
  }

  private static func monochrome(_ role: Style.Role) -> Look {
    switch role {
    case .muted, .barTrack, .removed, .placeholder, .border, .comment: Look(dim: true)
    case .focusedBorder, .accent, .inserted, .changed, .warning, .keyHint, .prompt, .keyword:
      Look(bold: true)
    case .error: Look(bold: true, reverse: true)
    case .escaped: Look(reverse: true)
    case .text, .title, .header, .bar, .rising, .falling, .statusBar, .string, .numeral: Look()
    }
  }

  private func eight(_ role: Style.Role) -> Look {
    // Yellow and cyan are hard to read on white.
    let yellow: Int32 = background == .dark ? 3 : 5
    let cyan: Int32 = background == .dark ? 6 : 4
    return switch role {
    case .muted, .barTrack, .border, .placeholder, .comment: Look(dim: true)
    case .keyword: Look(foreground: cyan, bold: true)
    case .string: Look(foreground: 2)
    case .numeral: Look(foreground: 5)
    case .focusedBorder, .bar, .prompt: Look(foreground: cyan)
    case .accent: Look(foreground: cyan, bold: true)
    case .inserted, .rising: Look(foreground: 2)
    case .removed, .falling: Look(foreground: 1)
    case .changed, .keyHint: Look(foreground: yellow)
    case .warning: Look(foreground: yellow, bold: true)
    case .error: Look(foreground: 1, bold: true)
    case .escaped: Look(foreground: 5)
    case .text, .title, .header, .statusBar: Look()
    }
  }
}

extension Palette.Background {
  /// The background from `COLORFGBG` ("15;0": the last number); nil when it has none.
  init?(colorFGBG: String?) {
    guard let last = colorFGBG?.split(separator: ";").last, let number = Int(last) else {
      return nil
    }
    self = number == 7 || (9...15).contains(number) ? .light : .dark
  }
}

/// Whether to use colours: `--color`.
enum ColorChoice: String, Sendable, CaseIterable {
  /// As many as the terminal has, none with NO_COLOR.
  case auto
  /// Even with NO_COLOR.
  case always
  case never
}
