/// A command that can be called by its name, on the line that `:` opens.
///
///     Command("sort", "order the rows by a column", key: "s",
///       argument: .choice("COLUMN", { $0.focusedColumns })) { state, column in … }
///
/// A new one becomes part of ``Command/all`` and of everything derived from it: the list under the
/// line, the completion, the suggestions.
package struct Command: Sendable {
  /// What may follow the name.
  enum Argument: Sendable {
    case none
    /// Any text; the label represents it in the list.
    case text(String)
    /// One of these words, from the state; the command itself refuses others.
    case choice(String, @Sendable (DashboardState) -> [String])
  }

  typealias Perform = @Sendable (inout DashboardState, _ argument: String) -> [Effect]

  /// One word in lower case; words are joined by hyphens.
  package let name: String
  /// What it does, in a few words that start with a verb.
  package let summary: String
  /// The key for the same action; empty without one.
  package let key: String
  let argument: Argument
  /// Whether it requires an argument.
  let needsArgument: Bool
  let isAvailable: @Sendable (DashboardState) -> Bool
  let perform: Perform

  init(
    _ name: String, _ summary: String, key: String = "", argument: Argument = .none,
    needsArgument: Bool = false,
    isAvailable: @escaping @Sendable (DashboardState) -> Bool = { _ in true },
    perform: @escaping Perform
  ) {
    self.name = name
    self.summary = summary
    self.key = key
    self.argument = argument
    self.needsArgument = needsArgument
    self.isAvailable = isAvailable
    self.perform = perform
  }

  /// A command that acts like a key.
  init(
    _ name: String, _ summary: String, key: String, press: Key,
    isAvailable: @escaping @Sendable (DashboardState) -> Bool = { _ in true }
  ) {
    self.init(name, summary, key: key, isAvailable: isAvailable) { state, _ in
      state.pressForCommand(press)
    }
  }

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
