import ObservationEngine
import Testing

@testable import DatabaseConsole

struct WindowRowsTests {
  @Test
  func `a stream leaves the rows of the window, or the last ones`() {
    for total in 0...12 {
      for first in 0...14 {
        for count in 1...5 {
          var rows = WindowRows(first: first, count: count)
          for row in 0..<total { rows.append([.integer(Int64(row))]) }
          let expected = min(first, max(0, total - count))
          #expect(rows.first == expected)
          #expect(rows.total == total)
          #expect(
            rows.held == (expected..<min(total, expected + count)).map { [.integer(Int64($0))] })
        }
      }
    }
  }
}
