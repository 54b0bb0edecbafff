import TestSupport
import Testing

@testable import ObservationEngine

/// Real numbers as text.
struct RealTextTests {
  @Test(arguments: [
    (0.0, "0.0"), (-0.0, "0.0"), (1, "1.0"), (-1.5, "-1.5"), (100, "100.0"), (0.1, "0.1"),
    (32.38, "32.38"), (0.1 + 0.2, "0.30000000000000004"), (4.35, "4.35"),
    (1e14, "100000000000000.0"), (1e15, "1.0e+15"), (1e25, "1.0e+25"), (1e100, "1.0e+100"),
    (0.0001, "0.0001"), (0.00012, "0.00012"), (1e-5, "1.0e-05"),
    (.leastNonzeroMagnitude, "5.0e-324"), (123_456_789_012_345.6, "123456789012345.6"),
    (1_234_567_890_123_456, "1234567890123456.0"),
    (123_456_789_012_345_680, "1.2345678901234568e+17"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (-1.989032661366619e+244, "-1.989032661366619e+244"),
  ])
  func `a number has SQLite's text, with the digits that tell which it is`(
    _ value: Double, _ expected: String
  ) {
    #expect(value.sqliteText == expected)
    #expect(value.sqliteLiteral == expected)
  }

  @Test
  func `infinity has a literal that SQL and JSON read as infinity`() throws {
    #expect(Double.infinity.sqliteText == "Inf" && (-Double.infinity).sqliteText == "-Inf")
    #expect(Double.infinity.sqliteLiteral == "1e999")
    #expect((-Double.infinity).sqliteLiteral == "-1e999")
    let database = try Database(inMemory: Configuration())
    let read = try database.readWaiting {
      try $0.fetchAll("SELECT 1e999, -1e999").rows
    }
    #expect(read == [[.real(.infinity), .real(-.infinity)]])
  }

  /// All magnitudes, and those of prices and measurements.
  private func numbers(_ random: inout SeededRandom) -> [Double] {
    let powers: [Double] = [1e-3, 1, 1e2, 1e6]
    let power = powers[Int.random(in: powers.indices, using: &random)]
    return [
      Double(bitPattern: random.next()), Double.random(in: -power...power, using: &random),
      (Double.random(in: -1e6...1e6, using: &random) * 100).rounded() / 100,
      Double(sign: .plus, exponent: Int.random(in: -1074...1023, using: &random), significand: 1),
    ].filter(\.isFinite)
  }

  @Test
  func `a text reads as the same number again, with 17 digits at most`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<10_000 {
      for value in numbers(&random) {
        let text = value.sqliteText
        #expect(Double(text) == value, "seed \(seed)")
        // The one behind the point of an integer says that it is a real number.
        let mantissa = text.hasSuffix(".0") ? text.dropLast(2) : text.prefix { $0 != "e" }
        let digits = mantissa.filter(\.isNumber).drop { $0 == "0" }
        #expect(digits.count <= 17, "seed \(seed): \(text)")
      }
    }
  }

  @Test
  func `where SQLite's own text says which number it is, that is the text`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let values = (0..<500).flatMap { _ in numbers(&random) }
    let database = try Database(inMemory: Configuration())
    let texts: [Value] = try database.readWaiting { connection in
      try values.map { try connection.fetchAll("SELECT CAST(? AS TEXT)", [$0]).rows[0][0] }
    }
    var equal = 0
    for (value, cast) in zip(values, texts) {
      guard case .text(let text) = cast, Double(text) == value, !value.isSubnormal else { continue }
      #expect(value.sqliteText == text, "seed \(seed)")
      equal += 1
    }
    #expect(equal > 500, "seed \(seed)")
  }
}
