import Testing

@testable import ObservationEngine

/// When a lane reads while a writer is at work, and for how long it waits; times are milliseconds.
struct SchedulerWriterTests {
  private typealias Bench = SchedulerBench

  /// What the thread of a lane that was called does.
  private enum Start: Equatable {
    case read
    case giveUp(String)
    case askAgain(Double)
    /// The lane is called again so long after.
    case leave(Double)
  }

  private func begin(
    _ bench: inout Bench, _ lane: Bench.Lane, seeing sight: RefreshScheduler.Sight
  ) throws -> Start {
    switch bench.scheduler.begin(lane, seeing: sight, now: bench.now) {
    case .read(let job):
      bench.finish(job, [.value("\(bench.now)")], took: 1_000)
      return .read
    case .giveUp(let job, let reason):
      bench.fail(job, reason)
      return .giveUp(reason)
    case .askAgain(let time): return .askAgain(Double(time) / 1_000_000)
    case .leave:
      guard case .wait(let time) = bench.next() else { throw NoJob() }
      return .leave(time)
    }
  }

  // MARK: - WAL mode

  private static let long = RefreshScheduler.Sight.log(frames: 1_000)
  private static let short = RefreshScheduler.Sight.log(frames: 999)

  /// A slow member that is to be fetched without delay, and its lane called.
  private func slow() throws -> Bench {
    var bench = try Bench.slow()
    bench.advance(10_000)
    #expect(bench.calls() == [.slow])
    return bench
  }

  @Test
  func `a slow query reads immediately after a commit while the WAL is short`() throws {
    var bench = try self.slow()
    bench.commit("player", .external)
    #expect(try begin(&bench, .slow, seeing: Self.short) == .read)
  }

  @Test
  func `while the WAL is long it waits, and then until nothing was committed for a moment`() throws
  {
    var bench = try self.slow()
    bench.commit("player", .external)
    _ = bench.next()
    #expect(try begin(&bench, .slow, seeing: Self.long) == .leave(10))
    bench.advance(4)
    bench.commit("player", .external)
    bench.advance(6)
    #expect(bench.next() == .call(.slow))
    #expect(try begin(&bench, .slow, seeing: Self.short) == .leave(4))
    bench.advance(4)
    #expect(bench.next() == .call(.slow))
    #expect(try begin(&bench, .slow, seeing: Self.long) == .read)
    bench.scheduler.request(1, now: bench.now)
    bench.commit("player", .external)
    #expect(bench.calls() == [.slow])
    #expect(try begin(&bench, .slow, seeing: Self.short) == .read, "the writer had paused")
  }

  @Test
  func `under a writer without a pause it begins twice a second`() throws {
    var bench = try self.slow()
    let start = bench.now
    var begun: [UInt64] = []
    var isCalled = true
    for number in 1...2_010 {
      bench.commit("map", .external)
      if isCalled {
        let sight = number.isMultiple(of: 2) ? Self.short : Self.long
        if try begin(&bench, .slow, seeing: sight) == .read {
          begun.append((bench.now - start) / Bench.millisecond)
          bench.scheduler.request(1, now: bench.now)
        }
        isCalled = false
      }
      bench.advance(1)
      if bench.next() == .call(.slow) { isCalled = true }
    }
    #expect(begun == [500, 1_000, 1_500, 2_000])
  }

  @Test
  func `after a quiet time of the writer all is as it was in the beginning`() throws {
    var bench = try self.slow()
    bench.commit("player", .external)
    _ = bench.next()
    #expect(try begin(&bench, .slow, seeing: Self.long) == .leave(10))
    bench.advance(2_000)
    bench.commit("player", .external)
    #expect(bench.calls() == [.slow])
    #expect(try begin(&bench, .slow, seeing: Self.short) == .read)
  }

  @Test
  func `the quick lane does not wait for the WAL, nor does any lane without a budget`() throws {
    var bench = try Bench.clean()
    bench.commit("player", .external)
    #expect(bench.calls() == [.quick])
    #expect(try begin(&bench, .quick, seeing: Self.long) == .read)
    bench = try self.slow()
    bench.scheduler.settings.snapshotBudget = nil
    bench.commit("player", .external)
    #expect(try begin(&bench, .slow, seeing: Self.long) == .read)
  }

  // MARK: - Rollback journal

  private static let writer: Int32 = 7

  private func sight(
    _ contention: RollbackLocks.Contention, _ counter: UInt32 = 1
  ) -> RefreshScheduler.Sight {
    .journal(contention, counter: counter)
  }

  @Test
  func `right after a commit the thread itself asks again until the writer has settled`() throws {
    var bench = try Bench.clean()
    bench.commit("player", .external)
    #expect(bench.calls() == [.quick])
    #expect(try begin(&bench, .quick, seeing: sight(.none)) == .askAgain(0.2))
    bench.advance(0.2)
    #expect(bench.next() == .idle, "its thread asks by itself")
    #expect(try begin(&bench, .quick, seeing: sight(.none)) == .read)
  }

  @Test
  func `a thread that has asked for twenty milliseconds leaves, and is called again`() throws {
    var bench = try Bench.clean()
    bench.commit("player", .external)
    _ = bench.calls()
    var counter: UInt32 = 1
    let start = bench.now
    while true {
      counter += 1
      let answer = try begin(
        &bench, .quick, seeing: sight(.prepared(process: Self.writer), counter))
      guard case .askAgain(let time) = answer else {
        #expect(answer == .leave(0.2))
        break
      }
      bench.advance(time)
    }
    #expect(bench.now - start == 20 * Bench.millisecond)
    bench.advance(0.2)
    #expect(bench.next() == .call(.quick))
  }

  @Test
  func `while another process has the file, the lane is called again later`() throws {
    var bench = try Bench.clean()
    bench.commit("player", .external)
    _ = bench.calls()
    let answer = try begin(&bench, .quick, seeing: sight(.exclusive(process: Self.writer)))
    #expect(answer == .leave(1))
    bench.commit("player", .external)
    #expect(bench.next() == .wait(1), "a commit does not end that wait")
  }

  @Test
  func `what is out of date for a second says so once, and is tried again`() throws {
    var bench = try Bench.clean()
    bench.commit("player", .external)
    _ = bench.calls()
    _ = bench.given()
    var counter: UInt32 = 1
    var answers: [Start] = []
    while answers.count < 2 {
      counter += 1
      // Each time it is at work on another transaction.
      let answer = try begin(
        &bench, .quick, seeing: sight(.prepared(process: Self.writer), counter))
      switch answer {
      case .askAgain(let time): bench.advance(time)
      case .leave(let time):
        bench.advance(time)
        #expect(bench.next() == .call(.quick))
      case .giveUp, .read:
        answers.append(answer)
        guard case .wait(let time) = bench.next() else { throw NoJob() }
        if answers.count < 2 {
          bench.advance(time)
          #expect(bench.next() == .call(.quick))
        }
      }
      if bench.now > 10_000 * Bench.millisecond { break }
    }
    let storm = "another process commits without a pause; shown when it pauses, or use WAL mode"
    #expect(answers == [.giveUp(storm)])
    #expect(bench.given() == [.init(events: 1, stale: [0: storm])])
  }

  @Test
  func `a lane gives way to the writers that the policy names, and a slow one to each`() throws {
    var bench = try Bench.clean()
    bench.commit("player")
    _ = bench.calls()
    var job = try bench.job(.quick, seeing: sight(.none))
    #expect(job.yielding == .toAnyWriter && !job.learnsWriter && job.heldBytes == 0)
    bench.finish(job, [.overBudget])
    bench.scheduler.settings.snapshotBudget = nil
    _ = bench.calls()
    job = try bench.job(.slow, seeing: sight(.exclusive(process: Self.writer)))
    #expect(job.yielding == .never)
  }
}
