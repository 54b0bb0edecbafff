import TestSupport
import Testing

@testable import Dashboard

@Suite struct SQLiteRealTests {
  @Test(arguments: [
    (0.0, "0.0"), (-0.0, "0.0"), (1, "1.0"), (-1.5, "-1.5"), (100, "100.0"), (0.1, "0.1"),
    (32.38, "32.38"), (0.1 + 0.2, "0.30000000000000004"), (4.35, "4.35"),
    (1e14, "100000000000000.0"), (1e15, "1.0e+15"), (1e25, "1.0e+25"), (1e100, "1.0e+100"),
    (0.0001, "0.0001"), (0.00012, "0.00012"), (1e-5, "1.0e-05"),
    (.leastNonzeroMagnitude, "5.0e-324"), (123_456_789_012_345.6, "123456789012345.6"),
    (123_456_789_012_345_680, "1.2345678901234568e+17"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (-1.989032661366619e+244, "-1.989032661366619e+244"),
  ])
  func `a number has the fewest digits that say which it is`(_ value: Double, _ expected: String) {
    #expect(SQLiteReal.text(value) == expected)
    #expect(SQLiteReal.json(value) == expected)
  }

  @Test func `infinity has a text of its own in JSON`() {
    #expect(SQLiteReal.text(.infinity) == "Inf" && SQLiteReal.text(-.infinity) == "-Inf")
    #expect(SQLiteReal.json(.infinity) == "1e999" && SQLiteReal.json(-.infinity) == "-1e999")
  }

  @Test func `a text reads as the same number again, with no more digits than it takes`() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      let text = SQLiteReal.text(value)
      #expect(Double(text) == value)
      #expect(text.utf8.filter { (0x30...0x39).contains($0) }.count <= 24)
    }
  }
}
