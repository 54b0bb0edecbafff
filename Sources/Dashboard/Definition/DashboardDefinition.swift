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
}
