import Testing

@testable import ObservationEngine

/// When it is certain that no commit was overlooked while the log began anew.
@Suite
struct WALContinuityTests {
  /// A header with a salt that is counted, as SQLite does when one writer begins the log again.
  private func header(change: UInt32, lastFrame: UInt32 = 9, salt: UInt8) throws -> WALIndexHeader {
    var copy = [UInt8](repeating: 0, count: 48)
    withUnsafeBytes(of: change) { copy.replaceSubrange(8..<12, with: $0) }
    copy[12] = 1
    withUnsafeBytes(of: lastFrame) { copy.replaceSubrange(16..<20, with: $0) }
    copy[35] = salt
    copy = copy.withWALIndexChecksum
    return try #require(WALIndexHeader(copies: copy + copy))
  }

  private func continuity(
    change: UInt32 = 13, commits: UInt32 = 3, salt: UInt8 = 6,
    sequences: (UInt32?, UInt32) = (4, 5),
    hasPadding: Bool = false, lastBefore: UInt32 = 9
  ) throws -> WALContinuity {
    WALContinuity(
      before: try header(change: 10, lastFrame: lastBefore, salt: 5),
      after: try header(change: change, salt: salt), sequenceBefore: sequences.0,
      sequenceAfter: sequences.1, commits: commits, hasPadding: hasPadding)
  }

  @Test
  func `a log that began anew once, with all commits since, leaves no doubt`() throws {
    #expect(try continuity().doubt == nil)
    #expect(try continuity(salt: 99).doubt == nil, "the sequence alone tells")
    #expect(try continuity(sequences: (nil, 1)).doubt == nil, "the salt alone tells")
  }

  @Test
  func `commits that are not in the log are missed`() throws {
    #expect(try continuity(change: 14).doubt != nil)
    #expect(try continuity(commits: 2).doubt != nil)
    #expect(try continuity(commits: 4).doubt != nil)
  }

  @Test
  func `a log that began anew twice leaves doubt`() throws {
    #expect(try continuity(salt: 7, sequences: (4, 6)).doubt != nil)
    #expect(try continuity(salt: 77, sequences: (nil, 1)).doubt != nil)
  }

  @Test
  func `frames that fill up sectors leave doubt`() throws {
    #expect(try continuity(hasPadding: true).doubt != nil)
  }

  @Test
  func `a count that went back leaves doubt`() throws {
    #expect(try continuity(change: 2, commits: 2 &- 10).doubt != nil)
  }
}
