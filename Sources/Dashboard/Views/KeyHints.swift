/// The last line: the keys that apply now.
///
/// They are listed in the usual order of use, but get room by their importance.
enum KeyHints {
  struct Hint {
    var key: String
    var label = ""
    /// For a narrow line.
    var shortLabel: String?
    /// The priority for room: the lowest number comes first.
    var rank = 0
  }

  /// A key hint, and its position.
  private struct PlacedHint {
    var key: String
    var label: String
    var columns: Range<Int>
  }

  static func draw(_ state: DashboardState, _ plan: ScreenPlan, on canvas: inout Canvas) {
    guard let line = plan.hints else { return }
    let end = line.x + line.width - 1
    for hint in placed(state, plan, in: line) {
      var x = hint.columns.lowerBound
      x += canvas.write(hint.key, x: x, y: line.y, width: end - x, Style(.keyHint, bold: true))
      canvas.write(hint.label, x: x, y: line.y, width: end - x, Style(.muted))
    }
  }

  /// The key whose hint is at a column of the line of hints.
  static func key(atColumn x: Int, _ state: DashboardState, _ plan: ScreenPlan) -> Key? {
    guard let line = plan.hints else { return nil }
    return placed(state, plan, in: line).first { $0.columns.contains(x) }
      .flatMap { Key(hint: $0.key) }
  }

  private static func placed(
    _ state: DashboardState, _ plan: ScreenPlan, in line: Rect
  ) -> [PlacedHint] {
    let hints = hints(state, plan)
    let isNarrow = line.width < 90
    let labels = hints.map { isNarrow ? $0.shortLabel ?? $0.label : $0.label }
    let widths = hints.indices.map {
      DisplayText.width(hints[$0].key + labels[$0], glyphs: state.glyphs)
    }
    var room = line.width - 1
    var isShown = Array(repeating: false, count: hints.count)
    for index in hints.indices.sorted(by: { hints[$0].rank < hints[$1].rank })
    where widths[index] + 1 <= room {
      isShown[index] = true
      room -= widths[index] + 2
    }
    var x = line.x + 1
    return hints.indices.filter { isShown[$0] }.map { index in
      defer { x += widths[index] + 2 }
      return PlacedHint(
        key: hints[index].key, label: labels[index], columns: x..<x + widths[index])
    }
  }

  private static func hints(_ state: DashboardState, _ plan: ScreenPlan) -> [Hint] {
    if state.question == .confirmHooks { return hookHints(HookListing(state)) }
    if state.question != nil {
      return [Hint(key: "y", label: " yes"), Hint(key: "n", label: " no")]
    }
    if state.commandLine != nil {
      return [
        Hint(key: "Tab", label: " complete"), Hint(key: "Enter", label: " run"),
        Hint(key: "Esc", label: " leave"), Hint(key: "Up Down", label: " choose"),
      ]
    }
    if state.overlay != nil {
      return [Hint(key: "j k", label: " scroll"), Hint(key: "Esc", label: " close")]
    }
    if state.filterInput != nil {
      return [Hint(key: "Enter", label: " keep"), Hint(key: "Esc", label: " clear")]
    }
    if state.focus == .console {
      return ConsoleHints.hints(state.console).map { Hint(key: $0.key, label: $0.label) }
    }
    return paneHints(state, plan)
  }

  private static func hookHints(_ listing: HookListing) -> [Hint] {
    var hints = [Hint(key: "n", label: " no")]
    if listing.canBeConfirmed { hints.insert(Hint(key: "y", label: " yes"), at: 0) }
    if listing.below > 0 { hints.append(Hint(key: "PgDn", label: " read on")) }
    if listing.top > 0 { hints.append(Hint(key: "PgUp", label: " back")) }
    return hints
  }

  private static func paneHints(_ state: DashboardState, _ plan: ScreenPlan) -> [Hint] {
    let count = state.focusOrder.count
    var hints = [
      Hint(key: "?", label: "help", rank: 0), Hint(key: "Tab", label: " focus", rank: 2),
    ]
    if count > 1 { hints.append(Hint(key: "1-\(min(count, 9))", label: " panel", rank: 9)) }
    if state.presets.areSeveral {
      hints.append(Hint(key: "p", label: " preset", rank: 3))
    } else if plan.page.count > 1 {
      hints.append(Hint(key: "p", label: " page", rank: 3))
    }
    hints.append(Hint(key: "z", label: state.isZoomed ? " unzoom" : " zoom", rank: 4))
    if state.focus == .schema {
      hints += [
        Hint(key: "Enter", label: " panel", rank: 5), Hint(key: "d", label: " DDL", rank: 5),
        Hint(key: "b", label: " sizes", rank: 5),
      ]
    } else {
      hints.append(Hint(key: "Enter", label: " inspect", rank: 12))
    }
    if state.focusedPanel != nil {
      hints += [
        Hint(key: "/", label: " filter", rank: 5), Hint(key: "s", label: " sort", rank: 11),
      ]
      if !state.isRecording { hints.append(Hint(key: "e", label: " edit SQL", rank: 14)) }
    }
    hints.append(Hint(key: "Spc", label: state.isPaused ? " resume" : " pause", rank: 6))
    if state.consoleEnabled { hints.append(Hint(key: "c", label: " SQL", rank: 10)) }
    hints += [
      Hint(key: ", .", label: " rewind", rank: 7), Hint(key: "x", label: " export", rank: 13),
      Hint(key: "r", label: " refresh", rank: 15),
      Hint(key: ":", label: " command", shortLabel: " cmd", rank: 8),
      // Even without room for all, the key to leave is shown.
      Hint(key: "q", label: " quit", shortLabel: "", rank: 1),
    ]
    return hints
  }
}
