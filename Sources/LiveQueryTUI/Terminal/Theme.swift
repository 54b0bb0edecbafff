import Dashboard

/// Which colours the roles of ``Style`` have, on a dark and on a light background: what a theme
/// file says, completed by the standard themes.
struct Theme: Sendable, Equatable {
  /// One colour, as one of the 256 of xterm and as red, green and blue.
  struct Tone: Sendable, Equatable {
    let index: Int32
    let rgb: Int32
  }

  /// The colours on one background; nil is the terminal's own.
  struct Tones: Sendable, Equatable {
    /// By the number of the role.
    private var roles = [Tone?](repeating: nil, count: Style.Role.allCases.count)
    /// The background of what was inserted, by age of the change, faint to strong.
    var inserted = [Tone?](repeating: nil, count: Theme.levels)
    var removed = [Tone?](repeating: nil, count: Theme.levels)
    var changed = [Tone?](repeating: nil, count: Theme.levels)
    /// Text on the strong ones, where a role's own colour would be unreadable.
    var textOnFlash: Tone?
    /// The background of the line of the cursor; nil for reversed colours.
    var selection: Tone?
    /// The text of weak roles on it.
    var textOnSelection: Tone?

    subscript(role: Style.Role) -> Tone? {
      get { roles[Int(role.rawValue)] }
      set { roles[Int(role.rawValue)] = newValue }
    }
  }

  /// How many steps a change fades in.
  static let levels = 3

  let name: String
  /// False for a theme of attributes only.
  var hasColors = true
  /// False if nothing is dim; then emphasis is bold, since everything else is as bright.
  var hasDimText = true
  /// nil if the theme is not for such a background.
  var dark: Tones?
  var light: Tones?

  init(name: String) { self.name = name }

  /// Whether the terminal's background decides how anything looks.
  var suitsBoth: Bool { hasColors && dark != nil && light != nil }

  /// A theme that the program contains.
  ///
  /// - Precondition: There is one of this name.
  static func builtIn(_ name: String) -> Theme {
    let (theme, diagnostics) = ThemeFile.parse(
      EmbeddedThemes.text(of: name) ?? "", name: name, standard: .builtIn)
    precondition(diagnostics.isEmpty && EmbeddedThemes.text(of: name) != nil, "theme \(name)")
    return theme
  }
}
