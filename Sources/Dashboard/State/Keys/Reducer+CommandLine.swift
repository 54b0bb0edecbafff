extension DashboardState {
  /// Opens the line, if there is room to see it: otherwise it would only swallow keys.
  mutating func openCommandLine() {
    if !ScreenLayout.isTiny(size) { modes.command = CommandLine() }
  }

  /// Types a key into the command.
  mutating func typeCommand(_ key: Key) { _ = modes.command?.edit(key) }

  /// Chooses another offer.
  mutating func chooseCommand(by step: Int) {
    guard var line = modes.command else { return }
    line.choose(by: step, of: line.offers(self).count)
    modes.command = line
  }

  /// Completes the typed text: the first time by the best offer, otherwise by the chosen one.
  mutating func completeCommand() {
    guard var line = modes.command else { return }
    let offers = line.offers(self)
    let index = line.chosen ?? 0
    if offers.indices.contains(index) { line.replace(with: offers[index].text) }
    modes.command = line
  }

  /// Runs the chosen offer, or else the typed command.
  mutating func runCommand() -> [Effect] {
    guard let line = modes.command else { return [] }
    let offers = line.offers(self)
    let chosen = line.chosen.flatMap { offers.indices.contains($0) ? offers[$0] : nil }
    return runCommand(chosen?.text ?? line.input.text)
  }

  /// Runs the typed command; a unique prefix of a name is enough.
  private mutating func runCommand(_ text: String) -> [Effect] {
    var line = CommandLine()
    line.replace(with: text)
    let (typed, argument) = line.parts ?? (text, "")
    var name = typed
    guard !name.isEmpty else {
      modes.command = nil
      return []
    }
    let commands = Binding.commands.filter { $0.isAvailable(self) }
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
      modes.command = line
      return []
    }
    if case .none = command.argument, !argument.isEmpty {
      message = Message("\(name) takes nothing; \"\(argument)\" is too much", .error)
      modes.command = nil
      return []
    }
    modes.command = nil
    return command.perform(&self, .command(argument)) ?? []
  }

  private mutating func refuse(begun: [String], _ name: String) -> [Effect] {
    modes.command = nil
    guard begun.isEmpty else {
      message = Message(":\(name) can be \(begun.joined(separator: ", "))", .error)
      return []
    }
    let command = Binding.commands.first { $0.name == name }
    if let obstacle = command?.obstacle {
      message = Message(obstacle, .error)
    } else if source.hasConsole, ConsoleCommand.names.contains(name),
      command == nil || !isExploring
    {
      message = Message(
        ":\(name) is a command of the console: \(keyMap.mention("console")) leads there", .error)
    } else if let command {
      message = Message(":\(name) isn't possible now (\(command.summary))", .error)
    } else {
      return refuse("unknown command", name, among: Binding.commandNames)
    }
    return []
  }
}
