import Testing

@testable import Dashboard

@Suite struct TimeTicksTests {
  private func labels(_ start: String, _ end: String, limit: Int = 6) -> [String] {
    guard let start = SQLMoment.seconds(start), let end = SQLMoment.seconds(end) else { return [] }
    return TimeTicks(start...end, limit: limit).ticks.map(\.label)
  }

  @Test func `ticks stand at round moments of a fitting step`() {
    #expect(
      labels("2026-11-20 11:54", "2026-11-20 12:04")
        == ["11:54", "11:56", "11:58", "12:00", "12:02", "12:04"])
    #expect(
      labels("2026-11-20 23:59:50", "2026-11-21 00:00:20", limit: 4)
        == ["23:59:50", "00:00:00", "00:00:10", "00:00:20"])
    #expect(
      labels("2026-11-20 20:00", "2026-11-21 04:00", limit: 3) == ["21:00", "11-21", "03:00"])
    #expect(
      labels("2026-11-01", "2026-11-06") == ["11-01", "11-02", "11-03", "11-04", "11-05", "11-06"])
    // Weeks begin on Mondays.
    #expect(labels("2026-11-01", "2026-11-25") == ["11-02", "11-09", "11-16", "11-23"])
    #expect(labels("2026-01-15", "2026-05-15") == ["2026-02", "2026-03", "2026-04", "2026-05"])
    #expect(labels("2020-02-01", "2026-05-15", limit: 4) == ["2022", "2024", "2026"])
    #expect(
      labels("2026-11-20 12:00:59.900", "2026-11-20 12:01:00.150", limit: 3) == [
        ":59.900", ":00.000", ":00.100",
      ])
  }

  @Test func `a single moment is named in full`() {
    #expect(labels("2026-11-20", "2026-11-20") == ["2026-11-20"])
    #expect(labels("2026-11-20 12:04", "2026-11-20 12:04") == ["2026-11-20 12:04:00"])
  }

  @Test func `what no calendar holds has no ticks`() {
    #expect(TimeTicks(0...1e300, limit: 5).ticks.isEmpty)
    #expect(TimeTicks(-1e300...0, limit: 5).ticks.isEmpty)
    #expect(TimeTicks(0...1, limit: 0).ticks.isEmpty)
    #expect(TimeTicks(-6e10...2e11, limit: 5).ticks.count <= 6)
  }
}
