import ObservationEngine

/// What the message line says of alerts.
enum AlertLine {
  /// The text of the message line, in the longest wording that fits; nil when there is nothing to
  /// report.
  ///
  ///     errors: rate > 0.05 (now 6.2 %) at 12:03:58 · hook ./notify.sh ok (0) · a to dismiss
  ///
  /// The outcome of a failed hook is shown on any line.
  static func message(_ state: DashboardState, width: Int) -> String? {
    guard let index = state.shownAlert, let rule = state.panels[index].definition.alert else {
      return nil
    }
    let dot = Symbols(state.glyphs).dot
    let definition = state.panels[index].definition
    let alert = state.alerts.board[definition.name]
    func clock(_ time: Timestamp) -> String {
      QuantityText.clock(time, utcOffsetSeconds: state.utcOffsetSeconds)
    }
    let name = DisplayText.cut(definition.displayTitle, width: 30, glyphs: state.glyphs)
    let crossed = "\(name): \(rule.raise.text)" + now(state.panels[index], rule)
    var text = crossed
    if let raisedAt = alert.raisedAt { text += " at \(clock(raisedAt))" }
    if !alert.isRaised, let clearedAt = alert.clearedAt { text += ", over at \(clock(clearedAt))" }
    let others = state.alerts.board.unseen(among: state.panels.map(\.definition.name)).count - 1
    let more = others > 0 ? "\(others) more" : ""
    let key = "\(state.keyMap.mention("acknowledge")) to dismiss"
    var choices: [[String]] = []
    if let command = definition.onAlert, let status = alert.hook {
      choices.append([text, status.text(of: command.text), more, key])
      choices.append([text, status.text(of: command.shortName), more, key])
      choices.append([text, status.isFine ? "" : "hook \(status.text)", key])
    }
    let failure = alert.hook.flatMap { $0.isFine ? nil : $0 }
    if definition.onAlert == nil || failure == nil {
      choices += [[text, more, key], [text, key], [text]]
    }
    let texts = choices.map { $0.filter { !$0.isEmpty }.joined(separator: dot) }
    func isFitting(_ text: String) -> Bool {
      DisplayText.width(text, glyphs: state.glyphs) <= width
    }
    if let fitting = texts.first(where: isFitting) { return fitting }
    guard definition.onAlert != nil, let failure else { return texts.last }
    // Only its details may be cut; the frame of the panel shows the time and the condition.
    for tail in [dot + key, ""] {
      for head in [text, crossed, name, "panel \(index + 1)"] {
        let around = DisplayText.width(head + dot + tail, glyphs: state.glyphs)
        if let told = failure.told(width: width - around, state.glyphs) {
          return head + dot + told + tail
        }
      }
    }
    return "hook " + failure.shortText
  }

  /// The value that the condition is about, if the panel has a single row: ` (now 28)`.
  private static func now(_ panel: PanelState, _ rule: AlertRule) -> String {
    let named = rule.columns.first?.name
    guard let result = panel.result, result.rows.count == 1,
      let index = named.flatMap({ RowKey.index(ofColumn: $0, in: result.columns) }),
      panel.columns.indices.contains(index)
    else { return "" }
    return " (now \(ValueText(result.rows[0][index], column: panel.columns[index]).text))"
  }
}

extension HookStatus {
  /// The outcome, cut to a width; nil if not even the short form fits.
  fileprivate func told(width: Int, _ glyphs: GlyphSet) -> String? {
    let (long, short) = ("hook " + text, "hook " + shortText)
    let least = DisplayText.width(short, glyphs: glyphs)
    guard least <= width else { return nil }
    // A few letters of the details would be useless.
    return least + 8 <= width ? DisplayText.cut(long, width: width, glyphs: glyphs) : short
  }
}
