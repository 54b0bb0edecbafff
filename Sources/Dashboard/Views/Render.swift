/// Draws the state on a screen of any `size`.
///
/// - Parameter moment: The current time, for fading and for ages.
/// - Complexity: O(cells): of a result, only the rows in view are read.
package func render(_ state: DashboardState, size: Size, moment: Moment) -> Grid {
  var canvas = Canvas(size: size, glyphs: state.glyphs)
  let layout = state.layout(for: size)
  guard !layout.isTiny else {
    TinyView.draw(state, layout, on: &canvas)
    return canvas.grid
  }
  if let header = layout.header {
    HeaderView.draw(state, layout, in: header, moment: moment, on: &canvas)
  }
  canvas.mesh = FrameMesh(layout.meshMembers(state), size: size)
  let numbers = layout.numberFits(state, moment: moment)
  for placed in layout.panels {
    var context = layout.context(of: placed.index, state, moment: moment)
    context.number = numbers[placed.index]
    PanelView.draw(
      state.panels[placed.index], frame: placed.frame, context: context, on: &canvas)
  }
  if let console = layout.console {
    ConsoleView.draw(
      state, number: layout.number(of: .console), frame: console, moment: moment, on: &canvas)
  }
  if let feed = layout.feed {
    FeedView.draw(state, number: layout.number(of: .feed), frame: feed, on: &canvas)
  }
  if let schema = layout.schema {
    SchemaView.draw(state, number: layout.number(of: .schema), frame: schema, on: &canvas)
  }
  if let explorer = state.exploring, let panes = layout.explorer {
    ExplorerView(state, explorer, panes, layout, moment).draw(on: &canvas)
  }
  // What is in front has frames of its own.
  canvas.mesh = nil
  drawOverlay(state, layout, on: &canvas)
  // On a small screen, urgent messages and questions cover the last line.
  let last = Rect(x: 0, y: size.height - 1, width: size.width, height: 1)
  let needsMessage =
    state.modes.line != .panes || state.isPaused || state.message != nil
    || state.news.dashboardError != nil
  if let line = layout.message {
    StatusView.drawMessage(
      state, in: line, moment: moment, showsFeed: layout.feed != nil, on: &canvas)
  }
  if let scrubber = layout.scrubber(state) {
    ScrubberView.draw(scrubber, state, on: &canvas)
  } else if let line = layout.status {
    StatusView.drawLatency(state, in: line, on: &canvas)
  }
  KeyHintsView.draw(state, layout, on: &canvas)
  if layout.message == nil, needsMessage {
    canvas.fill(last)
    StatusView.drawMessage(state, in: last, moment: moment, showsFeed: true, on: &canvas)
  }
  return canvas.grid
}

extension ScreenLayout {
  /// The frames that share lines. One that fills the screen is alone.
  func meshMembers(_ state: DashboardState) -> [FrameMesh.Member] {
    var members = frames.map { frame, focus in
      var member = FrameMesh.Member(frame: frame, isFocused: state.focus == focus)
      if case .panel(let index) = focus {
        member.isFocused = isFocused(index, state)
        if AlertNote(state, panel: index) != nil { member.role = .error }
      }
      return member
    }
    let pane = state.explorerPane
    let others: [(Rect?, ExplorerState.Pane)] = [
      (explorer?.tables, .tables), (explorer?.columns, .columns),
      (panels.isEmpty ? explorer?.rows : nil, .rows),
    ]
    for case (let frame?, let other) in others {
      members.append(FrameMesh.Member(frame: frame, isFocused: pane == other))
    }
    return members
  }

  /// What a panel's view needs in addition to the panel.
  func context(of index: Int, _ state: DashboardState, moment: Moment) -> PanelContext {
    PanelContext(
      index: state.exploring.map { $0.number(of: .rows) - 1 } ?? index,
      isFocused: isFocused(index, state),
      showsDelta: showsDelta,
      showsSparklines: showsSparklines,
      // An older frame looks as it did then.
      moment: state.timeline.shownFrame?.moment ?? moment, alert: AlertNote(state, panel: index),
      missing: state.missingRows)
  }

  private func isFocused(_ index: Int, _ state: DashboardState) -> Bool {
    state.focus == .panel(index) && (state.exploring.map { $0.pane == .rows } ?? true)
  }
}

extension ScreenLayout {
  /// One size for the numbers of panels next to each other, by panel.
  func numberFits(_ state: DashboardState, moment: Moment) -> [Int: NumberView.Fit] {
    var rows: [Range<Int>: [(index: Int, fit: NumberView.Fit)]] = [:]
    for placed in panels where state.panels[placed.index].kind == .number {
      let panel = state.panels[placed.index]
      let area = PanelGeometry(panel.layoutInput, frame: placed.frame).rows
      let fit = NumberView.fit(
        panel, in: area, showsHistory: showsSparklines, now: moment.civil, glyphs: state.glyphs)
      if let fit { rows[placed.frame.rows, default: []].append((placed.index, fit)) }
    }
    var fits: [Int: NumberView.Fit] = [:]
    for row in rows.values {
      let common = row.dropFirst().reduce(row[0].fit) { $0.common(with: $1.fit) }
      for member in row { fits[member.index] = common }
    }
    return fits
  }
}

/// Draws what is in front of the panes. A question is asked in the message line: what it is asked
/// about stays visible.
private func drawOverlay(_ state: DashboardState, _ layout: ScreenLayout, on canvas: inout Canvas) {
  let body = layout.body
  switch state.modes.front {
  case .question(.confirmHooks, _): HookRequestView.draw(state, in: body, on: &canvas)
  case .question(.console(.save(let addition)), _):
    TextView.draw(
      title: "to be appended to \(addition.file)", text: addition.lines, scroll: 0, in: body,
      on: &canvas)
  case .command(let line): CommandLineView.drawOffers(state, line, in: body, on: &canvas)
  case .question, .overlay, .filter, .export, .panes: drawPopUp(state, in: body, on: &canvas)
  }
}

private func drawPopUp(_ state: DashboardState, in body: Rect, on canvas: inout Canvas) {
  let list = state.modes.overlayLines
  switch state.modes.overlay {
  case .help: HelpView.draw(state, scroll: list.top, in: body, on: &canvas)
  case .text(let title, let text):
    TextView.draw(title: title, text: text, scroll: list.top, in: body, on: &canvas)
  case .commit(let report): CommitView.draw(report, scroll: list.top, in: body, on: &canvas)
  case .inspect: InspectView.draw(state, scroll: list.top, in: body, on: &canvas)
  case .columns: ColumnChooserView.draw(state, cursor: list.cursor ?? 0, in: body, on: &canvas)
  case nil: break
  }
}
