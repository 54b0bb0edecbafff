/// A choice among a dashboard's panels, with an arrangement of its own: `-- preset: ops fame errors`.
package struct PresetDefinition: Sendable, Equatable {
  /// The preset that shows every panel; there always is one of this name.
  package static let everything = "all"

  /// One word, unique in its dashboard.
  package var name: String
  /// The names of its panels, in the order in which they are arranged.
  package var panels: [String]
  /// As ``DashboardDefinition/layout``, for this preset alone.
  package var layout: [[String]]

  package init(name: String, panels: [String], layout: [[String]] = []) {
    self.name = name
    self.panels = panels
    self.layout = layout
  }
}
