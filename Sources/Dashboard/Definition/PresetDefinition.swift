/// A named choice of a dashboard's panels, with its own layout: `-- preset: ops fame errors`.
package struct PresetDefinition: Sendable, Equatable {
  /// The preset that shows every panel; there is always one of this name.
  package static let everything = "all"

  /// One word, unique in its dashboard.
  package var name: String
  /// The names of its panels, in the order in which they are arranged.
  package var panels: [String]
  /// Like ``DashboardDefinition/layout``, for this preset only.
  package var layout: [[String]]

  package init(name: String, panels: [String], layout: [[String]] = []) {
    self.name = name
    self.panels = panels
    self.layout = layout
  }
}
