import Testing

@testable import ObservationEngine

/// When refreshes start, in nanoseconds.
struct RefreshPaceTests {
  private static let millisecond: UInt64 = 1_000_000

  /// Commits, and starts a refresh of `duration` at `now`; returns how long it had to wait.
  private func refresh(
    _ pace: inout RefreshPace, commits: Int, now: UInt64, duration: UInt64 = 50_000
  ) -> UInt64 {
    pace.noteCommits(commits)
    let wait = pace.start(now: now)
    pace.end(now: now + wait + duration)
    return wait
  }

  @Test
  func `the first refresh is not delayed, nor is one that finds a single commit`() {
    var pace = RefreshPace(least: .zero)
    var now: UInt64 = 5
    for _ in 0..<10 {
      let wait = refresh(&pace, commits: 1, now: now)
      #expect(wait == 0)
      now += 50_001
    }
  }

  @Test
  func `pauses double while each refresh finds several commits, up to fifty milliseconds`() {
    var pace = RefreshPace(least: .zero)
    var now: UInt64 = 1_000_000
    _ = refresh(&pace, commits: 1, now: now)
    now += 50_000
    var waits: [UInt64] = []
    for _ in 0..<12 {
      let wait = refresh(&pace, commits: 20, now: now)
      waits.append(wait)
      now += wait + 50_000
    }
    #expect(waits.prefix(4) == [100_000, 200_000, 400_000, 800_000])
    #expect(waits.max() == 50 * Self.millisecond)
    #expect(waits.last == 50 * Self.millisecond)
  }

  @Test
  func `after a refresh that kept up there is no pause`() {
    var pace = RefreshPace(least: .zero)
    var now: UInt64 = 1
    for _ in 0..<8 { now += refresh(&pace, commits: 9, now: now) + 50_000 }
    let single = refresh(&pace, commits: 1, now: now)
    #expect(single == 0)
    let several = refresh(&pace, commits: 9, now: now + 50_000)
    #expect(several == 100_000, "it begins anew")
  }

  @Test
  func `long refreshes pause for long, and start twice a second at least`() {
    var pace = RefreshPace(least: .zero)
    var now: UInt64 = 1
    var longest: UInt64 = 0
    for _ in 0..<20 {
      let wait = refresh(&pace, commits: 9, now: now, duration: 20 * Self.millisecond)
      longest = max(longest, wait)
      now += wait + 20 * Self.millisecond
    }
    #expect(longest == 80 * Self.millisecond)
    for _ in 0..<20 {
      let wait = refresh(&pace, commits: 9, now: now, duration: 900 * Self.millisecond)
      longest = max(longest, wait)
      now += wait + 900 * Self.millisecond
    }
    #expect(longest == 500 * Self.millisecond)
  }

  @Test
  func `a configured interval is kept from start to start`() {
    var pace = RefreshPace(least: .milliseconds(16))
    let waits = [0, 1, 100].map { refresh(&pace, commits: 1, now: $0 * Self.millisecond) }
    #expect(waits == [0, 15 * Self.millisecond, 0])
  }

  @Test
  func `the writer's thread is left alone for eight times what a refresh there took`() {
    var pace = RefreshPace(least: .zero)
    pace.noteCommits(1)
    let first = pace.startOnWriter(now: 0)
    pace.endOnWriter(now: 50_000)
    pace.noteCommits(1)
    let early = pace.startOnWriter(now: 449_999)
    let late = pace.startOnWriter(now: 450_000)
    #expect([first, early, late] == [true, false, true])
  }

  @Test
  func `a writer that has committed again already is not held up`() {
    var pace = RefreshPace(least: .zero)
    pace.noteCommits(2)
    let isOnWriter = pace.startOnWriter(now: 0)
    #expect(!isOnWriter)
    let wait = pace.start(now: 0)
    #expect(wait == 0, "the first is not delayed")
  }
}
