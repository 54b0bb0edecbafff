/// Keys listed in a file, for `--keys`.
///
///     # filter the focused panel, look at its second row
///     /ada<Enter>
///     <wait>
///     jj<Enter>
///
/// Text means its characters. `<Enter>`, `<Tab>`, `<S-Tab>`, `<Esc>`, `<Space>`, `<BS>`, `<Del>`,
/// `<Up>`, `<Down>`, `<Left>`, `<Right>`, `<Home>`, `<End>`, `<PgUp>`, `<PgDn>`, `<F1>` to `<F12>`,
/// `<C-x>` and `<A-x>`, `<A-Enter>`, `<C-Left>`, `<C-Right>` stand for keys, in any case; `<lt>` is
/// `<`. `<click 10,5>`, `<drag 12,5>`, `<release 12,5>`, `<wheel-up 10,5>`, `<wheel-down 10,5>`
/// stand for the mouse at a column and a line, from 1.
/// `<wait>` waits for everything that the keys before it caused. Newlines mean nothing, and a line
/// that starts with `#` is a comment.
package enum KeyScript {
  /// What to do next.
  package enum Step: Sendable, Hashable {
    case key(Key)
    /// Continue when the last statement has ended and its commit is on the screen.
    case wait
  }

  /// A name between `<` and `>` that isn't a key.
  package struct UnknownKey: Error, Sendable, Equatable, CustomStringConvertible {
    package let name: String
    /// From 1.
    package let line: Int

    package var description: String {
      "line \(line): <\(name)> is not a key; write <lt> for a plain <"
    }
  }

  package static func parse(_ script: String) throws(UnknownKey) -> [Step] {
    var steps: [Step] = []
    let lines = script.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() where !line.hasPrefix("#") {
      var rest = line
      // Once one is unclosed, the end is not searched again.
      var hasEnd = true
      while let character = rest.popFirst() {
        let end = character == "<" && hasEnd ? rest.firstIndex(of: ">") : nil
        guard let end else {
          if character == "<" { hasEnd = false }
          steps.append(.key(.character(character)))
          continue
        }
        let name = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        guard let step = step(named: name.lowercased(), spelled: name) else {
          throw UnknownKey(name: name, line: index + 1)
        }
        steps.append(step)
      }
    }
    return steps
  }

  private static func step(named name: String, spelled: String) -> Step? {
    if name == "wait" { return .wait }
    if let key = names[name] { return .key(key) }
    if let event = mouse(name) { return .key(.mouse(event)) }
    if name.hasPrefix("f"), let number = Int(name.dropFirst()), (1...24).contains(number) {
      return .key(.function(number))
    }
    guard name.count == 3, let last = spelled.last else { return nil }
    if name.hasPrefix("c-"), let letter = name.last, letter.isASCII, letter.isLetter {
      return .key(.control(letter))
    }
    return name.hasPrefix("a-") ? .key(.alt(last)) : nil
  }

  /// `click 10,5`, in columns and lines from 1.
  private static func mouse(_ name: String) -> MouseEvent? {
    let words = name.split(separator: " ")
    guard words.count == 2 else { return nil }
    let numbers = words[1].split(separator: ",").compactMap { Int($0) }
    let kinds: [Substring: MouseEvent.Kind] = [
      "click": .press, "drag": .drag, "release": .release, "wheel-up": .wheelUp,
      "wheel-down": .wheelDown, "wheel-left": .wheelLeft, "wheel-right": .wheelRight,
    ]
    guard let kind = kinds[words[0]], numbers.count == 2 else { return nil }
    return MouseEvent(kind, x: numbers[0] - 1, y: numbers[1] - 1)
  }

  private static let names: [String: Key] = [
    "enter": .enter, "cr": .enter, "a-enter": .altEnter, "tab": .tab, "s-tab": .backTab,
    "esc": .escape, "space": .character(" "), "bs": .backspace, "backspace": .backspace,
    "del": .delete, "delete": .delete, "ins": .insert, "insert": .insert, "up": .up,
    "down": .down, "left": .left, "right": .right, "home": .home, "end": .end,
    "pgup": .pageUp, "pageup": .pageUp, "pgdn": .pageDown, "pagedown": .pageDown,
    "c-left": .wordLeft, "c-right": .wordRight, "lt": .character("<"), "gt": .character(">"),
  ]
}
