/// Where everything is on a screen of some size, and what has no room there.
///
///     header
///     panels ┃ panels
///     console   ┃ feed
///     message, latency, key hints
///
/// Console, feed and schema are there when the user shows them, or the layout names them. Below
/// 80x24 there is no feed, below 76x22 no history in rows, below 72x20 no Δ, below 60x16 no console
/// (each fills the screen while it has the focus), below 30x6 one number.
///
/// Neighbours share the line between them.
struct ScreenLayout: Sendable {
  /// What it was computed from.
  let input: LayoutInput
  /// Only one number fits.
  let isTiny: Bool
  let showsDelta: Bool
  let showsSparklines: Bool
  private(set) var header: Rect?
  private(set) var message: Rect?
  private(set) var status: Rect?
  private(set) var hints: Rect?
  /// The area between header and status lines, which overlays cover.
  private(set) var body: Rect
  private(set) var panels: [PlacedPanel] = []
  /// The panel whose value is shown when nothing else fits; nil if not even that fits.
  private(set) var valuePanel: Int?
  private(set) var console: Rect?
  private(set) var feed: Rect?
  private(set) var schema: Rect?
  /// The panes of the explorer, which take the place of the panels.
  private(set) var explorer: ExplorerPanes?
  /// The current page, from 1, and how many there are.
  private(set) var page = (number: 1, count: 1)
  /// The movable lines between panes.
  private(set) var dividers: [PlacedDivider] = []
  /// The panes other than panels, as numbered on the screen after them: those placed among the
  /// panels first. A small screen has no room for some of them unless they have the focus.
  private(set) var otherPanes: [Focus] = []
  /// The panes placed among the panels.
  private var placed: Set<LayoutPane> = []
  /// The lines that frames share.
  private var lines = SharedLines()
  /// How many panels fit on a page.
  private var pageCapacity = 1

  /// A panel on the screen.
  struct PlacedPanel: Sendable {
    /// Its number, from 0.
    var index: Int
    var frame: Rect
  }

  /// Whether there is only room for one value.
  static func isTiny(_ size: Size) -> Bool { size.width < 30 || size.height < 6 }

  /// - Complexity: O(panels + cells of the preset's layout).
  init(_ input: LayoutInput) {
    self.input = input
    let size = input.size
    isTiny = Self.isTiny(size)
    showsDelta = size.width >= 72 && size.height >= 20
    showsSparklines = size.width >= 76 && size.height >= 22
    body = Rect(x: 0, y: 0, width: size.width, height: size.height)
    placed = Self.placedPanes(input)
    otherPanes = Self.otherPanes(input, placed)
    guard !isTiny else {
      explorer = input.explorer.map { ExplorerPanes(tiny: $0, in: body) }
      guard explorer?.tables == nil else { return }
      let hasValue = size.width > 0 && size.height > 0 && input.focus != .console
      if hasValue, input.panels.indices.contains(input.lastFocusedPanel) {
        valuePanel = input.lastFocusedPanel
      }
      return
    }
    header = takeFirst()
    if size.height >= 10 { hints = takeLast() }
    if size.height >= 16 { status = takeLast() }
    if size.height >= 12 { message = takeLast() }
    divideBody()
  }

  var size: Size { input.size }

  /// Panels in order, then the other panes: as they are numbered on the screen.
  var focusOrder: [Focus] { input.shownPanels.map(Focus.panel) + otherPanes }

  /// The number of a pane other than a panel, as the screen shows it.
  func number(of pane: Focus) -> Int {
    input.panels.count + 1 + (otherPanes.firstIndex(of: pane) ?? otherPanes.count)
  }

  /// Whether the schema has a place of its own next to panels, console and feed, or among them.
  var hasSchema: Bool { Self.hasSchema(input) || placed.contains(.schema) }

  /// Three panes below the panels need more room than two.
  private static func hasSchema(_ input: LayoutInput) -> Bool {
    guard input.shows(.schema) else { return false }
    let isThird = input.shows(.console) && input.shows(.feed)
    let least = isThird ? Size(width: 140, height: 40) : Size(width: 100, height: 30)
    return input.size.width >= least.width && input.size.height >= least.height
  }

  private static func hasFeed(_ input: LayoutInput) -> Bool {
    input.shows(.feed) && input.size.width >= 80 && input.size.height >= 24
  }

  /// The panes that the chosen layout places on a screen of this size: smaller screens have them
  /// below.
  private static func placedPanes(_ input: LayoutInput) -> Set<LayoutPane> {
    let size = input.size
    guard size.width >= 120, size.height >= 40, !input.panels.isEmpty else { return [] }
    let layout = LayoutGaps.closed(
      input.presets.chosen.layout, without: hidden(input, placed: Set(LayoutPane.allCases)))
    // Panes that the layout has no room for are below: header, status lines and lower panes take
    // their lines first.
    var trial = Arrangement()
    let area = Rect(x: 0, y: 0, width: size.width, height: size.height - 4 - 12)
    guard trial.matrix(layout, in: area) != nil else { return [] }
    return Set(
      layout.joined().compactMap { cell in
        if case .pane(let pane)? = cell { pane } else { nil }
      })
  }

  /// The cells of a layout that aren't on the screen, or not there, when these panes are placed.
  private static func hidden(
    _ input: LayoutInput, placed: Set<LayoutPane>
  ) -> [Presets.Cell] {
    let panes = LayoutPane.allCases.filter { !placed.contains($0) || !input.shows($0) }
    return panes.map(Presets.Cell.pane) + input.hiddenPanels.sorted().map(Presets.Cell.panel)
  }

  private static func otherPanes(_ input: LayoutInput, _ placed: Set<LayoutPane>) -> [Focus] {
    if input.explorer != nil { return [] }
    var panes: [Focus] = input.shows(.console) ? [.console] : []
    if hasFeed(input) {
      let isFirst = placed.contains(.feed) && !placed.contains(.console)
      panes.insert(.feed, at: isFirst ? 0 : panes.count)
    }
    if placed.contains(.schema) || hasSchema(input) { panes.append(.schema) }
    return panes
  }

  private mutating func divideBody() {
    let hasFeed = Self.hasFeed(input)
    let hasConsole = input.shows(.console) && size.width >= 60 && size.height >= 16
    if input.focus == .console, input.isZoomed || !hasConsole {
      console = body
      return
    }
    if input.focus == .feed, input.isZoomed || !hasFeed {
      feed = body
      return
    }
    if input.focus == .schema, input.isZoomed || !hasSchema {
      schema = body
      return
    }
    if let explorer = input.explorer { return explore(explorer) }
    if let focused = input.focusedPanel, input.isZoomed {
      panels = [PlacedPanel(index: focused, frame: body)]
      return
    }
    var area = body
    var arrangement = Arrangement(moved: input.movedDividers)
    defer { dividers = arrangement.dividers }
    var below: [LayoutPane] = []
    if hasConsole, !placed.contains(.console) { below.append(.console) }
    if hasFeed, !placed.contains(.feed) { below.append(.feed) }
    if hasSchema, !placed.contains(.schema) { below.append(.schema) }
    if !below.isEmpty {
      var height = body.height
      if !input.panels.isEmpty {
        height -= arrangement.split(
          body.height, at: body.height - bottomHeight(), .bottom, isVertical: false, in: body,
          least: Arrangement.minimum.height + 1)
      }
      area.height -= height
      let line = Rect(x: 0, y: area.y + area.height, width: size.width, height: height)
      for (pane, frame) in zip(below, arrangement.line(line, weights: Self.weights(below))) {
        place(pane, frame)
      }
    }
    arrangePanels(in: area, &arrangement)
    shareLines()
  }

  /// Makes frames of the tiles.
  private mutating func shareLines() {
    lines = SharedLines(frames.map { $0.frame })
    for index in panels.indices { panels[index].frame = lines.frame(panels[index].frame) }
    console = console.map(lines.frame)
    feed = feed.map(lines.frame)
    schema = schema.map(lines.frame)
  }

  /// The frames on the screen, and which of them has the focus.
  var frames: [(frame: Rect, focus: Focus)] {
    let panes: [(Rect?, Focus)] = [(console, .console), (feed, .feed), (schema, .schema)]
    var frames = panels.map { (frame: $0.frame, focus: Focus.panel($0.index)) }
    for case (let frame?, let focus) in panes { frames.append((frame, focus)) }
    return frames
  }

  /// Whether a cell belongs to a pane: a line that it shares belongs to the one below or to the
  /// right.
  func contains(_ frame: Rect?, x: Int, y: Int) -> Bool {
    frame.map { lines.tile($0).contains(x: x, y: y) } ?? false
  }

  /// Places the panes of the explorer on the whole body.
  private mutating func explore(_ input: ExplorerPanes.Input) {
    let panes = ExplorerPanes(input, in: body, isZoomed: self.input.isZoomed)
    explorer = panes
    lines = panes.lines
    if let rows = panes.rows, input.hasRows, !self.input.panels.isEmpty {
      panels = [PlacedPanel(index: 0, frame: rows)]
    }
  }

  /// How many lines of the explorer's list are in view.
  var visibleExplorerTables: Int { explorer?.visibleTables(isTiny: isTiny) ?? 0 }

  /// How many columns of the explorer are in view.
  var visibleExplorerColumns: Int { explorer?.visibleColumns ?? 0 }

  /// How many lines of the explorer's columns, or else of its list, are in view.
  func visibleLines(of pane: ExplorerState.Pane) -> Int {
    pane == .columns ? visibleExplorerColumns : visibleExplorerTables
  }

  /// The console has about twice the width of the pane next to it.
  private static func weights(_ panes: [LayoutPane]) -> [Int] {
    panes.map { $0 == .console ? (panes.count == 2 ? 5 : 4) : 3 }
  }

  private mutating func place(_ pane: LayoutPane, _ frame: Rect) {
    switch pane {
    case .console: console = frame
    case .feed: feed = frame
    case .schema: schema = frame
    }
  }

  /// Nine lines of 24 and twelve of 48; fewer when there are many panels.
  private func bottomHeight() -> Int {
    let wanted = size.height >= 40 ? 12 : size.height >= 24 ? 9 : 6
    let layout = cells()
    // The panel with the fewest layout rows must have enough lines.
    var spans: [Presets.Cell: Int] = [:]
    for row in layout { for cell in Set(row.compactMap(\.self)) { spans[cell, default: 0] += 1 } }
    let least = max(spans.values.min() ?? 1, 1)
    let lines = ((Arrangement.minimum.height + 1) * max(layout.count, 1) + least - 1) / least
    return min(wanted, max(5, body.height - lines))
  }

  /// The chosen layout; the remaining cells take over those of panes that are hidden or below.
  private func cells() -> [[Presets.Cell?]] {
    LayoutGaps.closed(
      input.presets.chosen.layout, without: Self.hidden(input, placed: placed))
  }

  private mutating func arrangePanels(in area: Rect, _ arrangement: inout Arrangement) {
    if let frames = arrangement.matrix(cells(), preset: input.presets.index, in: area) {
      for (cell, frame) in frames {
        switch cell {
        case .panel(let index): panels.append(PlacedPanel(index: index, frame: frame))
        case .pane(let pane): place(pane, frame)
        }
      }
      panels.sort { $0.index < $1.index }
      // A panel that the layout omits is reached by zooming into it.
      if let focused = input.focusedPanel, !panels.contains(where: { $0.index == focused }) {
        panels = [PlacedPanel(index: focused, frame: area)]
        for pane in placed { take(away: pane) }
      }
      return
    }
    let shown = input.shownPanels
    if let frames = arrangement.automatic(shown.map { input.panels[$0].kind }, in: area) {
      panels = zip(shown, frames).map { PlacedPanel(index: $0, frame: $1) }
      return
    }
    let capacity = Arrangement.pageCapacity(of: area)
    let place = shown.firstIndex(of: input.lastFocusedPanel) ?? 0
    let first = (place / capacity) * capacity
    let onPage = shown[first..<min(first + capacity, shown.count)]
    page = (first / capacity + 1, (shown.count + capacity - 1) / capacity)
    pageCapacity = capacity
    let frames = arrangement.page(onPage.count, in: area)
    panels = zip(onPage, frames).map { PlacedPanel(index: $0, frame: $1) }
  }

  /// The number of the panel at a cell.
  func panel(x: Int, y: Int) -> Int? {
    panels.first { contains($0.frame, x: x, y: y) }?.index
  }

  /// The panels whose rows are in view, with their number of visible rows: one if only a value
  /// fits.
  var rowViews: [(index: Int, visible: Int)] {
    if let valuePanel { return [(valuePanel, 1)] }
    return panels.map { placed in
      let geometry = PanelGeometry(input.panels[placed.index], frame: placed.frame)
      return (placed.index, geometry.rows.height)
    }
  }

  /// How many rows of a panel are in view; 0 when the panel is not.
  func visibleRows(of panel: Int) -> Int {
    rowViews.first { $0.index == panel }?.visible ?? 0
  }

  /// How many lines of the feed are in view.
  var visibleFeedLines: Int { feed.map { $0.inset(by: 1).height } ?? 0 }

  /// How many lines of the schema are in view.
  var visibleSchemaLines: Int { schema.map { $0.inset(by: 1).height } ?? 0 }

  /// How many rows of a result that is browsed in the console are in view.
  var visibleResultRows: Int { console.map { PanelGeometry(.table, frame: $0).rows.height } ?? 0 }

  /// The divider at a cell: the line that the panes on both sides share.
  func divider(x: Int, y: Int) -> PlacedDivider? {
    let frames = panels.map(\.frame) + [console, feed, schema].compactMap { $0 }
    return dividers.first { divider in
      let (along, across) = divider.isVertical ? (y, x) : (x, y)
      guard divider.extent.contains(along), across == divider.position else { return false }
      // If a panel spans the line, there is no border to grab.
      return frames.contains { frame in
        let edges = divider.isVertical ? frame.columns : frame.rows
        return frame.contains(x: x, y: y)
          && (edges.lowerBound == divider.position || edges.upperBound - 1 == divider.position)
      }
    }
  }

  /// The index of the first panel of a page among the shown ones.
  ///
  /// - Parameter page: From 0.
  func firstPanel(ofPage page: Int) -> Int { page * pageCapacity }

  private mutating func take(away pane: LayoutPane) {
    switch pane {
    case .console: console = nil
    case .feed: feed = nil
    case .schema: schema = nil
    }
  }

  private mutating func takeFirst() -> Rect {
    let line = Rect(x: 0, y: body.y, width: size.width, height: 1)
    body.y += 1
    body.height -= 1
    return line
  }

  private mutating func takeLast() -> Rect {
    body.height -= 1
    return Rect(x: 0, y: body.y + body.height, width: size.width, height: 1)
  }
}

extension ScreenLayout: Equatable {
  static func == (left: ScreenLayout, right: ScreenLayout) -> Bool { left.input == right.input }
}
