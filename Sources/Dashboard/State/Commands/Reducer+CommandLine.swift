extension DashboardState {
  /// Opens the line, if there is room to see it: otherwise it would only swallow keys.
  mutating func openCommandLine() {
    if !ScreenPlan.isTiny(size) { commandLine = CommandLine() }
  }

  /// Handles a key while a command is being typed.
  mutating func pressInCommandLine(_ key: Key) -> [Effect] {
    guard var line = commandLine else { return [] }
    let offers = line.offers(self)
    switch key {
    case .escape, .control("c"), .control("g"):
      commandLine = nil
      return []
    case .backspace where line.input.isEmpty:
      commandLine = nil
      return []
    case .down, .control("n"): line.choose(by: 1, of: offers.count)
    case .up, .control("p"): line.choose(by: -1, of: offers.count)
    case .tab, .backTab:
      // The first Tab accepts the best offer; a chosen one takes precedence.
      let index = line.chosen ?? 0
      if offers.indices.contains(index) { line.replace(with: offers[index].text) }
    case .enter:
      let chosen = line.chosen.map { offers[$0] }
      return runCommand(chosen?.text ?? line.input.text, offers: offers)
    default: guard line.edit(key) else { return [] }
    }
    commandLine = line
    return []
  }

  /// Runs the typed command; a unique prefix of a name is enough.
  private mutating func runCommand(_ text: String, offers: [CommandLine.Offer]) -> [Effect] {
    var line = CommandLine()
    line.replace(with: text)
    var (name, argument) = line.parts ?? (text, "")
    guard !name.isEmpty else {
      commandLine = nil
      return []
    }
    let commands = Command.all.filter { $0.isAvailable(self) }
    if !commands.contains(where: { $0.name == name }) {
      let begun = commands.filter { $0.name.hasPrefix(name.lowercased()) }
      guard begun.count == 1 else {
        return refuse(begun: begun.map(\.name), name)
      }
      name = begun[0].name
    }
    guard let command = commands.first(where: { $0.name == name }) else { return [] }
    if command.needsArgument, argument.isEmpty {
      // The missing argument can be typed now.
      line.replace(with: name + " ")
      commandLine = line
      return []
    }
    if case .none = command.argument, !argument.isEmpty {
      message = Message("\(name) takes nothing; \"\(argument)\" is too much", .error)
      argument = ""
      commandLine = nil
      return []
    }
    commandLine = nil
    return command.perform(&self, argument)
  }

  private mutating func refuse(begun: [String], _ name: String) -> [Effect] {
    commandLine = nil
    guard begun.isEmpty else {
      message = Message(":\(name) can be \(begun.joined(separator: ", "))", .error)
      return []
    }
    return refuse("no command is called", name, among: Command.all.map(\.name))
  }
}
