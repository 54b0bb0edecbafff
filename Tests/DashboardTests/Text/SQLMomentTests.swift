import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct SQLMomentTests {
  // The expected numbers are those of strftime('%s', …) and julianday(…) in SQLite.
  @Test(arguments: [
    ("2026-11-20", 1_795_132_800), ("2026-11-20 12:04", 1_795_176_240),
    ("2026-11-20T12:04", 1_795_176_240), ("2026-11-20 12:04:31", 1_795_176_271),
    ("2026-11-20 12:04:31.5", 1_795_176_271.5), ("2026-11-20T12:04:31.500Z", 1_795_176_271.5),
    ("2026-11-20 14:04+02:00", 1_795_176_240), ("2026-11-20 08:34:00 -03:30", 1_795_176_240),
    ("12:04", 946_728_240), ("12:04:31", 946_728_271), ("2024-02-29", 1_709_164_800),
    // As SQLite does, a day that its month lacks is counted on.
    ("2026-02-30", 1_772_409_600), ("0000-01-01", -62_167_219_200),
    ("9999-12-31 23:59:59", 253_402_300_799), ("2026-11-20 24:00", 1_795_219_200),
    ("1969-12-31 23:59:59", -1),
  ])
  func `a text is a moment in each of SQLite's forms`(_ text: String, _ seconds: Double) {
    #expect(SQLMoment.seconds(text) == seconds)
  }

  @Test(arguments: [
    "", "now", "2026", "2026-13-01", "2026-00-10", "2026-11-32", "2026-1-1", "20261120",
    "2026-11-20 25:00", "2026-11-20 12:60", "2026-11-20 12:04:60", "2026-11-20 12:04:31.",
    "2026-11-20x", "2026-11-20 ", "2026-11-20 12:04+15:00", "12", "1204", "12:4", "a-b",
    "-4714-11-24",
    String(repeating: "2", count: 100_000),
  ])
  func `anything else is none`(_ text: String) {
    #expect(SQLMoment.seconds(text) == nil)
  }

  @Test(
    arguments: [
      (2_461_365.0, .julianDay, 1_795_176_000), (1_795_176_271.0, .seconds, 1_795_176_271),
      (1_795_176_271_204.0, .milliseconds, 1_795_176_271.204),
      (1_795_176_271_204_000.0, .microseconds, 1_795_176_271.204),
    ] as [(Double, MomentForm, Double)])
  func `a number is a moment where the column's name says so`(
    _ number: Double, _ form: MomentForm, _ seconds: Double
  ) {
    let values = [Value.real(number), .null]
    #expect(MomentForm(of: values, column: "created_at") == form)
    #expect(MomentForm(of: values, column: "ts") == form)
    #expect(MomentForm(of: values, column: "amount") == nil)
    #expect(MomentForm(of: values, column: "amount", isAsked: true) == form)
    #expect(form.seconds(.real(number)) == seconds)
    #expect(form.seconds(.real(.infinity)) == nil)
  }

  @Test func `a few broken moments do not change the form, many do`() {
    let good = Value.text("2026-11-20")
    #expect(MomentForm(of: [good, good, "x", good], column: "c") == .text)
    #expect(MomentForm(of: [good, "x", "x"], column: "c") == nil)
    #expect(MomentForm(of: [.null, .null], column: "at") == nil)
  }

  @Test func `a julian day can be text`() {
    #expect(SQLMoment.seconds("2461365.5") == 1_795_219_200)
  }
}
