import Dashboard

/// A theme as a file: `accent = #56d7f5`, in a section for each background that the theme suits.
///
///     # Like the standard theme, but on a dark background links are orange.
///     [dark]
///     accent = 214 #ff8800
///     flash.changed = #2d2b22, #554a1d, #7d681c
///
/// - `ROLE = COLOUR`, for each ``Style/Role``: a number from 16 to 255, `#rrggbb`, both, or
///   `default` for the terminal's own. Of the number and the other form, the program derives the
///   one that is missing.
/// - `flash.inserted`, `flash.removed` and `flash.changed`: three backgrounds, faint to strong;
///   `flash.text` is the text on the strong ones.
/// - `selection`: the background of the line of the cursor; `default` for reversed colours.
///   `selection.text` is the text on it whose own colour would be too weak there.
/// - `dim = off`: nothing is dim. `colors = off`: there are no colours. Both stand before the
///   sections.
///
/// What stands before the sections applies in each. A theme without sections suits both
/// backgrounds. What it leaves out is as in the standard themes.
struct ThemeFile {
  /// What other themes leave out.
  struct Standard {
    var dark = Theme.Tones()
    var light = Theme.Tones()

    /// The colours that the program contains.
    static let builtIn = Standard(
      dark: tones(of: "dark").dark ?? Theme.Tones(),
      light: tones(of: "light").light ?? Theme.Tones())

    private static func tones(of name: String) -> Theme {
      ThemeFile.parse(EmbeddedThemes.text(of: name) ?? "", name: name, standard: Standard()).theme
    }
  }

  private enum Section: String, CaseIterable { case general, dark, light }

  private var theme: Theme
  private var diagnostics: [Diagnostic] = []
  private var section = Section.general
  /// What each section sets, in order.
  private var changes: [Section: [(inout Theme.Tones) -> Void]] = [:]
  /// The line of each setting, by section and key.
  private var lines: [String: Int] = [:]

  /// Reads the text of a theme file.
  ///
  /// - Parameter standard: What the text leaves out.
  /// - Returns: The theme without the lines that have faults, and their faults.
  static func parse(
    _ text: String, name: String, standard: Standard
  ) -> (theme: Theme, diagnostics: [Diagnostic]) {
    var file = ThemeFile(theme: Theme(name: name))
    for line in SettingLine.lines(of: text) { file.read(line) }
    return (file.completed(standard), file.diagnostics)
  }

  private init(theme: Theme) { self.theme = theme }

  private func completed(_ standard: Standard) -> Theme {
    func tones(_ base: Theme.Tones, _ own: Section) -> Theme.Tones? {
      guard changes[own] != nil || (changes[.dark] == nil && changes[.light] == nil) else {
        return nil
      }
      var tones = base
      for change in (changes[.general] ?? []) + (changes[own] ?? []) { change(&tones) }
      return tones
    }
    var theme = theme
    theme.dark = tones(standard.dark, .dark)
    theme.light = tones(standard.light, .light)
    return theme
  }

  // MARK: - Lines

  private mutating func read(_ line: SettingLine) {
    if line.content.first == "[", line.content.last == "]" { return beginSection(line) }
    guard let (key, value) = line.setting else {
      return note(line, line.content, "expected \"key = value\", [dark] or [light]")
    }
    guard Self.keys.contains(String(key)) else {
      return diagnostics.append(line.hasUnknown(key, among: Self.keys))
    }
    if let first = lines.updateValue(line.number, forKey: "\(section.rawValue) \(key)") {
      return diagnostics.append(line.repeats(key, of: first))
    }
    switch key {
    case "dim", "colors": setSwitch(line, key, value)
    case "flash.inserted": if let tones = levels(line, value) { change { $0.inserted = tones } }
    case "flash.removed": if let tones = levels(line, value) { change { $0.removed = tones } }
    case "flash.changed": if let tones = levels(line, value) { change { $0.changed = tones } }
    case "selection": if let tone = tone(line, value) { change { $0.selection = tone } }
    case "selection.text": if let tone = tone(line, value) { change { $0.textOnSelection = tone } }
    case "flash.text": if let tone = tone(line, value) { change { $0.textOnFlash = tone } }
    default:
      if let role = Self.roles[String(key)], let tone = tone(line, value) {
        change { $0[role] = tone }
      }
    }
  }

  private mutating func beginSection(_ line: SettingLine) {
    let name = line.content.dropFirst().dropLast()
    guard let next = Section(rawValue: String(name)), next != .general else {
      return note(line, line.content, "there is no section [\(name)]; there are [dark] and [light]")
    }
    section = next
    changes[next, default: []] += []
  }

  private mutating func setSwitch(_ line: SettingLine, _ key: Substring, _ value: Substring) {
    guard section == .general else {
      return note(line, key, "\"\(key)\" belongs above the sections: it applies to both")
    }
    guard let isOn = SettingLine.isOn(value) else {
      return note(line, value, SettingLine.expectedSwitch(String(key), String(value)))
    }
    if key == "dim" { theme.hasDimText = isOn } else { theme.hasColors = isOn }
  }

  private mutating func levels(_ line: SettingLine, _ value: Substring) -> [Theme.Tone?]? {
    let parts = value.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
    guard parts.count == Theme.levels else {
      note(
        line, value, "expected \(Theme.levels) colours with commas between them, faint to strong")
      return nil
    }
    var tones: [Theme.Tone?] = []
    for part in parts {
      guard let tone = tone(line, part) else { return nil }
      tones.append(tone)
    }
    return tones
  }

  private mutating func change(_ change: @escaping (inout Theme.Tones) -> Void) {
    changes[section, default: []].append(change)
  }

  private mutating func note(_ line: SettingLine, _ place: Substring, _ message: String) {
    diagnostics.append(line.error(at: place, message))
  }

  // MARK: - Colours

  /// The colour of a text, in which nil is the terminal's own; nil, noted, for a text that is none.
  private mutating func tone(_ line: SettingLine, _ text: Substring) -> Theme.Tone?? {
    let tone = Self.tone(text)
    if tone == nil {
      note(
        line, text,
        "\(text): expected a colour: #rrggbb, a number from 16 to 255, both, or default")
    }
    return tone
  }

  private static func tone(_ text: Substring) -> Theme.Tone?? {
    if text == "default" { return .some(nil) }
    var index: Int32?
    var rgb: Int32?
    for part in text.split(separator: " ") {
      if part.first == "#" {
        guard rgb == nil, part.utf8.count == 7, part.dropFirst().allSatisfy(\.isHexDigit),
          let number = Int32(part.dropFirst(), radix: 16)
        else { return nil }
        rgb = number
      } else {
        guard index == nil, rgb == nil, let number = Int32(part), (16...255).contains(number) else {
          return nil
        }
        index = number
      }
    }
    switch (index, rgb) {
    case (let index?, let rgb?): return Theme.Tone(index: index, rgb: rgb)
    case (let index?, nil): return Theme.Tone(index: index, rgb: XtermColor.rgb(index))
    case (nil, let rgb?): return Theme.Tone(index: XtermColor.nearest(to: rgb), rgb: rgb)
    case (nil, nil): return nil
    }
  }

  /// Roles by their names in the file: `focused-border`.
  private static let roles = Dictionary(
    uniqueKeysWithValues: Style.Role.allCases.map { (name(of: $0), $0) })

  /// All keys, roles first.
  static let keys =
    Style.Role.allCases.map(name)
    + [
      "flash.inserted", "flash.removed", "flash.changed", "flash.text", "selection",
      "selection.text", "dim", "colors",
    ]

  private static func name(of role: Style.Role) -> String {
    "\(role)".reduce(into: "") { name, letter in
      if letter.isUppercase { name += "-" }
      name += letter.lowercased()
    }
  }
}
