extension Key {
  /// The key as users read it in hints, help and the configuration: `q`, `Esc`, `^r`, `Alt-b`,
  /// `F5`. Pastes and the mouse have none.
  package var label: String {
    switch self {
    case .character(" "): "Space"
    case .character(let character): String(character)
    case .control("c"): "Ctrl-C"
    case .control(let character): "^\(character)"
    case .alt(let character): "Alt-\(character)"
    case .function(let number): "F\(number)"
    case .paste, .longPaste, .mouse: ""
    default: Self.names.first { $0.key == self }?.name ?? ""
    }
  }

  /// The key with this label; nil for none. `Ctrl-R` is another way to write `^r`, and `Spc` to
  /// write `Space`.
  package init?(label: String) {
    let lower = label.lowercased()
    if let named = Self.names.first(where: { $0.name.lowercased() == lower }) {
      self = named.key
    } else if lower == "space" || lower == "spc" {
      self = .character(" ")
    } else if label.count == 1, let character = label.first, !character.isWhitespace {
      self = .character(character)
    } else if lower.hasPrefix("f"), let number = Int(lower.dropFirst()), (1...24).contains(number) {
      self = .function(number)
    } else if let letter = Self.letter(lower, after: ["^", "ctrl-"]) {
      self = .control(letter)
    } else if lower.hasPrefix("alt-"), label.count == 5, let character = label.last {
      self = .alt(character)
    } else {
      return nil
    }
  }

  /// The key that arrives in place of this one, because terminals send the same byte for both; nil
  /// for a key of its own.
  package var sameByte: Key? {
    switch self {
    case .control("h"): .backspace
    case .control("i"): .tab
    case .control("j"), .control("m"): .enter
    default: nil
    }
  }

  private static func letter(_ text: String, after prefixes: [String]) -> Character? {
    for prefix in prefixes where text.hasPrefix(prefix) && text.count == prefix.count + 1 {
      return text.last.flatMap { $0.isASCII && $0.isLetter ? $0 : nil }
    }
    return nil
  }

  private static let names: [(name: String, key: Key)] = [
    ("Tab", .tab), ("S-Tab", .backTab), ("Enter", .enter), ("Alt-Enter", .altEnter),
    ("Esc", .escape), ("BS", .backspace), ("Del", .delete), ("Ins", .insert), ("Up", .up),
    ("Down", .down), ("Left", .left), ("Right", .right), ("Home", .home), ("End", .end),
    ("PgUp", .pageUp), ("PgDn", .pageDown), ("Ctrl-Left", .wordLeft), ("Ctrl-Right", .wordRight),
  ]
}
