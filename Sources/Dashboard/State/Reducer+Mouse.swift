import ObservationEngine

extension DashboardState {
  /// How many rows one notch of the wheel scrolls.
  private static let notch = 3

  /// Handles the mouse: everything it does has a key too, except dragging.
  mutating func take(_ event: MouseEvent) -> [Effect] {
    // A drag may leave the screen, and a terminal may report cells that no longer exist.
    guard event.kind == .drag || event.kind == .release || screen.contains(x: event.x, y: event.y)
    else { return [] }
    guard !ScreenLayout.isTiny(size) || isScrollingHooks(event) else { return [] }
    switch event.kind {
    case .press: return click(x: event.x, y: event.y)
    case .drag:
      guard let divider = panes.dividers.dragged?.divider else { return [] }
      panes.dividers.drag(to: divider.isVertical ? event.x : event.y)
    case .release: panes.dividers.drop()
    case .wheelUp: return wheel(x: event.x, y: event.y, rows: -Self.notch)
    case .wheelDown: return wheel(x: event.x, y: event.y, rows: Self.notch)
    case .wheelLeft, .wheelRight:
      guard modes.overlay == nil, let index = layout.panel(x: event.x, y: event.y) else {
        return []
      }
      panels[index].moveColumns(by: event.kind == .wheelRight ? 1 : -1)
    }
    return []
  }

  /// On the smallest screen, the wheel still scrolls the commands in question.
  private func isScrollingHooks(_ event: MouseEvent) -> Bool {
    modes.question == .confirmHooks && (event.kind == .wheelUp || event.kind == .wheelDown)
  }

  private var screen: Rect { Rect(x: 0, y: 0, width: size.width, height: size.height) }

  private mutating func click(x: Int, y: Int) -> [Effect] {
    let layout = layout
    if let line = layout.hints, line.contains(x: x, y: y) {
      guard let binding = KeyHints.binding(atColumn: x, self, layout) else { return [] }
      message = nil
      return binding.perform(&self, .click) ?? []
    }
    message = nil
    switch modes.front {
    // Only y and n answer a question.
    case .question: return []
    case .command(let line):
      guard let index = line.offer(x: x, y: y, self, in: layout.body) else {
        modes.command = nil
        return []
      }
      modes.command?.choose(index)
      return runCommand()
    case .overlay:
      modes.show(nil)
      return []
    case .filter, .export, .panes:
      modes.filter = nil
      return clickPane(layout, x: x, y: y)
    }
  }

  private mutating func clickPane(_ layout: ScreenLayout, x: Int, y: Int) -> [Effect] {
    if let header = layout.header, header.contains(x: x, y: y) {
      let preset = HeaderLine(self, layout, in: header, moment: now).preset(atColumn: x)
      return preset.map { choosePreset(presets.names[$0]) } ?? []
    }
    if let divider = layout.divider(x: x, y: y) {
      panes.dividers.grab(divider, at: divider.isVertical ? x : y)
    }
    if let effects = clickExplorer(layout, x: x, y: y) { return effects }
    if let index = layout.panel(x: x, y: y) {
      return clickPanel(index, layout, x: x, y: y)
    }
    if let frame = layout.console, frame.contains(x: x, y: y) {
      return clickConsole(frame, x: x, y: y)
    }
    if let frame = layout.feed, frame.contains(x: x, y: y) { return clickFeed(frame, x: x, y: y) }
    if let frame = layout.schema, frame.contains(x: x, y: y) {
      return clickSchema(frame, x: x, y: y)
    }
    return []
  }

  /// Gives a panel the focus, and moves its cursor to the row; a click on the row under the cursor
  /// opens it, and one on the name of a column sorts by it.
  private mutating func clickPanel(
    _ index: Int, _ layout: ScreenLayout, x: Int, y: Int
  ) -> [Effect] {
    let isFocused = focus == .panel(index)
    focus = .panel(index)
    guard let frame = layout.panels.first(where: { $0.index == index })?.frame else { return [] }
    let geometry = PanelGeometry(panels[index].layoutInput, frame: frame)
    if let header = geometry.header, header.contains(x: x, y: y), panels[index].error == nil,
      let table = TableContent(
        panels[index], geometry, showsDelta: layout.showsDelta,
        showsSparklines: layout.showsSparklines, now: (timeline.shownFrame?.moment ?? now).civil,
        glyphs: glyphs),
      let column = table.column(atColumn: x - header.x)
    {
      guard !refuseOtherLook(of: index) else { return [] }
      sort(index, by: column)
      return []
    }
    let rows = geometry.rows
    let row = panels[index].top + y - rows.y
    guard panels[index].kind.has(.rows), rows.contains(x: x, y: y),
      row < panels[index].rowCount
    else { return [] }
    if isFocused, panels[index].cursor == row { return openChosen() }
    panels[index].moveCursor(to: row, visible: rows.height)
    return []
  }

  /// Ascending, then descending, then in the query's order.
  private mutating func sort(_ index: Int, by column: Int) {
    switch panels[index].sort {
    case RowSort(column: column):
      panels[index].setSort(RowSort(column: column, isDescending: true))
    case RowSort(column: column, isDescending: true): panels[index].setSort(nil)
    default: panels[index].setSort(RowSort(column: column))
    }
  }

  private mutating func wheel(x: Int, y: Int, rows: Int) -> [Effect] {
    switch modes.front {
    case .question(.confirmHooks, _):
      // No line may be skipped without having been in view.
      let lines = min(abs(rows), max(1, hookListing.visible))
      for _ in 0..<lines { move(rows < 0 ? .up : .down) }
    case .question: break
    case .command: chooseCommand(by: rows < 0 ? -1 : 1)
    case .overlay: for _ in 0..<abs(rows) { move(rows < 0 ? .up : .down) }
    case .filter, .export, .panes: wheelOverPane(x: x, y: y, rows: rows)
    }
    return []
  }

  private mutating func wheelOverPane(x: Int, y: Int, rows: Int) {
    let layout = layout
    if scrollExplorer(layout, x: x, y: y, lines: rows) { return }
    if let index = layout.panel(x: x, y: y) {
      panels[index].scroll(by: rows, visible: layout.visibleRows(of: index))
    } else if layout.console?.contains(x: x, y: y) == true {
      console.scroll(by: rows, visible: layout.visibleResultRows)
    } else if layout.schema?.contains(x: x, y: y) == true {
      schema.move(by: rows, visible: layout.visibleSchemaLines)
    } else if layout.feed?.contains(x: x, y: y) == true {
      feed.move(by: rows, visible: layout.visibleFeedLines)
    }
  }
}
