import ObservationEngine

/// What every view of a panel needs to know beside the panel.
struct PanelContext {
  let index: Int
  let isFocused: Bool
  let showsDelta: Bool
  /// Now, on the monotonic clock and on the wall.
  let moment: Moment
  /// What there is to say of the panel's alert, while it alerts.
  var alert: AlertNote? = nil
}

/// A panel: its frame, and inside it the view that suits its result.
enum PanelView {
  static func draw(
    _ panel: PanelState, frame: Rect, context: PanelContext, on canvas: inout Canvas
  ) {
    let geometry = PanelGeometry(panel.kind, frame: frame)
    var title = "\(context.index + 1) \(panel.definition.displayTitle)"
    if !panel.filter.isEmpty { title += " /\(panel.filter)" }
    let choices = infoChoices(panel, visible: geometry.rows.height, context, canvas.symbols)
    FrameView.draw(
      title: title,
      info: FrameView.fitting(choices, beside: title, width: frame.width, glyphs: canvas.glyphs),
      frame: frame, isFocused: context.isFocused, titleRole: role(panel, context, else: .title),
      infoRole: role(panel, context, else: .muted), on: &canvas)
    drawContent(panel, geometry, context, on: &canvas)
    if let alert = context.alert {
      AlertView.draw(
        alert, panel.kind, frame: frame, isFocused: context.isFocused, on: &canvas)
    }
  }

  private static func drawContent(
    _ panel: PanelState, _ geometry: PanelGeometry, _ context: PanelContext,
    on canvas: inout Canvas
  ) {
    if let error = panel.error {
      ErrorView.draw(error, in: geometry.inner, on: &canvas)
      return
    }
    guard let result = panel.result else {
      note("waiting for the first result", in: geometry.inner, on: &canvas)
      return
    }
    switch panel.kind {
    case .number: NumberView.draw(panel, in: geometry.inner, context, on: &canvas)
    case .bar: BarView.draw(panel, result, in: geometry.rows, context, on: &canvas)
    default: TableView.draw(panel, result, geometry, context, on: &canvas)
    }
    if panel.order.isEmpty, panel.marks.removed.isEmpty {
      let text =
        panel.filter.isEmpty ? "no rows" : "no row contains \u{201c}\(panel.filter)\u{201d}"
      note(text, in: geometry.rows, on: &canvas)
    }
  }

  /// A remark in the middle of a panel that has nothing else to show.
  static func note(_ text: String, in rect: Rect, on canvas: inout Canvas) {
    let width = min(DisplayText.width(text, glyphs: canvas.glyphs), rect.width)
    canvas.write(
      text, x: rect.x + (rect.width - width) / 2, y: rect.y + max(0, (rect.height - 1) / 2),
      width: width, Style(.muted))
  }

  /// The colour of trouble, or `usual`.
  private static func role(
    _ panel: PanelState, _ context: PanelContext, else usual: Style.Role
  ) -> Style.Role {
    if panel.error != nil || context.alert != nil { return .error }
    return panel.staleness == nil ? usual : .warning
  }

  /// What the frame tells of the panel, the most telling first.
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
    if panel.kind != .number, let result = panel.result, let rows = rows(panel, result, visible) {
      parts.append(rows)
    }
    if let duration = panel.duration { parts.append(QuantityText.duration(duration)) }
    // What does not fit goes from the right; what is not as it should be stands first.
    return (0..<parts.count).map { parts.dropLast($0).joined(separator: symbols.dot) }
  }

  private static func rows(_ panel: PanelState, _ result: RowSet, _ visible: Int) -> String? {
    let all = NumberText.grouped(result.rows.count)
    let shown = panel.order.count
    guard shown > visible else {
      return panel.filter.isEmpty ? nil : "\(NumberText.grouped(shown)) of \(all)"
    }
    let total = panel.filter.isEmpty ? all : "\(NumberText.grouped(shown))/\(all)"
    guard panel.top > 0 else { return "top \(visible) of \(total)" }
    let last = min(panel.top + visible, shown)
    return "\(NumberText.grouped(panel.top + 1))-\(NumberText.grouped(last)) of \(total)"
  }
}
