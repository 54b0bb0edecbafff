import Dashboard
import TestSupport
import Testing

@testable import LiveQueryTUI

/// Themes as files.
@Suite struct ThemeFileTests {
  private func parse(_ text: String) -> (theme: Theme, diagnostics: [Diagnostic]) {
    ThemeFile.parse(text, name: "mine", standard: .builtIn)
  }

  private static let folder = Playground.projectFile("share/livequery/themes")

  @Test func `the program contains the themes of the repository as they are`() throws {
    let files = ThemeFiles(folders: [Self.folder])
    #expect(files.names == EmbeddedThemes.names, "run Scripts/embed-files")
    for name in EmbeddedThemes.names {
      let text = try TextFile.read("\(Self.folder)/\(name).theme")
      #expect(EmbeddedThemes.text(of: name) == text, "\(name): run Scripts/embed-files")
      #expect(ThemeFile.parse(text, name: name, standard: .builtIn).diagnostics == [])
    }
  }

  @Test func `a byte order mark at the start means nothing`() {
    #expect(parse("\u{feff}[dark]\naccent = 214\n").diagnostics == [])
  }

  @Test func `the standard themes have every role, and nothing else completes them`() {
    for name in ["dark", "light"] {
      let text = EmbeddedThemes.text(of: name) ?? ""
      for key in ThemeFile.keys where !["dim", "colors"].contains(key) {
        #expect(text.contains("\n\(key) = "), "\(name): \(key)")
      }
    }
    #expect(Theme.builtIn("dark").light == nil)
    #expect(Theme.builtIn("light").dark == nil)
  }

  @Test func `what a theme leaves out is as in the standard themes`() {
    let (theme, diagnostics) = parse("[dark]\naccent = 214 #ff8800\n")
    #expect(diagnostics == [])
    var expected = ThemeFile.Standard.builtIn.dark
    expected[.accent] = Theme.Tone(index: 214, rgb: 0xff8800)
    #expect(theme.dark == expected)
    #expect(theme.light == nil)
    #expect(parse("").theme.light == ThemeFile.Standard.builtIn.light)
    #expect(!parse("[dark]").theme.suitsBoth && parse("").theme.suitsBoth)
  }

  @Test func `what stands above the sections applies to both`() {
    let theme = parse("error = 196\nstatus-bar = default\n[dark]\n[light]\nerror = 124").theme
    #expect(theme.dark?[.error]?.index == 196)
    #expect(theme.light?[.error]?.index == 124)
    #expect(parse("dim = off").theme.hasDimText == false)
    #expect(parse("colors = off").theme.suitsBoth == false)
    #expect(parse("flash.changed = 22, #1f4a2a, default").theme.light?.changed.last == .some(nil))
  }

  @Test(
    arguments: [
      ("#ff8800", 208, 0xff8800), ("#000000", 16, 0), ("#808080", 244, 0x808080),
      ("#5f87af", 67, 0x5f87af), ("231", 231, 0xffffff), ("244", 244, 0x808080),
      ("16", 16, 0), ("67 #123456", 67, 0x123456),
    ] as [(String, Int32, Int32)])
  func `a number and red, green, blue give each other`(
    _ text: String, _ index: Int32, _ rgb: Int32
  ) {
    #expect(parse("bar = \(text)").theme.dark?[.bar] == Theme.Tone(index: index, rgb: rgb))
  }

  @Test(arguments: [
    ("[dark]\nacent = 214", #"2:1: error: unknown key "acent", did you mean "accent"?"#),
    ("  accent  214", #"1:3: error: expected "key = value", [dark] or [light]"#),
    ("[drak]", "1:1: error: there is no section [drak]; there are [dark] and [light]"),
    ("[general]", "1:1: error: there is no section [general]; there are [dark] and [light]"),
    (
      "accent = red",
      "1:10: error: red: expected a colour: #rrggbb, a number from 16 to 255, both, or default"
    ),
    (
      "flash.text = 15",
      "1:14: error: 15: expected a colour: #rrggbb, a number from 16 to 255, both, or default"
    ),
    (
      "flash.changed = 22, 23",
      "1:17: error: expected 3 colours with commas between them, faint to strong"
    ),
    (
      "flash.changed = 22, #12345, 23",
      "1:21: error: #12345: expected a colour: #rrggbb, a number from 16 to 255, both, or default"
    ),
    ("bar = 22\n\nbar = 23", #"3:1: error: "bar" is given already on line 1"#),
    ("dim = maybe", "1:7: error: dim maybe: expected on or off"),
    ("[light]\ndim = on", #"2:1: error: "dim" belongs above the sections: it applies to both"#),
    (
      "bar = #-12345",
      "1:7: error: #-12345: expected a colour: #rrggbb, a number from 16 to 255, both, or default"
    ),
  ])
  func `a fault has its place and the remedy`(_ text: String, _ message: String) {
    #expect(parse(text).diagnostics.map { $0.rendered(file: "t") } == ["t:\(message)"])
  }

  @Test func `the user's themes come first, and complete the others`() throws {
    let folder = try TemporaryFolder()
    try folder.write("[dark]\naccent = 214", to: "dark.theme")
    try folder.write("bar = 33", to: "mine.theme")
    try folder.write("", to: "my own.theme")
    try folder.write("", to: ".theme")
    try folder.write("", to: "readme")
    let files = ThemeFiles(folders: [folder.path, Self.folder, folder.path("nowhere")])
    #expect(files.names == (EmbeddedThemes.names + ["mine"]).sorted())
    for name in ["dark", "mine", "auto"] {
      let (theme, faults) = files.load(name)
      #expect(faults == [])
      #expect(theme.dark?[.accent]?.index == 214)
      #expect(theme.dark?[.bar]?.index == (name == "mine" ? 33 : 74))
    }
  }

  @Test func `a faulty file is named, and a theme that is not there has a suggestion`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("\nbar = x", to: "mine.theme")
    let files = ThemeFiles(folders: [folder.path])
    let (theme, faults) = files.load("mine")
    #expect(theme.dark == ThemeFile.Standard.builtIn.dark)
    #expect(faults.count == 1 && faults[0].hasPrefix("\(file):2:7: error: x: expected a colour"))
    #expect(files.shortened(faults[0]).hasPrefix("mine.theme:2:7: error: "))
    #expect(files.load("mime").faults == [#"no theme is called "mime", did you mean "mine"?"#])
  }
}
