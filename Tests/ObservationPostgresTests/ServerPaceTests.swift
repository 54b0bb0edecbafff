import Testing

@testable import ObservationPostgres

/// All times are in milliseconds.
struct ServerPaceTests {
  private static let unit: UInt64 = 1_000_000

  private func pace() -> ServerPace { ServerPace(debounce: 0, interval: 5 * Self.unit) }

  /// A pace behind a refresh that ended at 1,000.
  private func pace(after duration: UInt64, _ change: (inout ServerPace.Refresh) -> Void = { _ in })
    -> ServerPace
  {
    var pace = pace()
    refresh(&pace, at: 1_000, duration: duration, change)
    return pace
  }

  private func refresh(
    _ pace: inout ServerPace, at time: UInt64, duration: UInt64 = 2,
    _ change: (inout ServerPace.Refresh) -> Void = { _ in }
  ) {
    var refresh = ServerPace.Refresh(
      duration: duration * Self.unit, ranQueries: true, commits: 1, isPending: false,
      hasLocked: false, ranClocks: nil)
    change(&refresh)
    pace.noteRefresh(refresh, at: time * Self.unit)
  }

  private func time(_ nanoseconds: UInt64) -> UInt64? {
    nanoseconds == .max ? nil : nanoseconds / Self.unit
  }

  @Test func `a refresh is followed by a pause as long as it took, within limits`() {
    #expect(time(pace(after: 7).nextRefreshAt) == 1_007)
    #expect(time(pace(after: 2).nextRefreshAt) == 1_002)
    #expect(time(pace(after: 60_000).nextRefreshAt) == 11_000)
  }

  @Test func `where commits keep coming, refreshes are as far apart as configured`() {
    var pace = pace()
    var times: [UInt64] = []
    var now: UInt64 = 1_000
    for _ in 1...9 {
      refresh(&pace, at: now, duration: 1)
      now = pace.nextRefreshAt / Self.unit
      times.append(now)
    }
    // The first ones pause as long as they took.
    #expect(times == [1_001, 1_002, 1_003, 1_004, 1_005, 1_010, 1_015, 1_020, 1_025])
    // What no query ran for doesn't count.
    for _ in 1...9 { refresh(&pace, at: now, duration: 1) { $0.ranQueries = false } }
    #expect(time(pace.nextRefreshAt) == 1_026)
    // Behind a pause it is as at the beginning.
    refresh(&pace, at: 1_060, duration: 1)
    #expect(time(pace.nextRefreshAt) == 1_061)
  }

  @Test func `a snapshot for which no query ran doesn't delay the next commit`() {
    #expect(time(pace(after: 1) { $0.ranQueries = false }.nextRefreshAt) == 1_001)
    #expect(time(pace(after: 1) { $0.isPending = true }.nextRefreshAt) == 1_001)
    let looking = pace(after: 1) { ($0.ranQueries, $0.isPending) = (false, true) }
    #expect(time(looking.nextRefreshAt) == 1_000)
  }

  @Test func `a slow query runs by itself behind what others wait for, and behind its own pause`() {
    var pace = pace(after: 7)
    let start = 1_000 * Self.unit
    #expect(time(pace.aloneAt(awaitedSince: start)) == 0)
    // What others wait for goes before.
    pace.noteCommit(at: 1_001 * Self.unit)
    #expect(time(pace.aloneAt(awaitedSince: start)) == 1_007)
    let refresh = ServerPace.Refresh(
      duration: 300 * Self.unit, ranQueries: true, isPending: false, hasLocked: true,
      ranClocks: true)
    pace.noteAlone(refresh, at: 1_400 * Self.unit)
    // The commit was in its snapshot, and the others don't wait for its pause.
    #expect(pace.noticedAt == 0)
    #expect(time(pace.nextRefreshAt) == 1_007)
    #expect(time(pace.aloneAt(awaitedSince: start)) == 1_700)
    // Locks and clocks come to their turn.
    #expect(time(pace.nextAt) == 1_650)
    pace.noteRefusal(at: 3_000 * Self.unit)
    #expect(time(pace.aloneAt(awaitedSince: start)) == 3_250)
  }

  @Test func `what ran behind a slow query isn't due any more`() {
    for ranAll in [false, true] {
      var pace = pace(after: 7)
      pace.wantAll()
      let refresh = ServerPace.Refresh(duration: 300 * Self.unit, ranQueries: true, ranAll: ranAll)
      pace.noteAlone(refresh, at: 1_400 * Self.unit)
      #expect(pace.isAllDue == !ranAll)
    }
  }

  @Test func `a slow query comes to its turn although commits never pause`() {
    var pace = pace(after: 7)
    let start = 1_000 * Self.unit
    for time in stride(from: 1_010, through: 4_000, by: 50) {
      let now = UInt64(time) * Self.unit
      pace.noteRefresh(ServerPace.Refresh(duration: 10 * Self.unit, ranQueries: true), at: now)
      pace.noteCommit(at: now)
      #expect((pace.aloneAt(awaitedSince: start) <= now) == (time >= 3_000))
    }
  }

  @Test func `a steady writer gets longer pauses, until a refresh finds one commit`() {
    var pace = pace()
    var pauses: [UInt64] = []
    for commits in [9, 9, 9, 9, 1] {
      refresh(&pace, at: 1_000) { $0.commits = commits }
      pauses.append(pace.nextRefreshAt / Self.unit - 1_000)
    }
    #expect(pauses == [2, 2, 4, 8, 5])
  }

  @Test func `the first commit waits for the debounce, later ones don't put it off`() {
    var pace = ServerPace(debounce: 20 * Self.unit, interval: 5 * Self.unit)
    pace.noteCommit(at: 100 * Self.unit)
    pace.noteCommit(at: 110 * Self.unit)
    #expect(time(pace.nextRefreshAt) == 120)
    #expect(time(pace.noticedAt) == 100)
    // The pause that was before is none of the commit's.
    #expect(pace.pauseEndsAt == 0)
    refresh(&pace, at: 200) { $0.isPending = true }
    #expect(time(pace.noticedAt) == 100)
    refresh(&pace, at: 300)
    #expect(pace.noticedAt == 0)
  }

  @Test func `nothing is due by itself until something is`() {
    var pace = pace(after: 2)
    #expect(time(pace.nextAt) == nil)
    pace.wantAll()
    #expect(time(pace.nextAt) == 1_002)
    pace.wantAllAtOnce()
    #expect(pace.nextAt == 0)
    refresh(&pace, at: 2_000)
    #expect(!pace.isAllDue)
    pace.noteRefusal(at: 2_010 * Self.unit)
    #expect(pace.isAllDue)
    #expect(time(pace.nextAt) == 2_260)
  }

  @Test func `queries that waited for a lock run again a little later`() {
    var pace = pace(after: 2) { $0.hasLocked = true }
    #expect(time(pace.nextAt) == 1_250)
    #expect(!pace.areLockedDue(at: 1_249 * Self.unit))
    #expect(pace.areLockedDue(at: 1_250 * Self.unit))
    refresh(&pace, at: 1_260)
    #expect(!pace.areLockedDue(at: 9_000 * Self.unit))
  }

  @Test func `a lock that is held for long is tried seldom, whatever else runs`() {
    var pace = pace(after: 2) { $0.hasLocked = true }
    // Those that follow commits to other tables.
    for number in 1...24 { refresh(&pace, at: UInt64(1_000 + 10 * number)) { $0.hasLocked = true } }
    #expect(pace.areLockedDue(at: 1_250 * Self.unit))
    var tries: [Int] = []
    var last = 1_250
    for time in 1_250...9_000 where pace.areLockedDue(at: UInt64(time) * Self.unit) {
      tries.append(time - last)
      last = time
      refresh(&pace, at: UInt64(time)) { $0.hasLocked = true }
    }
    #expect(tries == [0, 500, 1_000, 2_000, 2_000, 2_000])
  }

  @Test func `queries over the time run a second after all of them ran`() {
    var pace = pace(after: 2) { $0.ranClocks = false }
    #expect(time(pace.nextAt) == 2_000)
    // Some of them ran for a commit: the others are still due.
    refresh(&pace, at: 1_500) { $0.ranClocks = false }
    #expect(time(pace.nextAt) == 2_000)
    #expect(pace.areClocksDue(at: 2_000 * Self.unit))
    refresh(&pace, at: 1_800) { $0.ranClocks = true }
    #expect(time(pace.nextAt) == 2_800)
    refresh(&pace, at: 2_800)
    #expect(time(pace.nextAt) == nil)
  }
}
