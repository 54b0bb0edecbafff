import ObservationEngine
import Testing

@testable import Dashboard

/// What is said of how a panel is refreshed.
struct RefreshTextTests {
  @Test func `a panel that is kept up to date names its state and its costs`() {
    var report = MaintainedQueries.Report(reason: "it ran once")
    report.isMaintained = true
    report.plan = "groups of player"
    (report.stateCount, report.stateBytes) = (7, 4_096)
    (report.maintenanceCost, report.runCost) = (14_400, 65_000_000)
    #expect(
      RefreshText.text(report)
        == "kept up to date from changed rows: groups of player, 7 lines in 4.0 KB; last 14 µs, to run it 65 ms"
    )
    report.stateCount = 1
    #expect(RefreshText.text(report).contains("1 line in "))
  }

  @Test func `a panel whose query runs says why`() {
    var report = MaintainedQueries.Report(reason: "it joins several tables")
    report.runCost = 250_000
    #expect(
      RefreshText.text(report)
        == "run again after each commit that may concern it: it joins several tables; last 0.2 ms")
    report.place = "line 2: a, b"
    #expect(RefreshText.text(report).contains("it joins several tables (line 2: a, b); last"))
    report.reason = "it ran once"
    #expect(report.place == nil)
    #expect(
      RefreshText.text(nil)
        == "run again after each commit that may concern it: it takes less than 20 µs")
  }
}
