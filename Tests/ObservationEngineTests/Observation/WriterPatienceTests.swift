import Testing

@testable import ObservationEngine

/// When a refresh waits for a writer, and for how long; times are milliseconds.
struct WriterPatienceTests {
  private static let millisecond: UInt64 = 1_000_000
  /// Some while after the machine was started.
  private static let start: UInt64 = 1_000_000

  private var patience = WriterPatience()

  private func time(_ milliseconds: UInt64) -> UInt64 {
    (Self.start + milliseconds) * Self.millisecond
  }

  private mutating func wait(_ milliseconds: UInt64, isContended: Bool = false) -> UInt64 {
    patience.wait(now: time(milliseconds), isContended: isContended) / Self.millisecond
  }

  @Test
  mutating func `after a commit a refresh begins at once`() {
    patience.noteCommit(now: time(0))
    #expect(wait(0) == 0)
    patience.didRefresh(now: time(1))
    patience.noteCommit(now: time(2))
    #expect(wait(2) == 0)
  }

  @Test
  mutating func `while somebody writes it waits, and then until nobody commits for a moment`() {
    patience.noteCommit(now: time(0))
    #expect(wait(0, isContended: true) == 10)
    patience.noteCommit(now: time(4))
    #expect(wait(10) == 4)
    #expect(wait(14) == 0)
    patience.didRefresh(now: time(15))
    patience.noteCommit(now: time(16))
    #expect(wait(16) == 0, "the writer had paused")
  }

  @Test
  mutating func `under a writer without a pause it begins twice a second, and gives way no more`() {
    var begun: [UInt64] = []
    patience.noteCommit(now: time(0))
    _ = wait(0, isContended: true)
    for now in 1...2_000 as ClosedRange<UInt64> {
      patience.noteCommit(now: time(now))
      if wait(now, isContended: now.isMultiple(of: 2)) == 0 {
        #expect(patience.isOver(time(now)))
        begun.append(now)
        patience.didRefresh(now: time(now))
      } else {
        #expect(!patience.isOver(time(now)))
      }
    }
    #expect(begun == [500, 1_000, 1_500, 2_000])
  }

  @Test
  mutating func `it never waits beyond the limit`() {
    _ = wait(0, isContended: true)
    #expect(wait(495, isContended: true) == 5)
    #expect(wait(500, isContended: true) == 0)
  }

  @Test
  mutating func `after a rest of the writer all is as it was in the beginning`() {
    patience.noteCommit(now: time(0))
    _ = wait(0, isContended: true)
    patience.noteCommit(now: time(2_000))
    #expect(!patience.isOver(time(2_000)))
    #expect(wait(2_000) == 0)
  }

  @Test
  mutating func `a writer is steady for a moment after each commit`() {
    patience.noteCommit(now: time(0))
    #expect(patience.isSteady(now: time(9)))
    #expect(!patience.isSteady(now: time(10)))
  }
}
