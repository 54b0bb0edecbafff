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
          numbers[name].map(Cell.panel) ?? LayoutPane(rawValue: name).map(Cell.pane)
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

extension DashboardState {
  /// The panels of the chosen preset, by number.
  var shownPanels: [Int] { presets.chosen.panels }

  /// Shows the next or the previous page, and from the last page of a preset the next preset.
  mutating func stepPreset(by step: Int) {
    let page = ScreenPlan(self, size: size).page
    let number = page.number - 1 + step
    if presets.areSeveral, !(0..<page.count).contains(number) {
      presets.choose(by: step)
      enterPreset()
    } else if page.count > 1 {
      show(page: (number + page.count) % page.count)
    } else {
      message = Message("there is one preset only; \"-- preset: NAME PANEL …\" makes others")
    }
  }

  private mutating func show(page: Int) {
    let first = ScreenPlan.firstPanel(ofPage: page, self, size: size)
    focus = .panel(shownPanels[min(first, shownPanels.count - 1)])
    clampScrolling()
  }

  /// Shows the preset of this name.
  mutating func choosePreset(_ name: String) -> [Effect] {
    guard presets.choose(name) else {
      return refuse("no preset is called", name, among: presets.names)
    }
    enterPreset()
    return []
  }

  /// Moves the focus to a visible panel, unless console or feed have it.
  mutating func enterPreset() {
    filterInput = nil
    defer { clampScrolling() }
    guard !shownPanels.contains(lastFocusedPanel), let first = shownPanels.first else { return }
    let pane = focus
    focus = .panel(first)
    if case .panel = pane { return }
    focus = pane
  }

  /// Shows a preset with this panel, if the chosen one does not have it.
  mutating func revealPanel(_ index: Int) {
    guard !shownPanels.contains(index) else { return }
    let name = presets.all.first { $0.panels.contains(index) }?.name
    if let name { presets.choose(name) }
  }
}
