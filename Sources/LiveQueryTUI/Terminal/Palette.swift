import CNcurses
import Dashboard

/// Turns the meaning of a cell into the colours and attributes that a terminal has.
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
  enum Depth: Sendable { case none, eight, many }

  let depth: Depth
  let background: Background

  /// - Parameter colors: How many colours the terminal has.
  init(colors: Int, background: Background) {
    depth = colors >= 256 ? .many : colors >= 8 ? .eight : .none
    self.background = background
  }

  func look(of style: Style) -> Look {
    var look =
      switch depth {
      case .none: Self.monochrome(style.role)
      case .eight: eight(style.role)
      case .many: Look(foreground: many(style.role))
      }
    if style.role == .title || style.role == .header { look.bold = true }
    look.bold = look.bold || style.bold
    look.dim = look.dim || style.dim
    look.underline = look.underline || style.underline
    // Reverse twice would be no reverse: an emphasised cell stays emphasised.
    look.reverse = look.reverse || style.reverse
    if style.flash > 0 { flash(&look, style) }
    return look
  }

  private func flash(_ look: inout Look, _ style: Style) {
    guard depth == .many else {
      if style.flash >= 2 { look.reverse = true }
      return
    }
    let levels: [Int32] =
      switch (style.role, background) {
      case (.inserted, .dark): [236, 22, 28]
      case (.removed, .dark): [236, 52, 88]
      case (_, .dark): [236, 58, 94]
      case (.inserted, .light): [255, 194, 157]
      case (.removed, .light): [255, 224, 217]
      case (_, .light): [255, 230, 222]
      }
    look.background = levels[min(Int(style.flash), 3) - 1]
    // Roles have colours made for the terminal's own background; on a strong one, text is text.
    if style.flash >= 2 { look.foreground = background == .dark ? 255 : 16 }
  }

  private static func monochrome(_ role: Style.Role) -> Look {
    switch role {
    case .muted, .barTrack, .removed, .placeholder, .border: Look(dim: true)
    case .focusedBorder, .accent, .inserted, .changed, .warning, .keyHint, .prompt: Look(bold: true)
    case .error: Look(bold: true, reverse: true)
    case .escaped: Look(reverse: true)
    case .text, .title, .header, .bar, .rising, .falling, .statusBar: Look()
    }
  }

  private func eight(_ role: Style.Role) -> Look {
    // Yellow and cyan are hard to read on white.
    let yellow: Int32 = background == .dark ? 3 : 5
    let cyan: Int32 = background == .dark ? 6 : 4
    return switch role {
    case .muted, .barTrack, .border, .placeholder: Look(dim: true)
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

  private func many(_ role: Style.Role) -> Int32 {
    let (dark, light): (Int32, Int32) =
      switch role {
      case .text, .title, .statusBar: (-1, -1)
      case .muted: (245, 243)
      case .border: (240, 248)
      case .focusedBorder: (75, 25)
      case .header: (250, 238)
      case .accent: (81, 25)
      case .bar: (74, 31)
      case .barTrack: (237, 253)
      case .inserted, .rising: (114, 28)
      case .changed: (221, 130)
      case .removed, .falling: (210, 124)
      case .placeholder: (243, 246)
      case .escaped: (176, 90)
      case .warning: (215, 130)
      case .error: (203, 160)
      case .keyHint: (180, 94)
      case .prompt: (81, 25)
      }
    return background == .dark ? dark : light
  }
}

extension Palette.Background {
  /// The background that `COLORFGBG` tells ("15;0": the last number), dark when it tells none.
  init(colorFGBG: String?) {
    guard let last = colorFGBG?.split(separator: ";").last, let number = Int(last) else {
      self = .dark
      return
    }
    self = number == 7 || (9...15).contains(number) ? .light : .dark
  }
}
