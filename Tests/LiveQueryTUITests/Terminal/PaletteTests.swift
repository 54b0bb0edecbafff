import Dashboard
import Testing

@testable import LiveQueryTUI

extension Theme {
  static let auto = builtIn("auto")
  static let onDark = builtIn("dark")
  static let onLight = builtIn("light")
  static let highContrast = builtIn("high-contrast")
  static let mono = builtIn("mono")
}

@Suite struct PaletteTests {
  @Test(arguments: Style.Role.allCases)
  func `without colours no role has one`(_ role: Style.Role) {
    let palette = Palette(colors: 0, background: .dark, theme: .auto)
    for flash in 0...3 {
      let look = palette.look(of: Style(role, flash: UInt8(flash)))
      #expect(look.foreground == -1)
      #expect(look.background == -1)
    }
  }

  @Test(arguments: [0, 8])
  func `with few colours a fresh change is reverse video`(_ colors: Int) {
    let palette = Palette(colors: colors, background: .dark, theme: .auto)
    let reverse = (0...3).map { palette.look(of: Style(.text, flash: UInt8($0))).reverse }
    #expect(reverse == [false, false, true, true])
  }

  @Test(arguments: [Palette.Background.dark, .light])
  func `a change fades in steps that differ`(_ background: Palette.Background) {
    let palette = Palette(colors: 256, background: background, theme: .auto)
    for role in [Style.Role.inserted, .changed, .removed] {
      let steps = (0...3).map { palette.look(of: Style(role, flash: UInt8($0))).background }
      #expect(Set(steps).count == 4)
    }
  }

  @Test(arguments: [8, 16, 88])
  func `eight colours are never exceeded`(_ colors: Int) {
    for background in [Palette.Background.dark, .light] {
      let palette = Palette(colors: colors, background: background, theme: .auto)
      let looks = Style.Role.allCases.map { palette.look(of: Style($0)) }
      #expect(looks.allSatisfy { $0.foreground < 8 && $0.background == -1 })
    }
  }

  @Test func `attributes of a style add to those of its role`() {
    let palette = Palette(colors: 0, background: .dark, theme: .auto)
    let look = palette.look(of: Style(.error, dim: true, underline: true))
    #expect(look == Palette.Look(bold: true, dim: true, underline: true, reverse: true))
  }

  @Test(
    arguments: [
      (nil, nil), ("15;0", .dark), ("0;15", .light), ("0;default;7", .light), ("x", nil),
      ("0;default", nil), ("0;8", .dark),
    ] as [(String?, Palette.Background?)])
  func `the background is read from COLORFGBG`(
    _ value: String?, _ background: Palette.Background?
  ) {
    #expect(Palette.Background(colorFGBG: value) == background)
  }
}

@Suite struct ThemeTests {
  @Test(arguments: Style.Role.allCases)
  func `mono has no colour, however many there are`(_ role: Style.Role) {
    let palette = Palette(colors: 1 << 24, background: .dark, theme: .mono)
    let look = palette.look(of: Style(role, flash: 3))
    #expect(look.foreground == -1 && look.background == -1)
  }

  @Test func `a theme goes before what the terminal tells of its background`() {
    let text = Style(.border)
    let light = Palette(colors: 256, background: .dark, theme: .onLight).look(of: text)
    #expect(light == Palette(colors: 256, background: .light, theme: .auto).look(of: text))
    #expect(light != Palette(colors: 256, background: .dark, theme: .auto).look(of: text))
  }

  @Test(arguments: [Palette.Background.dark, .light])
  func `in high contrast nothing is dim, and text is as far from its background as can be`(
    _ background: Palette.Background
  ) {
    let palette = Palette(colors: 256, background: background, theme: .highContrast)
    for role in Style.Role.allCases {
      #expect(!palette.look(of: Style(role, dim: true)).dim)
    }
    let text = palette.look(of: Style(.text)).foreground
    #expect(text == (background == .dark ? 231 : 16))
  }

  @Test func `with true colour a role is red, green and blue, and with 256 one of those`() {
    let palette = Palette(colors: 1 << 24, background: .dark, theme: .onDark)
    let many = Palette(colors: 256, background: .dark, theme: .onDark)
    for role in Style.Role.allCases {
      let color = palette.look(of: Style(role)).foreground
      #expect(color == -1 || color > 255, "\(role)")
      #expect((color == -1) == (many.look(of: Style(role)).foreground == -1))
      #expect(many.look(of: Style(role)).foreground < 256)
    }
  }

  @Test func `what is made for one background does not ask for it`() {
    func depends(_ theme: Theme, colors: Int = 256) -> Bool {
      Palette(colors: colors, background: .dark, theme: theme).dependsOnBackground
    }
    let themes = [Theme.auto, .onDark, .highContrast, .onLight, .mono]
    #expect(themes.filter { depends($0) } == [.auto, .highContrast])
    #expect(depends(.auto, colors: 8))
    #expect(!depends(.auto, colors: 0))
  }

  @Test(arguments: [Theme.onDark, .onLight, .highContrast])
  func `in every theme a change fades in steps that differ`(_ theme: Theme) {
    for colors in [256, 1 << 24] {
      let palette = Palette(colors: colors, background: .dark, theme: theme)
      for role in [Style.Role.inserted, .changed, .removed] {
        let steps = (0...3).map { palette.look(of: Style(role, flash: UInt8($0))).background }
        #expect(Set(steps).count == 4)
      }
    }
  }
}
