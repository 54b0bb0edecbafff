extension DashboardState {
  /// The panels of the chosen preset that aren't hidden, by number.
  var shownPanels: [Int] {
    let hidden = hiddenPanels
    return presets.chosen.panels.filter { !hidden.contains($0) }
  }

  /// Shows the next or the previous page, and from the last page of a preset the next preset.
  mutating func stepPreset(by step: Int) {
    let page = layout.page
    let number = page.number - 1 + step
    if presets.areSeveral, !(0..<page.count).contains(number) {
      panes.presets.choose(by: step)
      enterPreset()
    } else if page.count > 1 {
      show(page: (number + page.count) % page.count)
    } else {
      message = Message("there is one preset only; \"-- preset: NAME PANEL …\" makes others")
    }
  }

  private mutating func show(page: Int) {
    let first = layout.firstPanel(ofPage: page)
    focus = .panel(shownPanels[min(first, shownPanels.count - 1)])
  }

  /// Shows the preset of this name.
  mutating func choosePreset(_ name: String) -> [Effect] {
    guard panes.presets.choose(name) else {
      return refuse("no preset is called", name, among: presets.names)
    }
    enterPreset()
    return []
  }

  /// Moves the focus to a visible panel, unless console or feed have it.
  ///
  /// - Parameter keepsFilter: Whether a filter that is being typed stays.
  mutating func enterPreset(keepsFilter: Bool = false) {
    // In the explorer, a filter of its list is typed while its panel changes.
    if !isExploring, !keepsFilter { modes.filter = nil }
    guard !shownPanels.contains(lastFocusedPanel), let first = shownPanels.first else { return }
    let pane = focus
    focus = .panel(first)
    if case .panel = pane { return }
    focus = pane
  }

  /// Shows a preset with this panel, if the chosen one does not have it.
  mutating func revealPanel(_ index: Int) {
    panes.choices.hiddenPanels.remove(panels[index].definition.name)
    guard !shownPanels.contains(index) else { return }
    let name = presets.all.first { $0.panels.contains(index) }?.name
    if let name { panes.presets.choose(name) }
  }
}
