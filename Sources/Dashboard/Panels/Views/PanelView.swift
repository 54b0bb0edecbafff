import ObservationEngine

/// What a panel's view needs in addition to the panel.
struct PanelContext {
  /// From 0: its frame shows the number from 1.
  let index: Int
  let isFocused: Bool
  let showsDelta: Bool
  var showsSparklines = true
  /// The current time, on the monotonic and the civil clock.
  let moment: Moment
  /// The text about the panel's alert, while it alerts.
  var alert: AlertNote? = nil
  /// How large a number is drawn; nil when its own panel decides.
  var number: NumberView.Fit? = nil
  /// The text for rows that are not loaded and won't be; nil when they are being loaded.
  var missing: String? = nil
}

/// A panel: its frame, and inside it the view that suits its result.
enum PanelView {
  static func draw(
    _ panel: PanelState, frame: Rect, context: PanelContext, on canvas: inout Canvas
  ) {
    let geometry = PanelGeometry(panel.layoutInput, frame: frame)
    var title = "\(context.index + 1) \(self.title(of: panel, frame.width, canvas.symbols))"
    for filter in panel.shownFilters { title += " /\(filter)" }
    let bare = title
    var choices = infoChoices(panel, visible: geometry.rows.height, context, canvas.symbols)
    // A frame filled with words would not look like a frame.
    if frame.width < 76 { choices.removeAll { $0.hasPrefix("key ") } }
    func info(beside title: String) -> String {
      FrameView.fitting(choices, beside: title, width: frame.width, glyphs: canvas.glyphs)
    }
    // Missing data is reported first.
    var legend = Legend(panel, glyphs: canvas.glyphs)
    let remark = panel.chartRemark
    let whole = title + legend.title
    let hasLegend =
      legend.fits(title: whole, width: frame.width)
      && remark.map { info(beside: whole).includes($0) } ?? true
    if let remark, !info(beside: title).includes(remark) { legend.warning = remark }
    if hasLegend { title = whole }
    FrameView.draw(
      title: title, info: info(beside: title), frame: frame, isFocused: context.isFocused,
      titleRole: role(panel, context, else: .title),
      infoRole: role(panel, context, else: .muted),
      borderRole: context.alert == nil ? nil : .error, on: &canvas)
    if hasLegend {
      let x = frame.x + 3 + DisplayText.width(bare, glyphs: canvas.glyphs)
      legend.colour(x: x, y: frame.y, on: &canvas)
    }
    let border = Legend.Border(frame: frame, isFocused: context.isFocused)
    drawContent(
      panel, geometry, context, legend: hasLegend ? nil : legend,
      border: context.alert == nil ? border : nil, on: &canvas)
    if let alert = context.alert {
      AlertView.draw(
        alert, panel.kind, frame: frame, isFocused: context.isFocused, on: &canvas)
    }
  }

  /// Where there is no room for the way to a detail, its end counts.
  private static func title(
    of panel: PanelState, _ width: Int, _ symbols: Symbols
  ) -> String {
    let title = panel.definition.displayTitle
    guard panel.definition.isDetail else { return title }
    var (rest, shown) = (title[...], title)
    while shown.count > width - 8, let step = rest.place(of: PanelDefinition.step) {
      rest = rest[step.upperBound...]
      shown = symbols.ellipsis + PanelDefinition.step + rest
    }
    return shown
  }

  /// - Parameters:
  ///   - legend: The part that doesn't fit in the title.
  ///   - border: Where it may go, unless an alert is there.
  private static func drawContent(
    _ panel: PanelState, _ geometry: PanelGeometry, _ context: PanelContext, legend: Legend?,
    border: Legend.Border?, on canvas: inout Canvas
  ) {
    if let error = panel.error {
      ErrorView.draw(error, in: geometry.inner, on: &canvas)
      return
    }
    guard let result = panel.result else {
      note(context.missing ?? "waiting for the first result", in: geometry.inner, on: &canvas)
      return
    }
    let drawing = PanelDrawing(
      panel: panel, result: result, geometry: geometry, context: context, legend: legend,
      border: border)
    panel.kind.drawn.draw(drawing, on: &canvas)
    if let misfit = panel.misfit, let remark = geometry.remark {
      canvas.fill(remark)
      let lines = PanelGeometry.lines(
        ofRemark: misfit, width: remark.width, limit: remark.height, glyphs: canvas.glyphs)
      for (offset, line) in lines.enumerated() {
        canvas.write(
          line, x: remark.x + 1, y: remark.y + offset, width: remark.width - 2, Style(.warning))
      }
    }
    if panel.rowCount == 0, panel.marks.removed.isEmpty {
      let filter = panel.isLookPending ? nil : panel.shownFilters.last
      let row = panel.isAmongRecorded ? "recorded row" : "row"
      let text =
        filter.map { filter in
          RowFilter.unknownColumn(in: filter, columns: result.columns)
            .map { "no column is called \u{201c}\($0)\u{201d}" }
            ?? "no \(row) contains \u{201c}\(filter)\u{201d}"
        } ?? "no rows"
      // A number shows its row whatever the filter.
      if !panel.filter.isEmpty { canvas.fill(geometry.rows) }
      note(text, in: geometry.rows, on: &canvas)
    }
  }

  /// A remark in the middle of a panel that has nothing else to show.
  static func note(_ text: String, in rect: Rect, on canvas: inout Canvas) {
    var lines = TextWrap.lines(text, width: rect.width, glyphs: canvas.glyphs)
    if lines.count > rect.height { lines = [text] }
    let top = rect.y + max(0, (rect.height - lines.count) / 2)
    for (offset, line) in lines.enumerated() {
      let width = min(DisplayText.width(line, glyphs: canvas.glyphs), rect.width)
      canvas.write(
        line, x: rect.x + (rect.width - width) / 2, y: top + offset, width: width, Style(.muted))
    }
  }

  /// The colour of an error, or `usual`.
  private static func role(
    _ panel: PanelState, _ context: PanelContext, else usual: Style.Role
  ) -> Style.Role {
    if panel.error != nil || context.alert != nil { return .error }
    return panel.staleness == nil ? usual : .warning
  }

  /// The panel's facts in its frame, the most important first.
  private static func infoChoices(
    _ panel: PanelState, visible: Int, _ context: PanelContext, _ symbols: Symbols
  ) -> [String] {
    if panel.error != nil { return ["error"] }
    if let alert = context.alert { return alert.infoChoices }
    var parts: [String] = []
    if let staleness = panel.staleness {
      let age = max(0, context.moment.civil.microseconds - staleness.since.microseconds)
      parts.append("stale \(age / 1_000_000) s")
    }
    if panel.isSubstitute { parts.append("no \(panel.definition.view?.rawValue ?? "chart")") }
    if let work = work(panel, context, symbols) {
      parts.append(work)
    } else if let result = panel.result, let facts = facts(panel, result, visible, symbols) {
      parts.append(facts)
    }
    if let duration = panel.duration { parts.append(QuantityText.duration(duration)) }
    // If not everything fits, the rightmost facts are dropped; problems come first.
    let choices = (0..<parts.count).map { parts.dropLast($0).joined(separator: symbols.dot) }
    guard panel.kind == .table, panel.staleness == nil, panel.misfit == nil,
      !panel.definition.key.isEmpty
    else { return choices }
    // If there is room for everything: the key of the rows, and how new they are.
    let key = "key " + panel.definition.key.joined(separator: ", ")
    return [([key] + parts + ["tx \(panel.ordinal)"]).joined(separator: symbols.dot)] + choices
  }

  /// How many rows there are, and how many are in view.
  private static func facts(
    _ panel: PanelState, _ result: RowSet, _ visible: Int, _ symbols: Symbols
  ) -> String? {
    panel.kind.drawn.facts(panel, result, visible: visible, symbols)
  }

  /// Says that the rows of another filter or order are being loaded.
  private static func work(
    _ panel: PanelState, _ context: PanelContext, _ symbols: Symbols
  ) -> String? {
    guard panel.isLookPending, context.missing == nil else { return nil }
    let isFilter = panel.lens.shown.filter != panel.filter
    return (isFilter ? "filtering" : "sorting") + symbols.ellipsis
  }

  /// How many rows a view with a line for each has, and which are in view.
  static func rows(_ panel: PanelState, _ visible: Int) -> String? {
    // If a table has more rows than its panel requests, their total is unknown.
    let isCut = panel.definition.rowLimit.map { panel.allRowCount >= $0 } ?? false
    let all =
      NumberText.grouped(panel.allRowCount) + (isCut ? "+" : "")
      + (panel.isAmongRecorded ? " recorded" : "")
    let shown = panel.rowCount
    guard shown > visible else {
      return panel.isFiltered || panel.isAmongRecorded
        ? "\(NumberText.grouped(shown)) of \(all)" : nil
    }
    let total = panel.isFiltered ? "\(NumberText.grouped(shown))/\(all)" : all
    guard panel.top > 0 else { return "top \(visible) of \(total)" }
    let last = min(panel.top + visible, shown)
    return "\(NumberText.grouped(panel.top + 1))-\(NumberText.grouped(last)) of \(total)"
  }
}

extension PanelState {
  /// What a chart of series could not draw; nil when it drew everything.
  var chartRemark: String? {
    guard error == nil, case .series(let set) = chart, set.span != nil else { return nil }
    return set.remark
  }
}
