/// What the user chose to show or to hide; the dashboard decides about the rest.
///
/// It is remembered for each dashboard: ``text`` is one line of the file.
package struct PaneChoices: Sendable, Equatable {
  /// Panes that the user showed or hid.
  package var panes: [LayoutPane: Bool]
  /// The names of the panels that the user hid.
  package var hiddenPanels: Set<String>

  package init(panes: [LayoutPane: Bool] = [:], hiddenPanels: Set<String> = []) {
    self.panes = panes
    self.hiddenPanels = hiddenPanels
  }

  /// Whether nothing was chosen.
  package var isEmpty: Bool { panes.isEmpty && hiddenPanels.isEmpty }

  /// These choices, and those of `others` where nothing is chosen here.
  package func over(_ others: PaneChoices) -> PaneChoices {
    PaneChoices(
      panes: others.panes.merging(panes) { $1 },
      hiddenPanels: hiddenPanels.union(others.hiddenPanels))
  }

  // MARK: As text

  /// `+console -feed -panel:fame`: a panel's name is one word.
  package var text: String {
    let panes = LayoutPane.allCases.compactMap { pane in
      self.panes[pane].map { ($0 ? "+" : "-") + pane.rawValue }
    }
    return (panes + hiddenPanels.sorted().map { "-\(Self.panel)\($0)" }).joined(separator: " ")
  }

  private static let panel = "panel:"

  /// Reads ``text``; a word that isn't known is left out.
  package init(text: String) {
    self.init()
    for word in text.split(separator: " ") {
      let name = word.dropFirst()
      if word.hasPrefix("-" + Self.panel) {
        hiddenPanels.insert(String(name.dropFirst(Self.panel.count)))
      } else if let pane = LayoutPane(rawValue: String(name)),
        word.first == "+" || word.first == "-"
      {
        panes[pane] = word.first == "+"
      }
    }
  }
}
