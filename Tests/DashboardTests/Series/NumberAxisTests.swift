import Testing

@testable import Dashboard

@Suite struct NumberAxisTests {
  @Test func `ticks are round and hold the range`() {
    #expect(NumberAxis(3...57, intervals: 4).ticks == [0, 15, 30, 45, 60])
    #expect(NumberAxis(-5...11, intervals: 4).ticks == [-5, 0, 5, 10, 15])
    #expect(NumberAxis(95...99, intervals: 4).ticks == [95, 96, 97, 98, 99])
    #expect(NumberAxis(-10 ... -5, intervals: 4).ticks == [-10.5, -9, -7.5, -6, -4.5])
    #expect(NumberAxis(0...0.04, intervals: 4).decimals == 2)
  }

  @Test func `what does not vary stands within its scale`() {
    #expect(NumberAxis(0...0, intervals: 4).ticks == [0, 0.25, 0.5, 0.75, 1])
    for number in [5, -5, 1e-300, 1e308, -1e308] {
      let axis = NumberAxis(number...number, intervals: 4)
      #expect((0.2...0.8).contains(axis.position(number)))
    }
  }

  @Test func `ends that are given stay`() {
    let axis = NumberAxis(3...57, intervals: 4, fixedLow: 0, fixedHigh: 50)
    #expect(axis.ticks == [0, 12.5, 25, 37.5, 50])
    #expect(axis.position(57) > 1)
    #expect(NumberAxis(3...57, intervals: 4, fixedLow: 100).position(57) < 0)
  }

  @Test func `any range has a scale that holds it`() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<3000 {
      let ends = (0..<2).map { _ in Double(bitPattern: random.next()) }
      guard ends.allSatisfy(\.isFinite), ends[0] <= ends[1] else { continue }
      let intervals = Double(Int.random(in: 1...12, using: &random)) / 2
      let axis = NumberAxis(ends[0]...ends[1], intervals: intervals)
      for end in ends {
        #expect((-1e-6...1 + 1e-6).contains(axis.position(end)), "\(ends) \(intervals)")
      }
      #expect(!axis.ticks.contains { $0.isNaN }, "\(ends) \(intervals)")
    }
  }

  @Test func `a round number is not less than what is asked`() {
    #expect(NumberAxis.round(0.07) == 0.08)
    #expect(NumberAxis.round(1) == 1)
    #expect(NumberAxis.round(1001) == 1500)
    #expect(NumberAxis.round(8.1e307) == 1e308)
  }
}

/// A generator whose numbers are the same on every run.
private struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
