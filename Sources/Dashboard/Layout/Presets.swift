/// Which of the panels are shown, and how: the presets and the chosen one.
struct Presets: Sendable, Equatable {
  struct Preset: Sendable, Equatable {
    var name: String
    /// By number, in the order of arrangement.
    var panels: [Int]
    /// Empty: arranged automatically.
    var layout: [[Cell?]]
  }

  /// The content of a layout's cell; a free cell has none.
  enum Cell: Sendable, Hashable {
    /// By number.
    case panel(Int)
    case pane(LayoutPane)
  }

  /// Never empty.
  private(set) var all: [Preset]
  private(set) var index = 0

  /// The presets of a dashboard: one with every panel when it has none.
  ///
  /// - Parameter name: The chosen one, if there is one of that name.
  init(_ definition: DashboardDefinition, chosen name: String? = nil) {
    let numbers = Dictionary(
      definition.panels.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    func resolved(_ layout: [[String]]) -> [[Cell?]] {
      layout.map { row in
        row.map { name in
          numbers[name].map(Cell.panel) ?? LayoutPane(word: name).map(Cell.pane)
        }
      }
    }
    all = definition.presets.map { preset in
      Preset(
        name: preset.name, panels: preset.panels.compactMap { numbers[$0] },
        layout: resolved(preset.layout))
    }
    if all.isEmpty {
      all = [
        Preset(
          name: PresetDefinition.everything, panels: Array(definition.panels.indices),
          layout: resolved(definition.layout))
      ]
    }
    if let name { choose(name) }
  }

  var chosen: Preset { all[index] }
  var names: [String] { all.map(\.name) }

  /// Whether the user has a choice.
  var areSeveral: Bool { all.count > 1 }

  /// - Returns: Whether there is a preset of this name.
  @discardableResult
  mutating func choose(_ name: String) -> Bool {
    guard let found = all.firstIndex(where: { $0.name == name }) else { return false }
    index = found
    return true
  }

  mutating func choose(by step: Int) {
    index = (index + step % all.count + all.count) % all.count
  }
}
