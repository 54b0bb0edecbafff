/// Where everything is on a screen of some size, and what has no room there.
///
///     header
///     panels ┃ panels
///     console   ┃ feed
///     message, latency, key hints
///
/// Below 80x24 there is no feed, below 76x22 no history in rows, below 72x20 no Δ, below 60x16 no console (it fills the screen while
/// it has the focus), below 30x6 one number.
struct ScreenPlan {
  let size: Size
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
  private(set) var panels: [(index: Int, frame: Rect)] = []
  /// The panel whose value is shown when nothing else fits; nil if not even that fits.
  private(set) var valuePanel: Int?
  private(set) var console: Rect?
  private(set) var feed: Rect?
  private(set) var schema: Rect?
  /// The current page, from 1, and how many there are.
  private(set) var page = (number: 1, count: 1)
  /// The movable lines between panes.
  private(set) var dividers: [PlacedDivider] = []
  /// The panes placed among the panels.
  private var placed: Set<LayoutPane> = []
  /// How many panels fit on a page.
  private var pageCapacity = 1

  /// Whether there is only room for one value.
  static func isTiny(_ size: Size) -> Bool { size.width < 30 || size.height < 6 }

  init(_ state: DashboardState, size: Size) {
    self.size = size
    isTiny = Self.isTiny(size)
    showsDelta = size.width >= 72 && size.height >= 20
    showsSparklines = size.width >= 76 && size.height >= 22
    body = Rect(x: 0, y: 0, width: size.width, height: size.height)
    guard !isTiny else {
      let hasValue = size.width > 0 && size.height > 0 && state.focus != .console
      if hasValue, state.panels.indices.contains(state.lastFocusedPanel) {
        valuePanel = state.lastFocusedPanel
      }
      return
    }
    header = takeFirst()
    if size.height >= 10 { hints = takeLast() }
    if size.height >= 16 { status = takeLast() }
    if size.height >= 12 { message = takeLast() }
    placed = Self.placedPanes(state, size: size)
    divideBody(state)
  }

  /// Whether the schema has a place of its own next to panels, console and feed.
  static func hasSchema(_ size: Size) -> Bool { size.width >= 140 && size.height >= 40 }

  /// Whether a layout may place console, feed and schema; smaller screens have them below.
  private static func placesPanes(_ size: Size) -> Bool { size.width >= 120 && size.height >= 40 }

  /// The panes that the chosen layout places on a screen of this size.
  static func placedPanes(_ state: DashboardState, size: Size) -> Set<LayoutPane> {
    guard placesPanes(size), !state.panels.isEmpty else { return [] }
    // Panes that the layout has no room for are below: header, status lines and lower panes take
    // their lines first.
    var trial = Arrangement()
    let area = Rect(x: 0, y: 0, width: size.width, height: size.height - 4 - 12)
    guard trial.matrix(state.presets.chosen.layout, in: area) != nil else { return [] }
    return Set(
      state.presets.chosen.layout.joined().compactMap { cell in
        guard case .pane(let pane)? = cell else { return nil }
        return pane == .console && !state.consoleEnabled ? nil : pane
      })
  }

  private mutating func divideBody(_ state: DashboardState) {
    let hasFeed = size.width >= 80 && size.height >= 24
    let hasConsole = state.consoleEnabled && size.width >= 60 && size.height >= 16
    let hasSchema = Self.hasSchema(size) || placed.contains(.schema)
    if state.focus == .console, state.isZoomed || !hasConsole {
      console = body
      return
    }
    if state.focus == .feed, state.isZoomed || !hasFeed {
      feed = body
      return
    }
    if state.focus == .schema, state.isZoomed || !hasSchema {
      schema = body
      return
    }
    if let focused = state.focusedPanel, state.isZoomed {
      panels = [(focused, body)]
      return
    }
    var area = body
    var arrangement = Arrangement(moved: state.dividers.places)
    defer { dividers = arrangement.dividers }
    var below: [LayoutPane] = []
    if hasConsole, !placed.contains(.console) { below.append(.console) }
    if hasFeed, !placed.contains(.transactions) { below.append(.transactions) }
    if hasSchema, !placed.contains(.schema) { below.append(.schema) }
    if !below.isEmpty {
      var height = body.height
      if !state.panels.isEmpty {
        height -= arrangement.split(
          body.height, at: body.height - bottomHeight(state), .bottom, isVertical: false, in: body,
          least: Arrangement.minimum.height + 1)
      }
      area.height -= height
      let line = Rect(x: 0, y: area.y + area.height, width: size.width, height: height)
      for (pane, frame) in zip(below, arrangement.line(line, weights: Self.weights(below))) {
        place(pane, frame)
      }
    }
    arrangePanels(state, in: area, &arrangement)
  }

  /// The console has about twice the width of the pane next to it.
  private static func weights(_ panes: [LayoutPane]) -> [Int] {
    panes.map { $0 == .console ? (panes.count == 2 ? 5 : 4) : 3 }
  }

  private mutating func place(_ pane: LayoutPane, _ frame: Rect) {
    switch pane {
    case .console: console = frame
    case .transactions: feed = frame
    case .schema: schema = frame
    }
  }

  /// Nine lines of 24 and twelve of 48; fewer when there are many panels.
  private func bottomHeight(_ state: DashboardState) -> Int {
    let wanted = size.height >= 40 ? 12 : size.height >= 24 ? 9 : 6
    let layout = state.presets.chosen.layout
    // The panel with the fewest layout rows must have enough lines.
    var spans: [Presets.Cell: Int] = [:]
    for row in layout { for cell in Set(row.compactMap(\.self)) { spans[cell, default: 0] += 1 } }
    let least = max(spans.values.min() ?? 1, 1)
    let lines = ((Arrangement.minimum.height + 1) * max(layout.count, 1) + least - 1) / least
    return min(wanted, max(5, body.height - lines))
  }

  /// The chosen layout; the remaining cells take over those of panes that are below.
  private func layout(_ state: DashboardState) -> [[Presets.Cell?]] {
    state.presets.chosen.layout.map { row in
      var left: Presets.Cell?
      return row.map { cell in
        if case .pane(let pane)? = cell, !placed.contains(pane) { return left }
        left = cell
        return cell
      }
    }
  }

  private mutating func arrangePanels(
    _ state: DashboardState, in area: Rect, _ arrangement: inout Arrangement
  ) {
    if let frames = arrangement.matrix(layout(state), preset: state.presets.index, in: area) {
      for (cell, frame) in frames {
        switch cell {
        case .panel(let index): panels.append((index, frame))
        case .pane(let pane): place(pane, frame)
        }
      }
      panels.sort { $0.index < $1.index }
      // A panel that the layout omits is reached by zooming into it.
      if let focused = state.focusedPanel, !panels.contains(where: { $0.index == focused }) {
        panels = [(focused, area)]
        for pane in placed { take(away: pane) }
      }
      return
    }
    let shown = state.shownPanels
    if let frames = arrangement.automatic(shown.map { state.panels[$0].kind }, in: area) {
      panels = zip(shown, frames).map { (index: $0, frame: $1) }
      return
    }
    let capacity = Arrangement.pageCapacity(of: area)
    let place = shown.firstIndex(of: state.lastFocusedPanel) ?? 0
    let first = (place / capacity) * capacity
    let onPage = shown[first..<min(first + capacity, shown.count)]
    page = (first / capacity + 1, (shown.count + capacity - 1) / capacity)
    pageCapacity = capacity
    let frames = arrangement.grid(onPage.count, in: area, cellWidth: 38)
    panels = zip(onPage, frames).map { (index: $0.0, frame: $0.1) }
  }

  /// The number of the panel at a cell.
  func panel(x: Int, y: Int) -> Int? {
    panels.first { $0.frame.contains(x: x, y: y) }?.index
  }

  /// The panels whose rows are in view, with their number of visible rows: one if only a value
  /// fits.
  func rowViews(_ state: DashboardState) -> [(index: Int, visible: Int)] {
    if let valuePanel { return [(valuePanel, 1)] }
    return panels.map { index, frame in
      (index, PanelGeometry(state.panels[index], frame: frame).rows.height)
    }
  }

  /// The divider at a cell: the borders on both sides of it.
  func divider(x: Int, y: Int) -> PlacedDivider? {
    let frames = panels.map(\.frame) + [console, feed, schema].compactMap { $0 }
    return dividers.first { divider in
      let (along, across) = divider.isVertical ? (y, x) : (x, y)
      guard divider.extent.contains(along),
        across == divider.position || across == divider.position - 1
      else { return false }
      // If a panel spans the line, there is no border to grab.
      return frames.contains { frame in
        let edges = divider.isVertical ? frame.columns : frame.rows
        return frame.contains(x: x, y: y)
          && (edges.lowerBound == divider.position || edges.upperBound == divider.position)
      }
    }
  }

  /// The index of the first panel of a page among the shown ones.
  ///
  /// - Parameter page: From 0.
  static func firstPanel(ofPage page: Int, _ state: DashboardState, size: Size) -> Int {
    page * ScreenPlan(state, size: size).pageCapacity
  }

  private mutating func take(away pane: LayoutPane) {
    switch pane {
    case .console: console = nil
    case .transactions: feed = nil
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

/// The parts of a panel inside its frame.
struct PanelGeometry {
  /// The area inside the frame.
  let inner: Rect
  /// The area of the result's rows.
  private(set) var rows: Rect
  private(set) var header: Rect?
  private(set) var rule: Rect?
  private(set) var footer: Rect?
  /// Why the result is shown as a table, in place of the last lines.
  private(set) var remark: Rect?

  init(_ panel: PanelState, frame: Rect) {
    self.init(panel.kind, frame: frame)
    guard let misfit = panel.misfit, inner.height >= 3 else { return }
    if let footer { rows.height += footer.height }
    footer = nil
    // If the rows leave no free line, some of them can be scrolled to.
    let free = max(rows.height - panel.rowCount, rows.height / 2, 1)
    let needed = Self.lines(ofRemark: misfit, width: inner.width, limit: free).count
    rows.height -= needed
    remark = Rect(x: inner.x, y: rows.y + rows.height, width: inner.width, height: needed)
  }

  /// Why the result is shown as a table, in lines of a panel.
  static func lines(
    ofRemark text: String, width: Int, limit: Int, glyphs: GlyphSet = .unicode
  ) -> [String] {
    var lines = TextWrap.lines(text, width: max(1, width - 4), glyphs: glyphs)
    if lines.count > limit, limit > 0 {
      // The rest is cut where the last line ends.
      lines = lines.prefix(limit - 1) + [lines.dropFirst(limit - 1).joined()]
    }
    return lines.enumerated().map { ($0 == 0 ? "! " : "  ") + $1 }
  }

  init(_ kind: ViewKind, frame: Rect) {
    inner = frame.inset(by: 1)
    rows = inner
    guard kind == .table, inner.height >= 2 else { return }
    header = take(at: inner.y)
    if inner.height >= 12 { rule = take(at: inner.y + 1) }
    if inner.height >= 16 {
      rows.height -= 1
      footer = Rect(x: inner.x, y: rows.y + rows.height, width: inner.width, height: 1)
    }
  }

  private mutating func take(at y: Int) -> Rect {
    rows.y += 1
    rows.height -= 1
    return Rect(x: inner.x, y: y, width: inner.width, height: 1)
  }
}
