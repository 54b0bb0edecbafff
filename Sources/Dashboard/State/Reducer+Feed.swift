import DatabaseConsole
import ObservationEngine

extension DashboardState {
  /// Shows the rows that the chosen commit changed.
  mutating func openCommit() -> [Effect] {
    guard let entry = feed.chosen, !ScreenLayout.isTiny(size) else { return [] }
    overlay = .commit(CommitReport(entry, self), scroll: 0)
    // The rows themselves may be known: the answer completes the report.
    guard case .commit(let commit) = entry.event, consoleEnabled else { return [] }
    return [.describeCommit(ordinal: commit.ordinal)]
  }

  /// Shows the rows of the commit that is looked at, unless the user went on meanwhile.
  mutating func receive(_ rows: CommitRows?, of ordinal: Int) {
    guard case .commit(let report, let scroll) = overlay, report.ordinal == ordinal,
      let entry = feed.entries.last(where: { $0.ordinal == ordinal })
    else { return }
    overlay = .commit(CommitReport(entry, self, rows: rows), scroll: scroll)
  }
}

extension Feed.Entry {
  /// The number of its newest commit; nil for an event that isn't a commit.
  var ordinal: Int? {
    if case .commit(let commit) = event { commit.ordinal } else { nil }
  }
}
