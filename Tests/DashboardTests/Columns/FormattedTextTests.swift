import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct FormattedTextTests {
  private func text(_ value: Value, _ format: ColumnFormat, name: String = "v") -> String {
    var column = ColumnSummary.plain(name)
    column.format = format
    column.total = 10
    return ValueText(value, column: column, now: Sample.moment().civil).text
  }

  @Test(
    arguments: [
      (.integer(98410), .plain, "98410"), (.real(1e25), .plain, "1.0e+25"),
      (.integer(98410), .thousands, "98 410"), (.integer(-98410), .thousands, "-98 410"),
      (.integer(999), .compact, "999"), (.integer(1000), .compact, "1 k"),
      (.integer(98_410), .compact, "98.4 k"), (.integer(1_250_000), .compact, "1.25 M"),
      (.integer(999_999), .compact, "1 M"), (.real(-0.126), .compact, "-0.13"),
      (.real(1e308), .compact, "1.00e+308"), (.integer(184_320), .bytes, "180 KB"),
      (.integer(-1024), .bytes, "-1.0 KB"), (.real(1e30), .bytes, "1.00e+30B"),
      (.real(0.0031), .duration, "3.1 ms"), (.integer(0), .duration, "0 s"),
      (.integer(12), .duration, "12 s"), (.integer(303), .duration, "5 min 03 s"),
      (.integer(3840), .duration, "1 h 04 min"), (.integer(-187_200), .duration, "-2 d 04 h"),
      (.real(1e300), .duration, "1.00e+300"), (.integer(1500), .durationMilliseconds, "1.5 s"),
      (.integer(250), .durationMicroseconds, "250 us"), (.real(0.062), .percent, "6.2 %"),
      (.real(0.0002), .percent, "0.02 %"), (.real(1e-9), .percent, "0 %"),
      (.integer(1), .percent, "100 %"), (.real(-0.5), .percentBar, "-50 %"),
      (.integer(3), .shareBar, "30 %"), ("2026-11-20 12:04:30", .relative, "1 s ago"),
      ("2026-11-20 12:04:31", .relative, "now"), ("2026-11-20 13:04:40", .relative, "in 1 h"),
      ("2026-10-20", .relative, "31 d ago"), ("2025-11-20", .relative, "12 months ago"),
      ("1926-11-20", .relative, "100 years ago"),
      (.integer(1_795_176_271), .time, "2026-11-20 12:04:31"),
      // What a format is not made for is written as usual.
      ("text", .bytes, "text"), (nil, .percent, "NULL"), ("broken", .relative, "broken"),
      (.real(.infinity), .compact, "Inf"), (.blob([1]), .duration, "BLOB 1 B"),
    ] as [(Value, ColumnFormat, String)])
  func `a value is written in its format`(
    _ value: Value, _ format: ColumnFormat, _ expected: String
  ) {
    #expect(text(value, format) == expected)
  }

  @Test(
    arguments: [
      (.real(1525.052), ColumnFormat().with(fixed: 2), "1 525.05"),
      (.real(0.999), ColumnFormat().with(fixed: 2), "1.00"),
      (.real(-0.004), ColumnFormat().with(fixed: 2), "0.00"),
      (.integer(.max), ColumnFormat().with(fixed: 0), "9 223 372 036 854 775 807"),
      (.real(1234.5), ColumnFormat.plain.with(fixed: 2), "1234.50"),
      (.real(1234.5), ColumnFormat().with(money: "€"), "1 234.50 €"),
      (.real(-5), ColumnFormat().with(money: "$"), "-$5.00"),
      (.real(-5), ColumnFormat().with(money: "CHF"), "-5.00 CHF"),
      (.real(1_265_793), ColumnFormat.compact.with(money: "$"), "$1.27 M"),
      (.integer(5), ColumnFormat().with(fixed: 0, money: "£"), "£5"),
      (.real(0.0625), ColumnFormat.percent.with(fixed: 2), "6.25 %"),
      (.real(1_250_000), ColumnFormat.compact.with(fixed: 3, suffix: "/s"), "1.250 M/s"),
      (.integer(7), ColumnFormat().with(prefix: "v"), "v7"),
      ("ada", ColumnFormat().with(prefix: "@"), "@ada"), (nil, ColumnFormat().with(money: "€"), "NULL"),
      ("2026-11-20 12:04:31", .date, "2026-11-20"), ("2026-11-20 12:04:31", .clock, "12:04:31"),
      ("broken", .date, "broken"), (.real(.nan), ColumnFormat().with(money: "€"), "NaN"),
      (.real(1e300), ColumnFormat().with(fixed: 2), "1.00e+300"),
    ] as [(Value, ColumnFormat, String)])
  func `words about decimals, money and texts combine`(
    _ value: Value, _ format: ColumnFormat, _ expected: String
  ) {
    #expect(text(value, format) == expected)
  }

  @Test func `times that are all at midnight are dates`() {
    func texts(_ values: [Value]) -> [String] {
      let result = RowSet(columns: ["at"], rows: values.map { [$0] })
      let column = ColumnSummary.summaries(of: result, key: [])[0]
      return values.map { ValueText($0, column: column).text }
    }
    #expect(
      texts(["1998-05-06 00:00:00.000", "1998-05-05 00:00:00", nil])
        == ["1998-05-06", "1998-05-05", "NULL"])
    #expect(
      texts(["1998-05-06 00:00:00", "1998-05-05 10:00:00"])
        == ["1998-05-06 00:00:00", "1998-05-05 10:00:00"])
    #expect(texts(["1998-05-06 00:00:00", "later"]) == ["1998-05-06 00:00:00", "later"])
  }

  @Test func `a difference is written as its column is`() {
    var column = ColumnSummary.plain("size")
    column.format = .bytes
    #expect(DeltaText.text(.integer(2048), column: column) == "+2.0 KB")
    #expect(DeltaText.text(.integer(-2048), column: column) == "-2.0 KB")
    #expect(DeltaText.text(.integer(2048)) == "+2 048")
    column.format = ColumnFormat(bar: .share).with(money: "€")
    #expect(DeltaText.text(.real(57.5), column: column) == "+57.50 €")
    column.format = ColumnFormat().with(money: "$")
    #expect(DeltaText.text(.real(-57.5), column: column) == "-$57.50")
  }
}
