/// One thing to draw: a base scalar with its marks, or one character of a visible stand-in.
struct Glyph {
  var text: CellText
  /// Cells: 1 or 2.
  var width: Int
  /// Whether this replaces something that must not reach a terminal.
  var isEscaped: Bool

  var character: Character { text.character }
}

/// Iterates over a text glyph by glyph and sanitizes each one.
///
/// Lazy, so that a cell only reads as much of a huge text as it can show.
struct GlyphIterator: IteratorProtocol {
  private var scalars: String.UnicodeScalarView.Iterator
  private var lookahead: Unicode.Scalar?
  /// The rest of a stand-in that takes several cells, last character first.
  private var pending: [Character] = []
  private let ascii: Bool
  /// The last scalar that was not a mark or a selector.
  private var base: Unicode.Scalar?

  /// The maximum that ncurses keeps in one cell in addition to the base; more are dropped.
  private static let maximumMarks = 4

  init(_ text: String, glyphs: GlyphSet = .unicode) {
    scalars = text.unicodeScalars.makeIterator()
    lookahead = scalars.next()
    ascii = glyphs == .ascii
  }

  mutating func next() -> Glyph? {
    if let character = pending.popLast() {
      return Glyph(text: CellText(character), width: 1, isEscaped: true)
    }
    while let scalar = lookahead {
      lookahead = scalars.next()
      let value = scalar.value
      if value >= 0x20 && value < 0x7f {
        // By far the most common case: no table, no string building.
        guard let next = lookahead, next.value >= 0x300 else {
          return Glyph(text: CellText(scalar), width: 1, isEscaped: false)
        }
        return composed(scalar, width: 1)
      }
      if value < 0x20 || value == 0x7f { return control(value) }
      if Self.isInvisible(value) { return standIn(scalar) }
      switch DisplayText.widthClass(of: scalar) {
      case .single:
        // A few that control the layout of their neighbours have a width of their own.
        guard Self.isPlain(value) || scalar.properties.generalCategory != .format else {
          return standIn(scalar)
        }
        return composed(scalar, width: 1)
      case .double: return composed(scalar, width: 2)
      case .unprintable: return unprintable(scalar)
      case .zero:
        if isDropped(scalar, before: lookahead) { continue }
        guard Self.isMark(scalar), !ascii else { return standIn(scalar) }
        return markWithoutBase(scalar)
      }
    }
    return nil
  }

  /// `base` with the marks that follow it, as one character.
  private mutating func composed(_ base: Unicode.Scalar, width: Int) -> Glyph {
    self.base = base
    var text = CellText(base)
    var marks = 0
    while let next = lookahead, next.value >= 0x300, DisplayText.widthClass(of: next) == .zero {
      var rest = scalars
      if !isDropped(next, before: rest.next()) {
        guard Self.isMark(next), !Self.isInvisible(next.value) else { break }
        var longer = String(text.character)
        longer.unicodeScalars.append(next)
        // Some scalars without width start a character of their own: they are shown by themselves.
        guard longer.dropFirst().isEmpty else { break }
        if marks < Self.maximumMarks { text = CellText(Character(longer)) }
        marks += 1
      }
      lookahead = scalars.next()
    }
    return Glyph(text: text, width: width, isEscaped: false)
  }

  /// The symbol of a C0 control, or `^X`.
  private mutating func control(_ value: UInt32) -> Glyph {
    base = nil
    if ascii {
      pending.append(Character(Unicode.Scalar(UInt8(value ^ 0x40))))
      return Glyph(text: "^", width: 1, isEscaped: true)
    }
    let character: Character =
      switch value {
      case 0x09: "⇥"
      case 0x0a: "⏎"
      case 0x7f: "␡"
      default: Unicode.Scalar(0x2400 + value).map(Character.init) ?? "\u{fffd}"
      }
    return Glyph(text: CellText(character), width: 1, isEscaped: true)
  }

  private mutating func unprintable(_ scalar: Unicode.Scalar) -> Glyph? {
    // C1 controls and the line separators are known and dangerous; others are merely unknown here.
    if scalar.value < 0xa0 || scalar.value == 0x2028 || scalar.value == 0x2029 {
      return standIn(scalar)
    }
    base = scalar
    if ascii { return Glyph(text: "?", width: 1, isEscaped: true) }
    return Glyph(text: "\u{fffd}", width: 1, isEscaped: true)
  }

  /// `⟨U+202E⟩`, or `<U+202E>`.
  private mutating func standIn(_ scalar: Unicode.Scalar) -> Glyph? {
    base = nil
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let padding = String(repeating: "0", count: max(0, 4 - digits.count))
    let text = ascii ? "<U+\(padding)\(digits)>" : "⟨U+\(padding)\(digits)⟩"
    pending = text.reversed()
    return next()
  }

  /// A mark without a base gets the dotted circle that Unicode has for this.
  private mutating func markWithoutBase(_ scalar: Unicode.Scalar) -> Glyph? {
    var text = "◌"
    text.unicodeScalars.append(scalar)
    guard text.dropFirst().isEmpty else { return standIn(scalar) }
    return Glyph(text: CellText(Character(text)), width: 1, isEscaped: true)
  }

  /// Whether a scalar belongs to blocks in which none controls a layout: the letters of Europe, and
  /// the arrows, lines, blocks and Braille that the views draw. Unicode's tables are slower.
  private static func isPlain(_ value: UInt32) -> Bool {
    value < 0x600 || (0x2190..<0x2c00).contains(value)
  }

  /// Joiners and variation selectors change how terminals group their neighbours, differently in
  /// each terminal: without them every base scalar keeps its own cells.
  ///
  /// Where they certainly change nothing they are shown: a joiner that is neither between emoji nor
  /// in a script that may join its letters, and a selector without a scalar before it.
  private func isDropped(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
    switch scalar.value {
    case 0x200d:
      Self.isEmoji(base) && Self.isEmoji(next)
        || base.map { $0.value >= 0x600 && $0.properties.isAlphabetic } == true
    // The digit of a keycap is an ordinary one.
    case 0xfe0e, 0xfe0f:
      base.map { $0.value > 0x7f } == true || (base != nil && next?.value == 0x20e3)
    case 0xfe00...0xfe0d, 0xe0100...0xe01ef: base != nil
    default: false
    }
  }

  private static func isEmoji(_ scalar: Unicode.Scalar?) -> Bool {
    guard let scalar, scalar.value > 0x7f else { return false }
    return scalar.properties.isEmoji
  }

  /// Whether a scalar has nothing to see although it is a letter, a mark or a symbol: the soft
  /// hyphen, the grapheme joiner, the fillers of Hangul, Khmer and Mongolian, and empty Braille.
  private static func isInvisible(_ value: UInt32) -> Bool {
    switch value {
    case 0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b...0x180d, 0x180f, 0x2800, 0x3164,
      0xffa0:
      true
    default: false
    }
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    // Selectors are marks by Unicode's tables, but have nothing to see.
    switch scalar.value {
    case 0xfe00...0xfe0f, 0xe0100...0xe01ef: return false
    default: break
    }
    return switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark, .otherLetter: true
    default: false
    }
  }
}
