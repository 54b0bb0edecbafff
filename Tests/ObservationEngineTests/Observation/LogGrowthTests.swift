import Testing

@testable import ObservationEngine

/// How far a log may grow under a snapshot.
struct LogGrowthTests {
  @Test(
    arguments: [
      // From the beginning of a log up to half as much again as its usual size.
      (0, 1_500, false), (0, 1_501, true), (900, 1_500, false), (1_499, 1_501, true),
      // What somebody else let grow may stay, and grow by half of that size.
      (1_500, 1_500, false), (1_500, 2_000, false), (1_500, 2_001, true),
      (80_000, 80_500, false), (80_000, 80_501, true),
    ] as [(UInt32, UInt32, Bool)])
  func `a log grows up to a bound, whoever let it grow before`(
    begun: UInt32, now: UInt32, isTooMuch: Bool
  ) throws {
    let growth = LogGrowth(from: try header(begun, salts: 1))
    #expect(growth.isTooMuch(try header(now, salts: 1)) == isTooMuch)
  }

  @Test
  func `a log that began anew is counted from its beginning`() throws {
    let growth = LogGrowth(from: try header(80_000, salts: 1))
    #expect(!growth.isTooMuch(try header(1_500, salts: 2)))
    #expect(growth.isTooMuch(try header(1_501, salts: 2)))
  }

  /// What the wal-index says of a log with so many frames.
  private func header(_ lastFrame: UInt32, salts: UInt8) throws -> WALIndexHeader {
    var copy = [UInt8](repeating: 0, count: 48)
    copy[12] = 1
    withUnsafeBytes(of: lastFrame) { copy.replaceSubrange(16..<20, with: $0) }
    copy[32] = salts
    return try #require(WALIndexHeader(copies: copy + copy))
  }
}
