import Dashboard

extension Palette {
  /// One colour, as the 256 of xterm and as red, green and blue; nil is the terminal's own.
  struct Tone: Sendable {
    let index: Int32
    let rgb: Int32

    init(_ index: Int32, _ rgb: Int32) {
      self.index = index
      self.rgb = rgb
    }
  }

  /// The colours of a theme: of text, and of the background of recent changes.
  ///
  /// Text has a contrast of at least 4.5, as WCAG 2 measures it, on black and #1e1e1e or on white;
  /// lines have 3. In high contrast all have 7.
  struct Tones: Sendable {
    let role: @Sendable (Style.Role) -> Tone?
    /// By age of the change, faint to strong.
    let inserted: [Tone]
    let removed: [Tone]
    let changed: [Tone]
    /// On the strong ones, where a role's own colour would be unreadable.
    let textOnFlash: Tone
  }

  static let dark = Tones(
    role: { role in
      switch role {
      case .text, .title, .statusBar: nil
      case .muted: Tone(245, 0x8a8f98)
      case .border: Tone(242, 0x6a717d)
      case .focusedBorder: Tone(75, 0x61afef)
      case .header: Tone(250, 0xb8bcc4)
      case .accent: Tone(81, 0x56d7f5)
      case .bar: Tone(74, 0x5a9fc4)
      case .barTrack: Tone(242, 0x6a717d)
      case .inserted, .rising: Tone(114, 0x8ccf7e)
      case .changed: Tone(221, 0xf2cf66)
      case .removed, .falling: Tone(210, 0xf28b82)
      case .placeholder: Tone(245, 0x858b96)
      case .escaped: Tone(176, 0xc98be0)
      case .warning: Tone(215, 0xf5b060)
      case .error: Tone(203, 0xf7605a)
      case .keyHint: Tone(180, 0xd8b98a)
      case .prompt: Tone(81, 0x56d7f5)
      case .keyword: Tone(111, 0x82aaff)
      case .string: Tone(150, 0xa8d08d)
      case .numeral: Tone(180, 0xd8b98a)
      case .comment: Tone(245, 0x858b96)
      }
    },
    inserted: [Tone(235, 0x232b25), Tone(22, 0x1f4a2a), Tone(28, 0x2c7a3f)],
    removed: [Tone(235, 0x2e2526), Tone(52, 0x57242a), Tone(88, 0x8a2f38)],
    changed: [Tone(235, 0x2d2b22), Tone(58, 0x554a1d), Tone(94, 0x7d681c)],
    textOnFlash: Tone(231, 0xffffff))

  static let light = Tones(
    role: { role in
      switch role {
      case .text, .title, .statusBar: nil
      case .muted: Tone(243, 0x6b7280)
      case .border: Tone(245, 0x8a8f99)
      case .focusedBorder: Tone(25, 0x1f5fae)
      case .header: Tone(238, 0x3f444d)
      case .accent: Tone(26, 0x1459a8)
      case .bar: Tone(24, 0x24789f)
      case .barTrack: Tone(245, 0x8a8f99)
      case .inserted, .rising: Tone(22, 0x1a7430)
      case .changed: Tone(94, 0x935700)
      case .removed, .falling: Tone(124, 0xa8201a)
      case .placeholder: Tone(243, 0x6e747f)
      case .escaped: Tone(90, 0x7d1f8f)
      case .warning: Tone(94, 0x985500)
      case .error: Tone(160, 0xc3201c)
      case .keyHint: Tone(94, 0x7a5410)
      case .prompt: Tone(25, 0x1459a8)
      case .keyword: Tone(26, 0x1a4fb0)
      case .string: Tone(28, 0x1c7a32)
      case .numeral: Tone(94, 0x7a5410)
      case .comment: Tone(243, 0x6b7280)
      }
    },
    inserted: [Tone(255, 0xeef7ee), Tone(194, 0xd3f2d5), Tone(157, 0xa9e6b0)],
    removed: [Tone(255, 0xf9efee), Tone(224, 0xf8d9d6), Tone(217, 0xf3b6b1)],
    changed: [Tone(255, 0xf8f5ea), Tone(230, 0xf7ecc4), Tone(222, 0xf2d98a)],
    textOnFlash: Tone(16, 0x101216))

  static let darkContrast = Tones(
    role: { role in
      switch role {
      case .text, .title, .statusBar, .muted, .border, .header, .placeholder, .comment:
        Tone(231, 0xffffff)
      case .focusedBorder, .accent, .prompt, .keyword: Tone(51, 0x00ffff)
      case .bar: Tone(231, 0xffffff)
      case .barTrack: Tone(249, 0xb2b2b2)
      case .inserted, .rising, .string: Tone(46, 0x00ff00)
      case .changed, .warning, .keyHint, .numeral: Tone(226, 0xffff00)
      case .removed, .falling, .error: Tone(210, 0xff8c8c)
      case .escaped: Tone(213, 0xff87ff)
      }
    },
    inserted: [Tone(233, 0x0a1f0a), Tone(34, 0x00af00), Tone(46, 0x00ff00)],
    removed: [Tone(233, 0x240c0c), Tone(203, 0xff6b6b), Tone(217, 0xffafaf)],
    changed: [Tone(233, 0x1f1c08), Tone(178, 0xd7af00), Tone(226, 0xffff00)],
    textOnFlash: Tone(16, 0x000000))

  static let lightContrast = Tones(
    role: { role in
      switch role {
      case .text, .title, .statusBar, .muted, .border, .header, .placeholder, .bar,
        .comment:
        Tone(16, 0x000000)
      case .focusedBorder, .accent, .prompt, .keyword: Tone(18, 0x000087)
      case .barTrack: Tone(240, 0x555555)
      case .inserted, .rising, .string: Tone(22, 0x005f00)
      case .changed, .warning, .keyHint, .numeral: Tone(52, 0x5f2f00)
      case .removed, .falling, .error: Tone(88, 0x870000)
      case .escaped: Tone(53, 0x5f005f)
      }
    },
    inserted: [Tone(194, 0xd7ffd7), Tone(157, 0xafffaf), Tone(120, 0x87ff87)],
    removed: [Tone(224, 0xffd7d7), Tone(217, 0xffafaf), Tone(210, 0xff8787)],
    changed: [Tone(230, 0xffffd7), Tone(229, 0xffffaf), Tone(228, 0xffff87)],
    textOnFlash: Tone(16, 0x000000))
}
