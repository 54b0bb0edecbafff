import ObservationEngine
import Testing

@testable import Dashboard

/// Decimal numbers with more digits than a double keeps, which are texts.
@Suite struct LongDecimalTests {
  @Test(arguments: [
    ("10000000000004.99", 10_000_000_000_004.99), ("-0.12345678901234567", -0.123456789012345_67),
    ("9223372036854775808", 0x1p63), ("-99999999999999999999.50", -1e20),
    ("1234567890.1234560", 1_234_567_890.123_456),
  ])
  func `it is the nearest number`(_ text: String, _ number: Double) {
    #expect(LongDecimal(text)?.number == number)
    #expect(ColumnSummary.number(.text(text)) == number)
  }

  @Test(arguments: [
    "", "5", "5.5", "123456789012345.0", "0.000000000000000000", "9223372036854775807",
    "1.2.3456789012345678", "1234567890123456.", ".1234567890123456", "1e1234567890123456",
    "0012345678901234567890", "+1234567890.1234567", "1234567890 1234567", "NaN", "Infinity",
    "2026-11-29 12:00:00.123456",
  ])
  func `any other text is a text`(_ text: String) {
    #expect(LongDecimal(text) == nil)
    #expect(ColumnSummary.number(.text(text)) == nil)
  }

  @Test(
    arguments: [
      ("10000000000004.99", 1_000), (10_000_000_000_005, "10000000000004.99"),
      ("10000000000004.99", "9000000000000.991"), ("20000000000000.991", "20000000000000.990"),
      ("-9000000000000.991", "-10000000000004.99"), ("0.12345678901234567", "-1234567890.1234567"),
      ("10000000000004.99", 0.5),
    ] as [(Value, Value)])
  func `it is compared and sorted as a number`(_ greater: Value, _ less: Value) {
    #expect(Comparison.greater.holds(between: greater, and: less))
    #expect(Comparison.lessOrEqual.holds(between: less, and: greater))
    #expect(!Comparison.equal.holds(between: less, and: greater))
    #expect(less.isSorted(before: greater) && !greater.isSorted(before: less))
  }

  @Test func `zeros at its end make no difference`() {
    #expect(Comparison.equal.holds(between: "10000000000004.990", and: "10000000000004.99"))
    #expect(Comparison.equal.holds(between: "10000000000004.99", and: .real(10_000_000_000_004.99)))
  }

  @Test func `it is among the numbers of a column, before all texts`() {
    let values: [Value] = ["NaN", "120000000000000000000000000000.5", 5, .null, 1.5e20, "a"]
    let sorted = values.sorted { $0.isSorted(before: $1) }
    #expect(sorted == [.null, 5, 1.5e20, "120000000000000000000000000000.5", "NaN", "a"])
    let rows = RowSet(
      columns: ["total"], rows: [[5.5], ["10000000000004.99"], ["10000000000005.99"]])
    #expect(ColumnSummary.summaries(of: rows, key: [])[0].isNumeric)
  }
}
