import ObservationEngine

/// Choosing the values of parameters: the list of `:` is the picker.
extension DashboardState {
  /// Opens the list of values: of the only parameter, or of all.
  mutating func chooseParameter() -> [Effect] {
    openCommandLine()
    let name = parameters.count == 1 ? parameters[0].name + " " : ""
    modes.command?.replace(with: "param \(name)")
    return [.readChoices]
  }

  /// Takes the values that the panels have from now on.
  ///
  /// A panel that uses another value begins again: rows of one value are neither shown under
  /// another, nor compared with its rows.
  mutating func receive(_ parameters: [ChosenParameter]) {
    let former = self.parameters
    self.parameters = parameters
    let changed = parameters.filter { new in
      former.contains { $0.name == new.name && $0.value != new.value }
    }
    guard !changed.isEmpty else { return }
    let begun = Set(
      panels.indices.filter { index in
        let sql = panels[index].definition.sql
        let used = SQLParameters(sql, dialect: console.dialect).names.map { $0.dropFirst() }
        return changed.contains { used.contains($0.name[...]) }
      })
    func begin(_ panels: inout [PanelState]) {
      for index in panels.indices where begun.contains(index) {
        panels[index] = PanelState(definition: panels[index].definition)
      }
    }
    begin(&panels)
    if isPaused { begin(&timeline.live) }
    timeline.replacePanels(
      with: panels.map(\.definition),
      former: panels.indices.map { begun.contains($0) ? nil : $0 })
  }

  /// What `:param` offers.
  var parameterChoices: [String] {
    parameters.flatMap { parameter in
      parameter.choices.map { "\(parameter.name) \(ChosenParameter.text($0))" }
    }
  }

  /// Sets a parameter: `country Germany`.
  mutating func setParameter(_ text: String) -> [Effect] {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    let names = parameters.map(\.name)
    guard let name = words.first, let parameter = parameters.first(where: { $0.name == name })
    else { return refuse("no parameter is called", words.first ?? "", among: names) }
    guard words.count == 2 else {
      message = Message("\(name) is \(ChosenParameter.text(parameter.value))")
      return []
    }
    let value = parameter.value(of: words[1])
    if !parameter.choices.isEmpty, !parameter.choices.contains(value) {
      message = Message(
        "\(ChosenParameter.text(value)) isn't among the values of \(name)", .warning)
    }
    return [.setParameter(name: name, value)]
  }
}
