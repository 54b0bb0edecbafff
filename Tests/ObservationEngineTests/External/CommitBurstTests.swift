import Testing

@testable import ObservationEngine

struct CommitBurstTests {
  private let millisecond: UInt64 = 1_000_000

  /// A burst after `notices` looks that each found `count` commits, and the time of the last.
  private func burst(
    notices: Int, of count: Int, every nanoseconds: UInt64, pause: UInt64 = CommitBurst.pause
  ) -> (burst: CommitBurst, now: UInt64) {
    var burst = CommitBurst(pause: pause)
    var now: UInt64 = 1_000_000_000
    for _ in 0..<notices {
      now += nanoseconds
      burst.note(count, now: now)
    }
    return (burst, now)
  }

  @Test
  func `many commits in a row are a burst`() {
    let (burst, now) = burst(notices: 40, of: 1, every: millisecond)
    #expect(burst.isOn(now))
  }

  @Test
  func `a few commits in a row are none`() {
    let (burst, now) = burst(notices: 20, of: 1, every: millisecond)
    #expect(!burst.isOn(now))
  }

  @Test
  func `a commit every five milliseconds is none`() {
    let (burst, now) = burst(notices: 1000, of: 1, every: 5 * millisecond)
    #expect(!burst.isOn(now))
  }

  @Test
  func `a burst goes on while each look finds many commits`() {
    var (burst, now) = burst(notices: 40, of: 1, every: millisecond)
    now += 10 * millisecond
    burst.note(200, now: now)
    #expect(burst.isOn(now))
  }

  @Test
  func `a burst ends with a look that finds few commits`() {
    var (burst, now) = burst(notices: 40, of: 1, every: millisecond)
    now += CommitBurst.pause
    burst.note(1, now: now)
    #expect(!burst.isOn(now))
  }

  @Test
  func `a burst ends when looks find nothing`() {
    let (burst, now) = burst(notices: 40, of: 1, every: millisecond)
    #expect(burst.isOn(now + 2 * CommitBurst.pause))
    #expect(!burst.isOn(now + 3 * CommitBurst.pause))
    let pause = CommitBurst.rollbackPause
    let (rollback, last) = self.burst(notices: 40, of: 1, every: millisecond, pause: pause)
    #expect(rollback.isOn(last + 2 * pause))
    #expect(!rollback.isOn(last + 3 * pause))
  }
}
