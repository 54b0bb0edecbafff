/// Showing and hiding: the console, the feed, the schema, and panels.
extension DashboardState {
  /// The hidden panels, by number.
  var hiddenPanels: Set<Int> {
    let names = panes.choices.hiddenPanels
    guard !names.isEmpty, !isExploring else { return [] }
    let hidden = Set(panels.indices.filter { names.contains(panels[$0].definition.name) })
    // An empty screen is never what was meant: the file or the preset may be another one now.
    return presets.chosen.panels.allSatisfy(hidden.contains) ? [] : hidden
  }

  /// What is to be remembered, if the user changed it.
  func rememberedChoices(since former: PaneChoices) -> [Effect] {
    guard panes.choices != former else { return [] }
    var choices = panes.choices
    // In the next session, panels of this one are gone, and their names may be those of others.
    choices.hiddenPanels.subtract(console.pinned.map(\.name) + details.path.map(\.panel))
    return [.rememberPanes(choices)]
  }

  // MARK: Panes

  /// The key of a pane: shows it and goes there; from there it hides it.
  mutating func toggle(_ pane: LayoutPane) {
    if focus.pane == pane { hide(pane) } else { show(pane) }
  }

  /// Shows a pane, and gives it the focus.
  mutating func show(_ pane: LayoutPane) {
    guard pane != .console || source.hasConsole else {
      message = Message("there is no console here")
      return
    }
    panes.choices.panes[pane] = true
    focus = Focus(pane)
  }

  /// Hides a pane; the focus returns to the panels.
  mutating func hide(_ pane: LayoutPane) {
    guard focus.pane != pane || !panels.isEmpty else {
      message = Message("nothing else is on the screen")
      return
    }
    if pane == .console { console.browser = nil }
    panes.choices.panes[pane] = false
    guard focus.pane == pane else { return }
    panes.isZoomed = false
    focus = .panel(lastFocusedPanel)
  }

  /// One step at a time: the newest line, all panes, the panels.
  mutating func leaveFeed() {
    if feed.cursor > 0 || feed.scroll > 0 {
      move(.first)
    } else if isZoomed {
      panes.isZoomed = false
    } else if !panels.isEmpty {
      focus = .panel(lastFocusedPanel)
    }
  }

  // MARK: Commands

  /// What `:show` and `:hide` offer: panes, then panels.
  func paneNames(hidden isHidden: Bool) -> [String] {
    guard !isExploring else { return [] }
    let hidden = hiddenPanels
    let shown = layout
    let others = LayoutPane.allCases.filter { pane in
      (pane != .console || source.hasConsole) && shown.input.shows(pane) != isHidden
    }
    return others.map(\.rawValue)
      + panels.indices.filter { hidden.contains($0) == isHidden }.map { panels[$0].definition.name }
  }

  /// Shows what has this name.
  mutating func show(named name: String) -> [Effect] {
    if let index = panelIndex(named: name) {
      panes.choices.hiddenPanels.remove(panels[index].definition.name)
      return focusPanel(named: name)
    }
    guard let pane = LayoutPane(word: name) else {
      return refuse("nothing is called", name, among: paneNames(hidden: true))
    }
    show(pane)
    return []
  }

  /// Hides what has this name, or else the focused pane.
  mutating func hide(named name: String) -> [Effect] {
    guard !isExploring else { return refuseInExplorer() }
    if name.isEmpty {
      if let pane = focus.pane {
        hide(pane)
      } else if let index = focusedPanel {
        return hidePanel(named: panels[index].definition.name)
      }
    } else if let index = panelIndex(named: name) {
      return hidePanel(named: panels[index].definition.name)
    } else if let pane = LayoutPane(word: name) {
      hide(pane)
    } else {
      return refuse("nothing is called", name, among: paneNames(hidden: false))
    }
    return []
  }

  /// Hides a panel, which goes on to be observed: alerts and hooks stay. A detail ends.
  mutating func hidePanel(named name: String) -> [Effect] {
    if let effects = endDetail(named: name) { return effects }
    let rest = shownPanels.filter { panels[$0].definition.name != name }
    guard !rest.isEmpty else {
      message = Message("this is the last panel on the screen")
      return []
    }
    panes.choices.hiddenPanels.insert(name)
    panes.isZoomed = false
    message = Message("\(name) is hidden; :show \(name) brings it back")
    guard !rest.contains(lastFocusedPanel) else { return [] }
    let pane = focus
    focus = .panel(rest.first { $0 > lastFocusedPanel } ?? rest[rest.count - 1])
    if case .panel = pane { return [] }
    focus = pane
    return []
  }

  /// Closes the focused pane: a panel that was opened or pinned in this session ends.
  mutating func close() -> [Effect] {
    guard !isExploring || focus.pane != nil else { return refuseInExplorer() }
    if let pane = focus.pane {
      hide(pane)
      return []
    }
    guard let index = focusedPanel else { return refuseWithoutPanel() }
    return closePanel(named: panels[index].definition.name)
  }

  /// Ends a pinned panel: that of this name, the focused one, or the only one.
  mutating func unpin(_ name: String) -> [Effect] {
    let pinned = console.pinned.map(\.name)
    let focused = focusedPanel.map { panels[$0].definition.name }
    let wanted =
      !name.isEmpty
      ? name : focused.flatMap { pinned.contains($0) ? $0 : nil } ?? pinned.last ?? ""
    guard pinned.contains(wanted) else {
      if pinned.isEmpty {
        message = Message("no panel is pinned: :pin in the console pins one", .error)
        return []
      }
      return refuse("no pinned panel is called", wanted, among: pinned)
    }
    return closePanel(named: wanted)
  }

  private mutating func closePanel(named name: String) -> [Effect] {
    if let effects = endDetail(named: name) { return effects }
    console.pinned.removeAll { $0.name == name }
    return [.closePanel(named: name)]
  }

  private func panelIndex(named name: String) -> Int? {
    panels.firstIndex { $0.definition.name == name }
      ?? panels.firstIndex { $0.definition.name.lowercased() == name.lowercased() }
  }

  private mutating func refuseInExplorer() -> [Effect] {
    message = Message("the explorer stays; \(keyMap.mention("release")) goes one step back")
    return []
  }
}
