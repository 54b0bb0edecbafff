import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct NumberTextTests {
  @Test(
    arguments: [
      (0, "0"), (999, "999"), (1000, "1 000"), (98410, "98 410"), (-1204, "-1 204"),
      (1_234_567, "1 234 567"), (Int64.min, "-9 223 372 036 854 775 808"),
    ] as [(Int64, String)])
  func `thousands are set apart`(_ number: Int64, _ text: String) {
    #expect(NumberText.grouped(number) == text)
  }

  @Test func `a change has its sign`() {
    #expect(NumberText.signed(1250) == "+1 250")
    #expect(NumberText.signed(-3) == "-3")
  }

  @Test(
    arguments: [
      (0.0, 2, "0.00"), (3.14159, 2, "3.14"), (-0.004, 2, "-4.00e-03"), (-0.04, 2, "-0.04"),
      (1234.5, 1, "1 234.5"), (0.999, 2, "1.00"), (1e15, 0, "1.00e+15"), (2.5e-7, 3, "2.50e-07"),
      (9.999e20, 2, "1.00e+21"), (-Double.infinity, 2, "-Inf"), (42.0, 0, "42"),
    ] as [(Double, Int, String)])
  func `a real number has as many decimals as its column`(
    _ number: Double, _ decimals: Int, _ text: String
  ) {
    #expect(NumberText.real(number, decimals: decimals) == text)
  }

  @Test(arguments: [
    (1.0, 0), (1.5, 1), (0.25, 2), (0.1, 1), (1.0 / 3, 3), (1e13 + 0.5, 0),
    (12_345_678.99, 2), (99_999_999_999.99, 2), (-50_000_000.5, 1), (10_000.000000171856, 0),
    (0.04, 2), (1.0 / 30, 4), (0.0006, 4), (-0.00149, 5), (0.000512345, 6), (0.00041234, 3),
    (5.6e-17, 0),
  ])
  func `a number needs no more decimals than it has`(_ number: Double, _ decimals: Int) {
    #expect(NumberText.decimals(of: number) == decimals)
  }

  @Test(
    arguments: [
      (0, "<0.1 ms"), (400_000, "0.4 ms"), (1_000_000, "1 ms"), (3_140_000, "3.1 ms"),
      (11_900_000, "11 ms"), (1_800_000_000, "1.8 s"), (3_600_000_000_000, "3 600 s"),
    ] as [(UInt64, String)])
  func `a duration is short`(_ nanoseconds: UInt64, _ text: String) {
    #expect(QuantityText.duration(nanoseconds: nanoseconds) == text)
    #expect(QuantityText.duration(.nanoseconds(Int64(nanoseconds))) == text)
  }

  @Test(
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KB"), (184 << 10, "184 KB"),
      (1_258_291, "1.1 MB"), (41 << 20, "41 MB"), (3 << 40, "3 TB"),
    ] as [(Int64, String)])
  func `a size is in its unit`(_ bytes: Int64, _ text: String) {
    #expect(QuantityText.bytes(bytes) == text)
  }

  @Test func `a time of day is that of the place`() {
    let time = Sample.moment().civil
    #expect(QuantityText.clock(time, utcOffsetSeconds: 0) == "12:04:31")
    #expect(QuantityText.clock(time, utcOffsetSeconds: 3600, milliseconds: true) == "13:04:31.204")
    let before = Timestamp(microseconds: -1)
    #expect(QuantityText.clock(before, utcOffsetSeconds: 0, milliseconds: true) == "23:59:59.999")
  }

  @Test func `an age is a clock that counts`() {
    #expect(QuantityText.age(seconds: 14) == "00:14")
    #expect(QuantityText.age(seconds: 3723) == "1:02:03")
  }

  @Test func `digits that name something are not grouped`() {
    let result = RowSet(
      columns: ["id", "n", "match_id", "year"], rows: [[90412, 90412, 1204, 2026]])
    let columns = ColumnSummary.summaries(of: result, key: [])
    let texts = zip(result.rows[0], columns).map { ValueText($0, column: $1).text }
    #expect(texts == ["90412", "90 412", "1204", "2026"])
    #expect(!ColumnSummary.summaries(of: result, key: ["N"])[1].isGrouped)
  }
}
