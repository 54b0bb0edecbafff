import ObservationEngine

/// The line that `:` opens: the typed text, and the chosen offer.
struct CommandLine: Sendable, Equatable {
  /// One line of the list: what Tab would make of the typed text.
  struct Offer: Sendable, Equatable {
    /// The whole line after accepting the offer.
    var text: String
    /// The text in the list: a command's name and argument, or an argument alone.
    var title: String
    var summary: String
    var key: String
  }

  /// More than a screen shows; the best matches come first.
  static let maximumOffers = 200
  /// As many offers as a user can take in at a glance.
  static let maximumRows = 12
  /// No command takes a longer argument.
  static let limit = 1000

  private(set) var input = TextBuffer()
  /// The chosen offer; nil until the user moves.
  private(set) var chosen: Int?

  /// Handles an editing key; false for any other key.
  mutating func edit(_ key: Key) -> Bool {
    var edited = input
    guard edited.edit(key.onOneLine) else { return false }
    if edited.characters.count <= Self.limit { input = edited }
    chosen = nil
    return true
  }

  mutating func replace(with text: String) {
    input = TextBuffer(text)
    chosen = nil
  }

  mutating func choose(_ index: Int) { chosen = index }

  mutating func choose(by step: Int, of count: Int) {
    guard count > 0 else { return }
    let next = chosen.map { $0 + step } ?? (step > 0 ? 0 : count - 1)
    chosen = (next + count) % count
  }

  /// The typed command's name and the text after it, or nil while the name is still being typed.
  var parts: (name: String, argument: String)? {
    let text = input.text
    guard let blank = text.firstIndex(of: " ") else { return nil }
    return (String(text[..<blank]), text[blank...].trimmingBlanks)
  }

  /// The possible meanings of the typed text, the likeliest first.
  ///
  /// - Complexity: O(commands · length).
  func offers(_ state: DashboardState) -> [Offer] {
    let commands = Binding.commands.filter { $0.isAvailable(state) }
    guard let (name, argument) = parts else {
      return Self.ranked(commands, by: input.text.lowercased())
        .map { Offer($0, state.keyMap) }
    }
    guard let command = commands.first(where: { $0.name == name }) else { return [] }
    let typed = argument.lowercased()
    let candidates = command.candidates(state)
    let first = candidates.filter { $0.lowercased().hasPrefix(typed) }
    let others = candidates.filter {
      !$0.lowercased().hasPrefix(typed) && $0.lowercased().includes(typed)
    }
    return (first + others).prefix(Self.maximumOffers).map { candidate in
      Offer(text: "\(name) \(candidate)", title: candidate, summary: "", key: "")
    }
  }

  /// The position of the list in `body`, and its first offer: the chosen one stays in view.
  func place(of offers: [Offer], in body: Rect) -> (frame: Rect, top: Int)? {
    let rows = min(offers.count, Self.maximumRows, body.height - 2)
    guard rows > 0 else { return nil }
    let frame = Rect(
      x: body.x, y: body.y + body.height - rows - 2, width: min(74, body.width), height: rows + 2)
    return (frame, ScrollingList.top(showing: chosen ?? 0, of: offers.count, visible: rows))
  }

  /// The offer at a cell, if there is one.
  func offer(x: Int, y: Int, _ state: DashboardState, in body: Rect) -> Int? {
    guard let (frame, top) = place(of: offers(state), in: body) else { return nil }
    let area = frame.inset(by: 1)
    return area.contains(x: x, y: y) ? top + y - area.y : nil
  }

  /// Commands that start with the text, then those with its letters in order, then those whose
  /// description contains it.
  private static func ranked(_ commands: [Binding], by text: String) -> [Binding] {
    guard !text.isEmpty else { return commands }
    let ranks = commands.map { command in
      if command.name.hasPrefix(text) { return 0 }
      if command.name.includes(text) { return 1 }
      if command.name.hasLetters(of: text) { return 2 }
      return TextSearch(text).matches(command.summary) ? 3 : 4
    }
    return (0..<4).flatMap { rank in commands.indices.filter { ranks[$0] == rank } }
      .map { commands[$0] }
  }
}

extension CommandLine.Offer {
  init(_ command: Binding, _ map: KeyMap) {
    let label = command.argumentLabel
    text = label.isEmpty ? command.name : command.name + " "
    title = label.isEmpty ? command.name : "\(command.name) \(label)"
    summary = command.summary
    key = map.label(of: command)
  }
}

extension Key {
  /// The key without newlines that a paste may contain.
  var onOneLine: Key {
    guard case .paste(let text) = self else { return self }
    return .paste(String(text.map { $0.isNewline ? " " : $0 }))
  }
}

extension StringProtocol {
  /// Without surrounding blanks.
  fileprivate var trimmingBlanks: String {
    let start = drop { $0 == " " }
    return String(start.prefix(start.count - start.reversed().prefix { $0 == " " }.count))
  }

  /// Whether it contains the letters of `text` in order, with others between them.
  fileprivate func hasLetters(of text: String) -> Bool {
    var rest = self[...]
    return text.allSatisfy { letter in
      guard let index = rest.firstIndex(of: letter) else { return false }
      rest = rest[rest.index(after: index)...]
      return true
    }
  }
}
