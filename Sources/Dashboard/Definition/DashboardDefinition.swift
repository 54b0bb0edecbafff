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

  /// The panels that rows open, with their values as parameters.
  package var details: [PanelDefinition] = []

  /// What the user chooses from lists.
  package var parameters: [ParameterDefinition] = []

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
    panels.append(panel)
    placeBelow(panel.name)
  }

  /// Gives a panel a row of its own below every layout that does not name it, and adds it to every
  /// preset.
  mutating func placeBelow(_ name: String) {
    func append(to layout: inout [[String]]) {
      guard let width = layout.first?.count, !layout.joined().contains(name) else { return }
      layout.append(Array(repeating: name, count: width))
    }
    append(to: &layout)
    for index in presets.indices {
      if !presets[index].panels.contains(name) { presets[index].panels.append(name) }
      append(to: &presets[index].layout)
    }
  }

  /// Removes the panels that no row of the remaining ones opens.
  package mutating func dropDetailsWithoutRows() {
    var reached: Set<String> = []
    var openers = panels
    while let opener = openers.popLast() {
      guard let name = opener.drill?.detail, reached.insert(name).inserted else { continue }
      openers += details.filter { $0.name == name }
    }
    details.removeAll { !reached.contains($0.name) }
  }

  /// Removes a panel, from every preset and layout too: neighbours take over its room.
  package mutating func remove(panel name: String) {
    func removed(from layout: [[String]]) -> [[String]] {
      let cells: [[String?]] = layout.map { row in row.map { $0 == LayoutMatrix.free ? nil : $0 } }
      return LayoutGaps.closed(cells, without: [name])
        .map { row in row.map { $0 ?? LayoutMatrix.free } }
    }
    panels.removeAll { $0.name == name }
    layout = removed(from: layout)
    for index in presets.indices {
      presets[index].panels.removeAll { $0 == name }
      presets[index].layout = removed(from: presets[index].layout)
    }
  }
}
