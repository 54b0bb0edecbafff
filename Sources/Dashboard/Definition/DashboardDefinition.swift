/// A dashboard as its author wrote it: panels, and how they are laid out.
package struct DashboardDefinition: Sendable, Equatable {
  /// How many panels a dashboard can have. Every commit may run them all.
  package static let maximumPanelCount = 200

  package var title: String?
  package var panels: [PanelDefinition]
  /// Rows of panel names, all of one length; a repeated name spans its rectangle of cells.
  /// Empty: the panels are arranged to fit.
  package var layout: [[String]]

  package init(title: String? = nil, panels: [PanelDefinition], layout: [[String]] = []) {
    self.title = title
    self.panels = panels
    self.layout = layout
  }

  /// Adds a panel; where there is a layout, below all others and as wide as they are together.
  package mutating func append(_ panel: PanelDefinition) {
    panels.append(panel)
    guard let width = layout.first?.count else { return }
    layout.append(Array(repeating: panel.name, count: width))
  }
}
