import TestSupport
import Testing

@testable import Dashboard

/// The expected texts are what `sqlite3` 3.40.1 prints.
@Suite struct SQLiteRealTests {
  @Test(arguments: [
    (0.0, "0.0"), (-0.0, "0.0"), (1, "1.0"), (-1.5, "-1.5"), (100, "100.0"), (0.1, "0.1"),
    (0.1 + 0.2, "0.3"), (1e14, "100000000000000.0"), (1e15, "1.0e+15"), (1e25, "1.0e+25"),
    (1e100, "1.0e+100"), (0.0001, "0.0001"), (1e-5, "1.0e-05"),
    (.leastNonzeroMagnitude, "4.94065645841247e-324"),
    (123_456_789_012_345.6, "123456789012346.0"), (999_999_999_999_999.9, "1.0e+15"),
    (1.7976931348623157e308, "1.79769313486232e+308"), (.infinity, "Inf"), (-.infinity, "-Inf"),
  ])
  func `text has up to 15 digits`(_ value: Double, _ expected: String) {
    #expect(SQLiteReal.text(value) == expected)
  }

  @Test(arguments: [
    (0.5, "0.5"), (1e25, "1.0000000000000000906e+25"), (0.1, "0.10000000000000000555"),
    (1e15, "1000000000000000.0"), (123_456_789_012_345_680, "123456789012345680.0"),
    (1e-5, "1.0000000000000000817e-05"), (1e21, "1.0e+21"), (4.35, "4.3499999999999996447"),
    (1e-4, "0.00010000000000000000479"), (.leastNonzeroMagnitude, "4.9406564584124654428e-324"),
    (1.7976931348623157e308, "1.7976931348623156223e+308"),
    (-1.989032661366619e+244, "-1.9890326613666189198e+244"),
    (.infinity, "1e999"), (-.infinity, "-1e999"),
  ])
  func `JSON has up to 20 digits`(_ value: Double, _ expected: String) {
    #expect(SQLiteReal.json(value) == expected)
  }

  @Test(arguments: [
    (0.1, "0.1"), (1e25, "1.0e+25"), (0.1 + 0.2, "0.30000000000000004"), (.infinity, "Inf"),
    (-0.0, "0.0"),
  ])
  func `exact text has more digits only where it takes more`(_ value: Double, _ expected: String) {
    #expect(SQLiteReal.exactText(value) == expected)
  }

  @Test func `JSON and exact text read as the same number again`() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      #expect(Double(SQLiteReal.json(value)) == value)
      #expect(Double(SQLiteReal.exactText(value)) == value)
    }
  }
}
