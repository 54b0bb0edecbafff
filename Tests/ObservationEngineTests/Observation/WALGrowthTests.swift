import Testing

@testable import ObservationEngine

/// How far a log may grow under a snapshot.
struct WALGrowthTests {
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
    var growth = WALGrowth(from: try header(begun, salts: 1))
    let answer = growth.isTooMuch(try header(now, salts: 1))
    #expect(answer == isTooMuch)
  }

  @Test
  func `a log that began anew is counted from its beginning`() throws {
    var growth = WALGrowth(from: try header(80_000, salts: 1))
    let before = growth.isTooMuch(try header(1_500, salts: 2))
    let after = growth.isTooMuch(try header(1_501, salts: 2))
    #expect(!before && after)
  }

  @Test(
    arguments: [
      // Frames written in 10 ms, and up to where the log may grow at that speed.
      (100, 1_500), (200, 1_500), (300, 1_250), (600, 500), (1_000, 0),
    ] as [(UInt32, UInt32)])
  func `under a fast writer more is left for what happens before anybody looks`(
    frames: UInt32, bound: UInt32
  ) throws {
    for begun in stride(from: UInt32(0), through: 1_400, by: 100) {
      var growth = WALGrowth(from: try header(begun, salts: 1), began: 5, looksAhead: true)
      let isTooMuch = growth.isTooMuch(
        try header(begun + frames, salts: 1), now: 5 + 10_000_000)
      #expect(isTooMuch == (begun + frames > bound), "\(begun)")
      var blind = WALGrowth(from: try header(begun, salts: 1), began: 5)
      let wasTooMuch = blind.isTooMuch(try header(begun + frames, salts: 1), now: 5 + 10_000_000)
      #expect(wasTooMuch == (begun + frames > 1_500))
    }
  }

  @Test
  func `the speed is that of the last moment, and not of all the time before`() throws {
    var growth = WALGrowth(from: try header(0, salts: 1), began: 0, looksAhead: true)
    // A second of rest, and then sixty frames a millisecond.
    var bound: UInt32?
    for frame in stride(from: UInt32(0), through: 2_000, by: 60) where bound == nil {
      let now = 1_000_000_000 + UInt64(frame / 60) * 1_000_000
      if growth.isTooMuch(try header(frame, salts: 1), now: now) { bound = frame }
    }
    #expect(bound ?? 2_000 < 700)
  }

  /// What the wal-index says of a log with so many frames.
  private func header(_ lastFrame: UInt32, salts: UInt8) throws -> WALIndexHeader {
    var copy = [UInt8](repeating: 0, count: 48)
    copy[12] = 1
    withUnsafeBytes(of: lastFrame) { copy.replaceSubrange(16..<20, with: $0) }
    copy[32] = salts
    copy = copy.withWALIndexChecksum
    return try #require(WALIndexHeader(copies: copy + copy))
  }
}
