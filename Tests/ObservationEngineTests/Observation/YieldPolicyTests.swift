import Testing

@testable import ObservationEngine

/// When a refresh reads beside a writer with a rollback journal, and to whom it gives way.
struct YieldPolicyTests {
  private static let millisecond: UInt64 = 1_000_000
  /// Some while after the machine was started.
  private static let start: UInt64 = 1_000_000_000_000
  private static let writer: Int32 = 7

  private var policy = YieldPolicy()
  private var counter: UInt32 = 1
  private var now = start

  /// Has a process commit several times, with so many milliseconds before each.
  private mutating func commit(_ count: Int, every milliseconds: Double) {
    for _ in 0..<count {
      now += UInt64(milliseconds * 1_000_000)
      counter += 1
      policy.noteCommits(1, now: now)
    }
  }

  private mutating func decide(_ contention: RollbackLocks.Contention) -> YieldPolicy.Decision {
    policy.decide(now: now, contention: contention, counter: counter)
  }

  /// Asks again and again while the locks stay as they are; returns how long it had to wait.
  private mutating func wait(
    _ contention: RollbackLocks.Contention
  ) -> (time: UInt64, SnapshotWatch.Yielding) {
    let began = now
    while true {
      switch decide(contention) {
      case .read(let yielding): return (now - began, yielding)
      case .wait(let time, _): now += time
      }
    }
  }

  private mutating func refresh(_ nanoseconds: UInt64 = 500_000) {
    policy.didEnd(began: now, now: now + nanoseconds, gaveWay: false)
    now += nanoseconds
  }

  private let prepared = RollbackLocks.Contention.prepared(process: writer)
  private let exclusive = RollbackLocks.Contention.exclusive(process: writer)

  @Test
  mutating func `while nobody writes, and nobody has written of late, it reads`() {
    #expect(decide(.none) == .read(.toAnyWriter))
    commit(1, every: 10_000)
    now += 10 * Self.millisecond
    #expect(decide(.none) == .read(.toAnyWriter))
  }

  @Test
  mutating func `right after a commit it reads when nothing has happened for a moment`() {
    commit(1, every: 10_000)
    let (time, yielding) = wait(.none)
    #expect(time == YieldPolicy.settling)
    #expect(yielding == .toAnyWriter)
  }

  @Test
  mutating func `beside a transaction it reads once that has lasted for a while`() {
    commit(1, every: 10_000)
    let (time, yielding) = wait(prepared)
    #expect(time == YieldPolicy.hold)
    #expect(yielding == .toCommit)
    refresh()
    // Another transaction is another matter.
    commit(1, every: 300)
    #expect(wait(prepared).time == YieldPolicy.hold)
  }

  @Test
  mutating func `beside long transactions, one right after the other, it reads as each begins`() {
    commit(6, every: 50)
    #expect(decide(prepared) == .read(.toCommit))
  }

  @Test
  mutating func `beside long transactions of uneven length it reads early in each`() {
    for milliseconds in [30, 90, 31, 70, 33, 100, 40, 85] as [Double] {
      commit(1, every: milliseconds)
      now += 12 * Self.millisecond
      let (time, yielding) = wait(prepared)
      #expect(time <= 20 * Self.millisecond)
      #expect(yielding == .toCommit)
      refresh(4 * Self.millisecond)
    }
  }

  /// How many commits are shown before the next one, of a writer that goes on at once.
  ///
  /// - Parameters:
  ///   - prepared: How long its transactions change rows, in nanoseconds.
  ///   - exclusive: How long they have the file for themselves.
  ///   - cost: What a refresh takes.
  /// - Returns: That number, and in how many the writer met a refresh.
  private mutating func load(
    commits: UInt64, prepared: UInt64, exclusive: UInt64, cost: UInt64
  ) -> (shown: Int, met: Int) {
    let pause: UInt64 = 100_000
    let cycle = pause + prepared + exclusive
    var (shown, met) = (0, 0)
    var noticed: UInt64 = 0
    let began = now
    while now < began + commits * cycle {
      let number = (now - began) / cycle + 1
      counter = UInt32(number)
      guard number > noticed else {
        now = began + number * cycle + pause
        continue
      }
      // The detector sees the commit as soon as the file is no longer locked exclusively.
      policy.noteCommits(Int(number - noticed), now: now)
      noticed = number
      waiting: while true {
        let phase = (now - began) % cycle
        counter = UInt32((now - began) / cycle + 1)
        let contention: RollbackLocks.Contention =
          phase < pause
          ? .none
          : phase < pause + prepared
            ? .prepared(process: Self.writer) : .exclusive(process: Self.writer)
        switch decide(contention) {
        case .read(let yielding):
          if phase + cost > pause + prepared || (yielding == .toAnyWriter && phase + cost > pause) {
            met += 1
          } else {
            shown += 1
          }
          noticed = UInt64(counter)
          refresh(cost)
          break waiting
        case .wait(let time, _): now += time + (time > YieldPolicy.settling ? 100_000 : 10_000)
        }
      }
    }
    return (shown, met)
  }

  @Test(arguments: [(5.0, 35.0), (4, 16), (10, 30), (3, 60)])
  mutating func `the commits of a bulk loader are shown`(_ prepared: Double, _ exclusive: Double) {
    let (shown, met) = load(
      commits: 1_000, prepared: UInt64(prepared * 1e6), exclusive: UInt64(exclusive * 1e6),
      cost: 300_000)
    #expect(shown > 800, "\(shown) of 1,000, \(met) in its way")
    #expect(met < 20)
  }

  @Test(arguments: [0.03, 0.1, 0.5])
  mutating func `a writer of small commits that syncs is not met`(_ prepared: Double) {
    let (_, met) = load(
      commits: 1_000, prepared: UInt64(prepared * 1e6), exclusive: 8 * Self.millisecond,
      cost: 300_000)
    #expect(met <= 2)
  }

  @Test
  mutating func `a writer that is met syncing its commits is left alone longer`() {
    for _ in 0..<20 {
      commit(1, every: 10)
      guard case .wait = decide(exclusive) else {
        Issue.record("it reads")
        return
      }
    }
    commit(1, every: 10)
    #expect(wait(prepared).time >= YieldPolicy.stormHold / 2)
  }

  @Test
  mutating func `beside a writer without a pause it waits for one`() {
    for _ in 0..<100 {
      commit(1, every: 0.1)
      for contention in [prepared, exclusive, .none] {
        guard case .wait(_, isOverdue: false) = decide(contention) else {
          Issue.record("\(contention)")
          return
        }
      }
    }
    #expect(wait(.none).time >= YieldPolicy.stormPause)
  }

  @Test
  mutating func `what waits for a second is out of date`() {
    var isOverdue = false
    let began = now
    while !isOverdue {
      commit(1, every: 0.1)
      guard case .wait(_, let overdue) = decide(prepared) else {
        Issue.record("it reads")
        return
      }
      isOverdue = overdue
    }
    #expect(now - began >= YieldPolicy.overdue)
    #expect(now - began < 2 * YieldPolicy.overdue)
  }

  /// When it reads beside a writer that commits every tenth of a millisecond, in nanoseconds from now.
  private mutating func storm(seconds: UInt64) -> [UInt64] {
    let began = now
    var reads: [UInt64] = []
    while now < began + seconds * 1_000_000_000 {
      commit(1, every: 0.1)
      if case .read(let yielding) = decide(prepared) {
        #expect(yielding == .never)
        reads.append(now - began)
        if policy.mustLearn { policy.note(process: Self.writer, waits: waits) }
        refresh()
      }
    }
    return reads
  }

  /// Whether the writer of ``storm(seconds:)`` waits for locks.
  private var waits = true

  @Test
  mutating func `a writer that waits for locks is made to wait now and then, once that is known`() {
    let reads = storm(seconds: 15)
    #expect(reads.first.map { $0 > 12_000_000_000 } == true)
    for (first, second) in zip(reads, reads.dropFirst()) {
      #expect(second - first >= YieldPolicy.forcedInterval)
      #expect(second - first <= 2 * YieldPolicy.forcedInterval)
    }
    #expect(reads.count > 20)
  }

  @Test
  mutating func `a writer that does not wait is met once`() {
    waits = false
    #expect(storm(seconds: 30).count == 1)
  }

  @Test
  mutating func `a process that keeps readers out is met after a while, to report that it does`() {
    let (time, yielding) = wait(exclusive)
    #expect(time >= YieldPolicy.lockLimit && time < 2 * YieldPolicy.lockLimit)
    #expect(yielding == .toAnyWriter)
  }

  @Test
  mutating func `a refresh that gave way waits for a pause`() {
    commit(1, every: 10_000)
    _ = wait(.none)
    policy.didEnd(began: now, now: now + 100_000, gaveWay: true)
    #expect(wait(.none).time >= 2 * Self.millisecond)
  }
}
