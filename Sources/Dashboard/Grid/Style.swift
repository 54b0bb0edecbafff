/// How a cell looks, by meaning: a terminal driver turns roles into its colours.
package struct Style: Sendable, Hashable {
  /// The role of the text.
  package enum Role: UInt8, Sendable, CaseIterable {
    case text
    /// Secondary: units, hints, inactive labels.
    case muted
    case border
    case focusedBorder
    case title
    case header
    /// What the eye should find first: the live mark, big digits.
    case accent
    case bar
    case barTrack
    case inserted
    case changed
    case removed
    case rising
    case falling
    /// NULL, BLOB and other stand-ins for non-text.
    case placeholder
    /// A visible symbol in place of a control character.
    case escaped
    case warning
    case error
    case statusBar
    case keyHint
    case prompt
    /// Parts of SQL: a keyword, a text or BLOB, a number or parameter, a comment.
    case keyword
    case string
    case numeral
    case comment
  }

  private struct Marks: OptionSet, Hashable {
    let rawValue: UInt8

    static let bold = Marks(rawValue: 1)
    static let dim = Marks(rawValue: 2)
    static let underline = Marks(rawValue: 4)
    static let reverse = Marks(rawValue: 8)
    static let selected = Marks(rawValue: 16)
  }

  package var role: Role
  /// Those that are set: each cell of a frame is compared with the last frame's.
  private var marks: Marks = []
  /// Background emphasis after a change: 0 none, 3 strongest. A driver without colours shows
  /// level 2 and above as reverse video.
  package var flash: UInt8 = 0
  /// A colour on a scale, in place of the role's.
  package var tint: Tint?

  package init(
    _ role: Role = .text, bold: Bool = false, dim: Bool = false, underline: Bool = false,
    reverse: Bool = false, flash: UInt8 = 0, tint: Tint? = nil
  ) {
    self.role = role
    self.flash = flash
    self.tint = tint
    self.bold = bold
    self.dim = dim
    self.underline = underline
    self.reverse = reverse
  }

  package var bold: Bool {
    get { marks.contains(.bold) }
    set { mark(.bold, newValue) }
  }
  package var dim: Bool {
    get { marks.contains(.dim) }
    set { mark(.dim, newValue) }
  }
  package var underline: Bool {
    get { marks.contains(.underline) }
    set { mark(.underline, newValue) }
  }
  package var reverse: Bool {
    get { marks.contains(.reverse) }
    set { mark(.reverse, newValue) }
  }
  /// Whether the cell is in the line of the cursor.
  package var isSelected: Bool {
    get { marks.contains(.selected) }
    set { mark(.selected, newValue) }
  }

  private mutating func mark(_ mark: Marks, _ isSet: Bool) {
    if isSet { marks.insert(mark) } else { marks.remove(mark) }
  }
}
