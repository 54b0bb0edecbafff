/// The receiver of keys.
package enum Focus: Sendable, Hashable {
  case panel(Int)
  case console
  case feed
  case schema

  /// The pane that isn't a panel.
  var pane: LayoutPane? {
    switch self {
    case .panel: nil
    case .console: .console
    case .feed: .feed
    case .schema: .schema
    }
  }

  init(_ pane: LayoutPane) {
    switch pane {
    case .console: self = .console
    case .feed: self = .feed
    case .schema: self = .schema
    }
  }
}

/// Everything that the layout of the screen depends on.
///
/// Actions that leave it equal leave the layout as it is.
struct LayoutInput: Sendable, Equatable {
  struct Panel: Sendable, Equatable {
    var kind: ViewKind
    /// Why its result is shown as a table; nil when it isn't.
    var misfit: String?
    /// How many rows it has; 0 without a misfit, whose lines alone depend on it.
    var rowCount = 0
    /// Whether a table has something to say about its last change.
    var hasChanges = false
  }

  var size: Size
  /// All of them, by number.
  var panels: [Panel]
  var presets: Presets
  var focus: Focus
  /// The panel whose page is shown while another pane has the focus.
  var lastFocusedPanel: Int
  /// Whether the focused pane fills the screen.
  var isZoomed: Bool
  var hasConsole: Bool
  /// The panes that the user showed or hid; the layout decides about the others.
  var paneChoices: [LayoutPane: Bool] = [:]
  /// The panels that the user hid, by number.
  var hiddenPanels: Set<Int> = []
  /// What the explorer's panes depend on, while it is shown.
  var explorer: ExplorerPanes.Input?
  /// Where the user moved dividers, as fractions of the lengths that they divide.
  var movedDividers: [Divider: Double]

  /// The focused panel, if a panel has the focus.
  var focusedPanel: Int? {
    if case .panel(let index) = focus, panels.indices.contains(index) { index } else { nil }
  }

  /// The panels of the chosen preset that aren't hidden, by number.
  var shownPanels: [Int] { presets.chosen.panels.filter { !hiddenPanels.contains($0) } }

  /// Whether a pane is to be on the screen: the user chose that, or the layout names it, or it has
  /// the focus. Without panels there is room for all.
  func shows(_ pane: LayoutPane) -> Bool {
    guard explorer == nil, pane != .console || hasConsole else { return false }
    if focus.pane == pane { return true }
    return paneChoices[pane] ?? (namesPane(pane) || panels.isEmpty)
  }

  private func namesPane(_ pane: LayoutPane) -> Bool {
    presets.chosen.layout.contains { $0.contains(.pane(pane)) }
  }
}
