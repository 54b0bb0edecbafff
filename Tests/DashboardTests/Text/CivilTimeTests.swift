import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct CivilTimeTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000000Z"),
      (1_795_197_600_123_456, "2026-11-20T18:00:00.123456Z"),
      (951_782_399_999_999, "2000-02-28T23:59:59.999999Z"),
      (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
      (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
      (-1, "1969-12-31T23:59:59.999999Z"),
      (-62_167_219_200_000_000, "0000-01-01T00:00:00.000000Z"),
    ] as [(Int64, String)])
  func `a moment has its date`(_ microseconds: Int64, _ expected: String) {
    #expect(CivilTime(Timestamp(microseconds: microseconds)).iso8601 == expected)
  }

  @Test func `every day of four centuries follows the one before`() {
    var previous = CivilTime(Timestamp(microseconds: -86_400_000_000))
    for day in 0..<146_097 as Range<Int64> {
      let time = CivilTime(Timestamp(microseconds: day * 86_400_000_000))
      let isNext =
        time.day == previous.day + 1 && time.month == previous.month && time.year == previous.year
        || time.day == 1 && time.month == previous.month + 1 && time.year == previous.year
        || time.day == 1 && time.month == 1 && time.year == previous.year + 1
          && previous.month == 12 && previous.day == 31
      if !isNext { Issue.record("\(time.iso8601) follows \(previous.iso8601)") }
      previous = time
    }
    #expect(previous.iso8601.hasPrefix("2369-12-31"))
  }

  @Test func `an offset shifts the clock and the date`() {
    let time = CivilTime(Timestamp(microseconds: 0), utcOffsetSeconds: -3600)
    #expect((time.year, time.month, time.day, time.hour) == (1969, 12, 31, 23))
  }
}
