package import ObservationEngine

/// A dashboard as its author wrote it: panels, and how they are laid out.
package struct DashboardDefinition: Sendable, Equatable {
  /// The maximum number of panels. Each commit may run all of them.
  package static let maximumPanelCount = 200

  package var title: String?
  package var panels: [PanelDefinition]
  /// Rows of panel names, all of the same length; a repeated name spans its rectangle of cells.
  /// Empty: the panels are arranged to fit.
  package var layout: [[String]]
  /// The presets, including the one of all panels; empty when the file has none.
  package var presets: [PresetDefinition]
  /// Whose SQL the file says that its queries are, and where; nil when it says nothing.
  package var dialect: DeclaredDialect?

  /// A `-- dialect:` line.
  package struct DeclaredDialect: Sendable, Equatable {
    package var dialect: SQLDialect
    package var position: SourcePosition
  }

  package init(
    title: String? = nil, panels: [PanelDefinition], layout: [[String]] = [],
    presets: [PresetDefinition] = []
  ) {
    self.title = title
    self.panels = panels
    self.layout = layout
    self.presets = presets
  }

  /// Adds a panel, to every preset too; below all others of a layout, in its full width.
  package mutating func append(_ panel: PanelDefinition) {
    func append(to layout: inout [[String]]) {
      guard let width = layout.first?.count else { return }
      layout.append(Array(repeating: panel.name, count: width))
    }
    panels.append(panel)
    append(to: &layout)
    for index in presets.indices {
      presets[index].panels.append(panel.name)
      append(to: &presets[index].layout)
    }
  }
}
