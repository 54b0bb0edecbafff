import ObservationEngine

extension DashboardState {
  /// How many rows one notch of the wheel scrolls.
  private static let notch = 3

  /// Handles the mouse: everything it does has a key too, except dragging.
  mutating func take(_ event: MouseEvent) -> [Effect] {
    // A drag may leave the screen, and a terminal may report cells that no longer exist.
    guard event.kind == .drag || event.kind == .release || screen.contains(x: event.x, y: event.y)
    else { return [] }
    if question == .confirmHooks, event.kind == .wheelUp || event.kind == .wheelDown {
      // No line may be skipped without having been in view.
      for _ in 0..<min(Self.notch, max(1, HookListing(self).visible)) {
        _ = press(event.kind == .wheelUp ? .up : .down)
      }
      return []
    }
    guard !ScreenPlan.isTiny(size) else { return [] }
    switch event.kind {
    case .press: return click(x: event.x, y: event.y)
    case .drag:
      guard let divider = dividers.dragged?.divider else { return [] }
      dividers.drag(to: divider.isVertical ? event.x : event.y)
      clampScrolling()
    case .release: dividers.drop()
    case .wheelUp: return wheel(x: event.x, y: event.y, rows: -Self.notch)
    case .wheelDown: return wheel(x: event.x, y: event.y, rows: Self.notch)
    case .wheelLeft, .wheelRight:
      let plan = ScreenPlan(self, size: size)
      guard overlay == nil, let index = plan.panel(x: event.x, y: event.y) else { return [] }
      panels[index].moveColumns(by: event.kind == .wheelRight ? 1 : -1)
    }
    return []
  }

  private var screen: Rect { Rect(x: 0, y: 0, width: size.width, height: size.height) }

  private mutating func click(x: Int, y: Int) -> [Effect] {
    let plan = ScreenPlan(self, size: size)
    if let line = plan.hints, line.contains(x: x, y: y) {
      return KeyHints.key(atColumn: x, self, plan).map { press($0) } ?? []
    }
    message = nil
    // Only y and n answer a question.
    guard question == nil else { return [] }
    if let line = commandLine {
      guard let index = CommandLineView.offer(x: x, y: y, self, line, in: plan.body) else {
        commandLine = nil
        return []
      }
      commandLine?.choose(index)
      return press(.enter)
    }
    if overlay != nil {
      overlay = nil
      return []
    }
    filterInput = nil
    if let header = plan.header, header.contains(x: x, y: y) {
      let preset = HeaderView.preset(atColumn: x, self, plan, in: header)
      return preset.map { choosePreset(presets.names[$0]) } ?? []
    }
    if let divider = plan.divider(x: x, y: y) {
      dividers.grab(divider, at: divider.isVertical ? x : y)
    }
    if let index = plan.panel(x: x, y: y) {
      return clickPanel(index, plan, x: x, y: y)
    }
    if let frame = plan.console, frame.contains(x: x, y: y) {
      return clickConsole(frame, x: x, y: y)
    }
    if let frame = plan.feed, frame.contains(x: x, y: y) { return clickFeed(frame, x: x, y: y) }
    if let frame = plan.schema, frame.contains(x: x, y: y) { return clickSchema(frame, x: x, y: y) }
    return []
  }

  /// Gives a panel the focus, and moves its cursor to the row; a click on the row under the cursor
  /// opens it, and one on the name of a column sorts by it.
  private mutating func clickPanel(
    _ index: Int, _ plan: ScreenPlan, x: Int, y: Int
  ) -> [Effect] {
    let isFocused = focus == .panel(index)
    focus = .panel(index)
    guard let frame = plan.panels.first(where: { $0.index == index })?.frame else { return [] }
    let geometry = PanelGeometry(panels[index], frame: frame)
    if let column = TableView.column(
      x: x, y: y, panels[index], geometry, plan.context(of: index, self, moment: now),
      glyphs: glyphs)
    {
      guard !refuseOtherLook(of: index) else { return [] }
      sort(index, by: column)
      clampScrolling()
      return []
    }
    let rows = geometry.rows
    let row = panels[index].top + y - rows.y
    guard panels[index].kind.hasRows, rows.contains(x: x, y: y),
      row < panels[index].rowCount
    else { return [] }
    if isFocused, panels[index].cursor == row { return press(.enter) }
    panels[index].moveCursor(to: row, visible: rows.height)
    return []
  }

  /// Ascending, then descending, then in the query's order.
  private mutating func sort(_ index: Int, by column: Int) {
    switch panels[index].sort {
    case PanelState.Sort(column: column):
      panels[index].setSort(PanelState.Sort(column: column, isDescending: true))
    case PanelState.Sort(column: column, isDescending: true): panels[index].setSort(nil)
    default: panels[index].setSort(PanelState.Sort(column: column))
    }
  }

  /// Gives the feed the focus, and moves its cursor to the line; a click on the line under the
  /// cursor is Enter.
  private mutating func clickFeed(_ frame: Rect, x: Int, y: Int) -> [Effect] {
    let isFocused = focus == .feed
    focus = .feed
    let area = frame.inset(by: 1)
    let line = feed.scroll + y - area.y
    guard area.contains(x: x, y: y), line < feed.entries.count else { return [] }
    if isFocused, feed.cursor == line { return press(.enter) }
    feed.move(by: line - feed.cursor, visible: area.height)
    return []
  }

  /// Gives the tree the focus, and moves its cursor to the line; a click on the line under the
  /// cursor is Enter.
  private mutating func clickSchema(_ frame: Rect, x: Int, y: Int) -> [Effect] {
    let isFocused = focus == .schema
    focus = .schema
    let area = frame.inset(by: 1)
    let line = schema.top + y - area.y
    guard area.contains(x: x, y: y), schema.lines.indices.contains(line) else { return [] }
    if isFocused, schema.cursor == line { return press(.enter) }
    schema.move(to: line, visible: area.height)
    return []
  }

  private mutating func wheel(x: Int, y: Int, rows: Int) -> [Effect] {
    guard question == nil else { return [] }
    if commandLine != nil { return press(rows < 0 ? .up : .down) }
    if overlay != nil {
      for _ in 0..<abs(rows) { _ = press(rows < 0 ? .up : .down) }
      return []
    }
    let plan = ScreenPlan(self, size: size)
    if let index = plan.panel(x: x, y: y) {
      panels[index].scroll(by: rows, visible: visibleRows(of: index))
    } else if plan.console?.contains(x: x, y: y) == true {
      scrollConsole(by: rows)
    } else if plan.schema?.contains(x: x, y: y) == true {
      schema.move(by: rows, visible: visibleSchemaLines)
    } else if plan.feed?.contains(x: x, y: y) == true {
      for _ in 0..<abs(rows) { scrollFeed(rows < 0 ? .up : .down) }
    }
    return []
  }
}

extension ViewKind {
  /// Whether it has a line for each row of the result, which can be chosen.
  fileprivate var hasRows: Bool { self == .table || self == .bar || self == .log }
}
