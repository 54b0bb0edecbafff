import DatabaseConsole
import ObservationEngine

extension DashboardState {
  /// Shows the rows that the chosen commit changed.
  mutating func openCommit() -> [Effect] {
    guard let entry = feed.chosen, !ScreenLayout.isTiny(size) else { return [] }
    modes.show(.commit(CommitReport(entry, reportSurroundings)))
    // The rows themselves may be known: the answer completes the report.
    guard case .commit(let commit) = entry.event, source.hasConsole else { return [] }
    return [.console(.describeCommit(ordinal: commit.ordinal))]
  }

  /// Shows the rows of the commit that is looked at, unless the user went on meanwhile.
  mutating func receive(_ rows: CommitRows?, of ordinal: Int) {
    guard case .commit(let report) = modes.overlay, report.ordinal == ordinal,
      let entry = feed.entries.last(where: { $0.ordinal == ordinal })
    else { return }
    modes.show(.commit(CommitReport(entry, reportSurroundings, rows: rows)), modes.overlayLines)
  }

  /// Gives the feed the focus, and moves its cursor to the line; a click on the line under the
  /// cursor is Enter.
  mutating func clickFeed(_ frame: Rect, x: Int, y: Int) -> [Effect] {
    let isFocused = focus == .feed
    focus = .feed
    let area = frame.inset(by: 1)
    guard area.contains(x: x, y: y) else { return [] }
    let opens = feed.click(
      line: feed.scroll + y - area.y, visible: area.height, isFocused: isFocused)
    return opens ? openChosen() : []
  }

  private var reportSurroundings: CommitReport.Surroundings {
    CommitReport.Surroundings(
      timeline: timeline, glyphs: glyphs, utcOffsetSeconds: utcOffsetSeconds,
      hasConsole: source.hasConsole, dialect: console.dialect, width: size.width)
  }
}
