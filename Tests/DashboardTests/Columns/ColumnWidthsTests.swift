import Testing

@testable import Dashboard

@Suite struct ColumnWidthsTests {
  @Test func `a column grows at once and shrinks after a while`() {
    var widths = ColumnWidths()
    #expect(widths.settle([4, 6], isReset: true) == [4, 6])
    #expect(widths.settle([9, 3], isReset: false) == [9, 6])
    for _ in 1..<ColumnWidths.patience { _ = widths.settle([5, 3], isReset: false) }
    #expect(widths.settle([4, 6], isReset: false) == [5, 6])
  }

  @Test func `other columns have other widths`() {
    var widths = ColumnWidths()
    _ = widths.settle([40, 6], isReset: true)
    #expect(widths.settle([4, 6], isReset: true) == [4, 6])
    #expect(widths.settle([1], isReset: false) == [1])
    #expect(widths.settle([], isReset: false) == [])
  }
}
