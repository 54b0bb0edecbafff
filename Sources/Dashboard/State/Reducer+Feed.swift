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

  private var reportSurroundings: CommitReport.Surroundings {
    CommitReport.Surroundings(
      timeline: timeline, glyphs: glyphs, utcOffsetSeconds: utcOffsetSeconds,
      hasConsole: source.hasConsole, width: size.width)
  }
}
