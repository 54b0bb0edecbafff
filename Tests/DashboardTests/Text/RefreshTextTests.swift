import ObservationEngine
import Testing

@testable import Dashboard

/// What is said of how a panel is refreshed.
struct RefreshTextTests {
  @Test func `a panel that is kept up to date names its state and its costs`() {
    var report = MaintainedQueries.Report(reason: "it hasn't run often enough to decide")
    report.isMaintained = true
    report.plan = "groups of player"
    (report.stateCount, report.stateBytes) = (7, 4_096)
    (report.maintenanceCost, report.runCost) = (14_400, 65_000_000)
    #expect(
      RefreshText.lines(report) == [
        "kept up to date from changed rows", "state: groups of player: 7 lines in 4.0 KB",
        "last time: 14 µs; to run it: 65 ms",
      ])
    report.stateCount = 1
    #expect(RefreshText.lines(report)[1].contains("1 line in "))
  }

  @Test func `a panel whose query runs says why, and where that stands`() {
    var report = MaintainedQueries.Report(reason: "COLLATE")
    report.runCost = 250_000
    report.place = "line 2: a COLLATE NOCASE"
    let runs = "run again after each commit that may concern it"
    #expect(
      RefreshText.lines(report) == [
        runs, "because: COLLATE", "in line 2: a COLLATE NOCASE", "last time: 0.2 ms",
      ])
    // The place is that of one reason.
    report.reason = "it hasn't run often enough to decide"
    #expect(
      RefreshText.lines(report) == [
        runs, "because: it hasn't run often enough to decide", "last time: 0.2 ms",
      ])
    #expect(
      RefreshText.lines(report, .state("groups of player")) == [
        runs, "because: it hasn't run often enough to decide",
        "what can be kept up to date: groups of player", "last time: 0.2 ms",
      ])
    #expect(
      RefreshText.lines(report, .none(reason: "MATCH", place: "line 1: MATCH 'a'")) == [
        runs, "because: MATCH", "in line 1: MATCH 'a'", "last time: 0.2 ms",
      ])
    #expect(RefreshText.lines(nil) == [runs, "because it takes less than 20 µs"])
  }
}
