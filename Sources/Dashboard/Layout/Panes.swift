/// Which panes are on the screen, which one has the focus, and how they share the room.
struct Panes: Sendable, Equatable {
  var size = Size(width: 80, height: 24)
  var focus: Focus {
    didSet { if case .panel(let index) = focus { lastFocusedPanel = index } }
  }
  /// The panel to return to, whose page is shown while console or feed have the focus.
  private(set) var lastFocusedPanel: Int
  /// Whether the focused pane fills the screen.
  var isZoomed = false
  /// Which panels are shown, and how they are arranged.
  var presets: Presets
  /// Where the user moved the lines between panes.
  var dividers = Dividers()
  /// What the user showed and hid.
  var choices: PaneChoices
  private var settled = Settled()

  init(
    _ presets: Presets, hasConsole: Bool, hasPanels: Bool, choices: PaneChoices = PaneChoices()
  ) {
    self.presets = presets
    self.choices = choices
    let first = presets.chosen.panels.first ?? 0
    focus = !hasPanels && hasConsole ? .console : .panel(first)
    lastFocusedPanel = first
  }

  /// Where everything is on the screen, or on one of another size.
  ///
  /// - Complexity: O(panels); if its input has changed since the last ``settle(_:)``, O(panels +
  ///   cells of the preset's layout).
  func layout(
    of panels: [LayoutInput.Panel], hasConsole: Bool, explorer: ExplorerPanes.Input? = nil,
    hiddenPanels: Set<Int> = [], size: Size? = nil
  ) -> ScreenLayout {
    let input = LayoutInput(
      size: size ?? self.size, panels: panels, presets: presets, focus: focus,
      lastFocusedPanel: lastFocusedPanel, isZoomed: isZoomed, hasConsole: hasConsole,
      paneChoices: choices.panes, hiddenPanels: hiddenPanels, explorer: explorer,
      movedDividers: dividers.places)
    if let layout = settled.layout, layout.input == input { return layout }
    return ScreenLayout(input)
  }

  /// Keeps the layout at the end of an action.
  mutating func settle(_ layout: ScreenLayout) { settled.layout = layout }

  /// A layout that was derived from the rest: it makes no difference.
  private struct Settled: Sendable, Equatable {
    var layout: ScreenLayout?

    static func == (left: Self, right: Self) -> Bool { true }
  }
}
