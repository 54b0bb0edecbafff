/// One thing that the dashboard can do: by keys, by a command, or by both.
///
///     Binding(
///       "zoom", "show the pane alone, or all again", keys: [.character("z")],
///       in: [.screen, .result], sections: [.everywhere], isCommand: true,
///       hint: { state, _ in KeyHint(state.isZoomed ? " unzoom" : " zoom", place: 4, rank: 4) }
///     ) { state, _ in … }
///
/// A new one becomes part of ``all`` and of everything derived from it: what keys do, the help, the
/// hints, the commands with their completion, the key map of the configuration, and the test that
/// compares the manual.
final class Binding: Sendable {
  /// What may follow a command's name.
  enum Argument: Sendable {
    case none
    /// Any text; the label represents it in the list.
    case text(String)
    /// One of these words, from the state; the command itself refuses others.
    case choice(String, @Sendable (DashboardState) -> [String])
  }

  /// What caused it.
  enum Trigger: Sendable {
    case key(Key)
    /// Its name, with the text after it.
    case command(String)
    /// A click on its hint.
    case click

    /// The text after a command's name; empty for keys.
    var argument: String { if case .command(let text) = self { text } else { "" } }
  }

  /// - Returns: nil when the key has another meaning here.
  typealias Perform = @Sendable (inout DashboardState, Trigger) -> [Effect]?

  /// One word in lower case, for `:` and for `key.NAME` of the configuration; words are joined by
  /// hyphens. Bindings that do the same in different places share it.
  let name: String
  /// What it does, in a few words that start with a verb.
  let summary: String
  /// Its keys unless the user chooses others, the usual one first.
  let keys: [Key]
  /// Where its keys apply.
  let contexts: [KeyContext]
  /// Where the help lists it.
  let sections: [HelpSection]
  /// The binding with whose keys its own stand on one line of the help.
  let lead: String?
  /// What that line says, if not the summary: it is about all of them.
  let line: String?
  /// Whether `:` offers it.
  let isCommand: Bool
  let argument: Argument
  /// Whether the command requires its argument.
  let needsArgument: Bool
  /// Whether the user may choose its keys: not where text is typed or a question is answered, and
  /// not those of digits.
  let isAdjustable: Bool
  let isAvailable: @Sendable (DashboardState) -> Bool
  /// Why it isn't possible when it isn't available; nil for a general answer.
  let obstacle: String?
  /// What the bottom line shows of it now, if anything.
  let hint: @Sendable (DashboardState, KeyContext) -> KeyHint?
  let perform: Perform

  init(
    _ name: String, _ summary: String, keys: [Key] = [], in contexts: [KeyContext] = [],
    sections: [HelpSection] = [], with lead: String? = nil, line: String? = nil,
    isCommand: Bool = false,
    argument: Argument = .none, needsArgument: Bool = false,
    isAvailable: @escaping @Sendable (DashboardState) -> Bool = { _ in true },
    obstacle: String? = nil,
    hint: @escaping @Sendable (DashboardState, KeyContext) -> KeyHint? = { _, _ in nil },
    perform: @escaping Perform
  ) {
    self.name = name
    self.summary = summary
    self.keys = keys
    self.contexts = contexts
    self.sections = sections
    self.lead = lead
    self.line = line
    self.isCommand = isCommand
    self.argument = argument
    self.needsArgument = needsArgument
    isAdjustable =
      !contexts.isEmpty && name != "focus" && Self.typing.isDisjoint(with: contexts)
    self.isAvailable = isAvailable
    self.obstacle = obstacle
    self.hint = hint
    self.perform = perform
  }

  private static let typing: Set<KeyContext> = [
    .question, .command, .filter, .export, .parameters, .search, .completion, .editor,
  ]

  /// Every binding, in the order in which help and `:` list them.
  static let all: [Binding] =
    movements + tables + cells + panes + program + explorer + schema + console + inputs + popUps

  /// Those that `:` offers.
  static let commands = all.filter(\.isCommand)
  static let commandNames = commands.map(\.name)

  /// The label of the argument in the list: empty for none.
  var argumentLabel: String {
    switch argument {
    case .none: ""
    case .text(let label), .choice(let label, _): label
    }
  }

  /// The arguments that can be offered now.
  func candidates(_ state: DashboardState) -> [String] {
    if case .choice(_, let candidates) = argument { candidates(state) } else { [] }
  }
}
