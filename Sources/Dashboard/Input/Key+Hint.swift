extension Key {
  /// The key of a hint as users read it (`q`, `Esc`, `^r`, `Alt-Enter`); of several (`j k`) the
  /// last; nil when it names none that can be pressed (`1-5`).
  init?(hint: String) {
    let word = hint.split(separator: " ").last.map(String.init) ?? hint
    if let named = Self.hints[word] {
      self = named
    } else if word.count == 1, let character = word.first {
      self = .character(character)
    } else if word.count == 2, word.first == "^", let character = word.last {
      self = .control(character)
    } else if word.first == "F", let number = Int(word.dropFirst()) {
      self = .function(number)
    } else {
      return nil
    }
  }

  private static let hints: [String: Key] = [
    "Tab": .tab, "S-Tab": .backTab, "Spc": .character(" "), "Space": .character(" "),
    "Enter": .enter, "Alt-Enter": .altEnter, "Esc": .escape, "Up": .up, "Down": .down,
    "Left": .left, "Right": .right, "PgUp": .pageUp, "PgDn": .pageDown, "Home": .home, "End": .end,
    "Ctrl-C": .control("c"), "Ctrl-D": .control("d"),
  ]
}
