import ObservationEngine

extension DashboardState {
  /// Shows another set of panels: after its file was saved, or a panel was pinned or removed.
  ///
  /// A panel is identified by its name through such a change, and keeps what the user did to it:
  /// rows, history, cursor, filter, sort and scroll. References to panels by number (focus, feed)
  /// keep referring to the same panels, or to none if they are gone. A pause ends; stored frames
  /// show the remaining panels as they were then.
  ///
  /// Later results must be numbered like the new panels.
  ///
  /// - Returns: For each former panel its new number; nil when it is gone.
  /// - Complexity: O(panels + lines of the feed).
  @discardableResult
  mutating func replacePanels(with definition: DashboardDefinition) -> [Int?] {
    showNewest()
    let formerPanels = panels
    let former = Dictionary(
      formerPanels.enumerated().map { ($1.definition.name, $0) },
      uniquingKeysWith: { first, _ in first })
    panels = definition.panels.map { new in
      guard var panel = former[new.name].map({ formerPanels[$0] }) ?? shelf[new.name] else {
        return PanelState(definition: new)
      }
      panel.adopt(new)
      return panel
    }
    timeline.replacePanels(
      with: definition.panels, former: definition.panels.map { former[$0.name] })
    let indexes = Dictionary(
      definition.panels.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let numbers = formerPanels.map { indexes[$0.definition.name] }
    setting.title = definition.title
    details.definitions = definition.details
    details.path.removeAll { indexes[$0.panel] == nil && former[$0.panel] != nil }
    panes.presets = Presets(definition, chosen: presets.chosen.name)
    refocus(numbers)
    enterPreset(keepsFilter: true)
    feed.renumberPanels(numbers)
    return numbers
  }

  /// Keeps the focus, or moves it close by if that panel is gone.
  private mutating func refocus(_ numbers: [Int?]) {
    func successor(of index: Int) -> Int? {
      guard numbers.indices.contains(index) else { return nil }
      let after = numbers[index...].lazy.compactMap { $0 }.first
      return after ?? numbers[..<index].lazy.reversed().compactMap { $0 }.first
    }
    let pane = focus
    // Set through a panel's focus, so that the panel to return to is valid as well.
    focus = .panel(successor(of: lastFocusedPanel) ?? 0)
    if case .panel(let index) = pane {
      // A filter of the explorer's list is typed while its panel changes.
      if !numbers.indices.contains(index) || numbers[index] == nil, !isExploring {
        modes.filter = nil
      }
    } else {
      focus = pane
    }
    if panels.isEmpty, source.hasConsole, !isExploring { focus = .console }
  }
}
