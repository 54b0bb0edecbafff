import DatabaseConsole
import ObservationEngine

extension DashboardState {
  /// Shows the rows that the chosen commit changed.
  mutating func openCommit() -> [Effect] {
    guard let entry = feed.chosen, !ScreenLayout.isTiny(size) else { return [] }
    modes.show(.commit(CommitReport(entry, self)))
    // The rows themselves may be known: the answer completes the report.
    guard case .commit(let commit) = entry.event, source.hasConsole else { return [] }
    return [.describeCommit(ordinal: commit.ordinal)]
  }

  /// Shows the rows of the commit that is looked at, unless the user went on meanwhile.
  mutating func receive(_ rows: CommitRows?, of ordinal: Int) {
    guard case .commit(let report) = modes.overlay, report.ordinal == ordinal,
      let entry = feed.entries.last(where: { $0.ordinal == ordinal })
    else { return }
    modes.show(.commit(CommitReport(entry, self, rows: rows)), modes.overlayLines)
  }
}

extension Feed.Entry {
  /// The number of its newest commit; nil for an event that isn't a commit.
  var ordinal: Int? {
    if case .commit(let commit) = event { commit.ordinal } else { nil }
  }
}
