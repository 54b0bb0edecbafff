/// Where everything stands on a screen of some size, and what has no room there.
///
///     header
///     panels ┃ panels
///     console   ┃ feed
///     message, latency, key hints
///
/// Below 80x24 there is no feed, below 72x20 no Δ, below 60x16 no console (it fills the screen while
/// it has the focus), below 30x6 one number.
struct ScreenPlan {
  let size: Size
  /// Nothing but one number fits.
  let isTiny: Bool
  let showsDelta: Bool
  private(set) var header: Rect?
  private(set) var message: Rect?
  private(set) var status: Rect?
  private(set) var hints: Rect?
  /// Between header and status lines: what overlays cover.
  private(set) var body: Rect
  private(set) var panels: [(index: Int, frame: Rect)] = []
  private(set) var console: Rect?
  private(set) var feed: Rect?
  /// The page shown, from 1, and how many there are.
  private(set) var page = (number: 1, count: 1)
  /// How many panels a page has.
  private var pageCapacity = 1

  /// Whether there is room for one value alone.
  static func isTiny(_ size: Size) -> Bool { size.width < 30 || size.height < 6 }

  init(_ state: DashboardState, size: Size) {
    self.size = size
    isTiny = Self.isTiny(size)
    showsDelta = size.width >= 72 && size.height >= 20
    body = Rect(x: 0, y: 0, width: size.width, height: size.height)
    guard !isTiny else { return }
    header = takeFirst()
    if size.height >= 10 { hints = takeLast() }
    if size.height >= 16 { status = takeLast() }
    if size.height >= 12 { message = takeLast() }
    divideBody(state)
  }

  private mutating func divideBody(_ state: DashboardState) {
    let hasFeed = size.width >= 80 && size.height >= 24
    let hasConsole = state.consoleEnabled && size.width >= 60 && size.height >= 16
    if state.focus == .console, state.isZoomed || !hasConsole {
      console = body
      return
    }
    if state.focus == .feed, state.isZoomed || !hasFeed {
      feed = body
      return
    }
    if let focused = state.focusedPanel, state.isZoomed {
      panels = [(focused, body)]
      return
    }
    var area = body
    if hasFeed || hasConsole {
      let height = state.panels.isEmpty ? body.height : bottomHeight(state)
      area.height -= height
      let bottom = Rect(x: 0, y: area.y + area.height, width: size.width, height: height)
      switch (hasConsole, hasFeed) {
      case (true, true):
        let left = size.width * 5 / 8
        console = Rect(x: 0, y: bottom.y, width: left, height: height)
        feed = Rect(x: left, y: bottom.y, width: size.width - left, height: height)
      case (true, false): console = bottom
      default: feed = bottom
      }
    }
    arrangePanels(state, in: area)
  }

  /// As in the pictures, nine lines of 24 and twelve of 48; less when there are many panels.
  private func bottomHeight(_ state: DashboardState) -> Int {
    let wanted = size.height >= 40 ? 12 : size.height >= 24 ? 9 : 6
    let rows = max(state.presets.chosen.layout.count, 1)
    let spare = body.height - rows * (Arrangement.minimum.height + 1)
    return min(wanted, max(5, spare))
  }

  private mutating func arrangePanels(_ state: DashboardState, in area: Rect) {
    if let frames = Arrangement.matrix(state.presets.chosen.layout, in: area) {
      panels = frames.sorted { $0.key < $1.key }.map { (index: $0.key, frame: $0.value) }
      // A panel that the layout leaves out is reached by zooming into it.
      if let focused = state.focusedPanel, frames[focused] == nil { panels = [(focused, area)] }
      return
    }
    let shown = state.shownPanels
    if let frames = Arrangement.automatic(shown.map { state.panels[$0].kind }, in: area) {
      panels = zip(shown, frames).map { (index: $0, frame: $1) }
      return
    }
    let capacity = Arrangement.pageCapacity(of: area)
    let place = shown.firstIndex(of: state.lastFocusedPanel) ?? 0
    let first = (place / capacity) * capacity
    let onPage = shown[first..<min(first + capacity, shown.count)]
    page = (first / capacity + 1, (shown.count + capacity - 1) / capacity)
    pageCapacity = capacity
    let frames = Arrangement.grid(onPage.count, in: area, cellWidth: 38)
    panels = zip(onPage, frames).map { (index: $0.0, frame: $0.1) }
  }

  /// Where the first panel of a page stands among those that are shown.
  ///
  /// - Parameter page: From 0.
  static func firstPanel(ofPage page: Int, _ state: DashboardState, size: Size) -> Int {
    page * ScreenPlan(state, size: size).pageCapacity
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
  /// What the frame surrounds.
  let inner: Rect
  /// The rows of the result stand here.
  private(set) var rows: Rect
  private(set) var header: Rect?
  private(set) var rule: Rect?
  private(set) var footer: Rect?

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
