import Testing

@testable import ObservationEngine

/// What is fetched after which events, and what consumers are given.
struct SchedulerTests {
  private typealias Bench = SchedulerBench
  private typealias Given = SchedulerBench.Given

  @Test
  func `a new observation is fetched, and given when it has a value`() throws {
    var bench = Bench()
    _ = bench.add(1)
    #expect(bench.calls() == [.quick])
    #expect(bench.calls() == [], "a lane runs once at a time")
    let job = try bench.job(.quick)
    #expect(job.members.count == 1)
    #expect(bench.calls() == [], "what is being fetched is not fetched again")
    bench.finish(job, ["a"])
    #expect(bench.given() == [Given([0: "a"])])
    #expect(bench.next() == .idle)
  }

  @Test
  func `a commit that touches the region has an observation fetched`() throws {
    var bench = try Bench.clean()
    bench.commit("map")
    #expect(bench.calls() == [], "it is given without a fetch")
    #expect(bench.given() == [Given(events: 1)])
    bench.commit("player")
    #expect(bench.calls() == [.quick])
    let job = try bench.job(.quick)
    #expect(job.members.count == 1)
    bench.finish(job, ["b"])
    #expect(bench.given() == [Given([0: "b"], events: 1)])
  }

  @Test
  func `an equal result is no news, but the commit is`() throws {
    var bench = try Bench.clean()
    bench.commit("player")
    #expect(try bench.refresh(["a"]) == [Given(events: 1)])
    bench.scheduler.request(nil, now: bench.now)
    #expect(bench.calls() == [.quick])
    bench.finish(try bench.job(.quick), ["a"])
    #expect(bench.given() == [])
  }

  @Test
  func `a group without events is given values alone`() throws {
    var bench = Bench()
    _ = bench.add(1, wantsEvents: false)
    #expect(try bench.refresh(["a"]) == [Given([0: "a"])])
    bench.commit("map")
    #expect(bench.next() == .idle)
    bench.commit("player")
    #expect(try bench.refresh(["a"]) == [])
    bench.commit("player")
    #expect(try bench.refresh(["b"]) == [Given([0: "b"])])
  }

  @Test
  func `a commit during the fetch has it fetched again`() throws {
    var bench = try Bench.clean()
    bench.commit("player")
    _ = bench.calls()
    let job = try bench.job(.quick)
    bench.commit("player")
    bench.commit("map")
    bench.finish(job, ["b"])
    #expect(bench.calls() == [.quick])
    bench.finish(try bench.job(.quick), ["c"])
    #expect(bench.next() == .idle)
  }

  @Test
  func `a commit during the fetch to what only the new fetch reads is not missed`() throws {
    var bench = try Bench.clean()
    bench.commit("player")
    _ = bench.calls()
    let job = try bench.job(.quick)
    bench.commit("map")
    bench.finish(job, ["b"], reading: "map")
    #expect(bench.calls() == [.quick])
    bench.finish(try bench.job(.quick), ["c"], reading: "map")
    // What was committed before does not count for ever.
    bench.commit("map")
    _ = bench.calls()
    bench.finish(try bench.job(.quick), ["d"], reading: "map")
    #expect(bench.next() == .idle)
  }

  @Test
  func `a commit during the first fetch has it fetched again, whatever it touches`() throws {
    var bench = Bench()
    _ = bench.add(1)
    _ = bench.calls()
    let job = try bench.job(.quick)
    bench.commit("map")
    bench.finish(job, ["a"])
    #expect(bench.calls() == [.quick])
  }

  @Test
  func `changes of everything concern all, and empty ones none`() throws {
    var bench = try Bench.clean()
    bench.note(Changeset())
    #expect(bench.calls() == [])
    bench.note(Changeset(everything: "VACUUM"))
    #expect(bench.calls() == [.quick])
    bench.finish(try bench.job(.quick), ["b"])
    bench.scheduler.note(.rollback(Timestamp(microseconds: 0)), Changeset(), now: bench.now)
    #expect(bench.calls() == [])
    #expect(
      bench.given() == [Given(events: 1), Given([0: "b"], events: 1), Given(events: 1)])
  }

  @Test
  func `an error is given once, and the next value after it`() throws {
    var bench = try Bench.clean()
    for (output, given) in [
      (.failure("x"), [0: "error: x"]), (.failure("x"), [:]), (.failure("y"), [0: "error: y"]),
      ("a", [0: "a"]),
    ] as [(Bench.Output, [Int: String])] {
      bench.commit("player")
      #expect(try bench.refresh([output]) == [Given(given, events: 1)])
    }
  }

  @Test
  func `a group is given something when all of its members have a result, others before`() throws {
    var bench = Bench()
    let two = bench.add(2)
    let one = bench.add(1)
    _ = bench.calls()
    let job = try bench.job(.quick)
    #expect(job.members.count == 3)
    bench.finish(job, ["a", .overBudget, "c"])
    #expect(
      bench.given() == [
        Given([0: "a"], stale: [1: Bench.slowness], to: two), Given([0: "c"], to: one),
      ])
  }

  @Test
  func `what exceeds its budget goes to the slow lane, and returns when it is quick`() throws {
    var bench = try Bench.clean()
    bench.commit("player")
    #expect(
      try bench.refresh([.overBudget]) == [Given(events: 1, stale: [0: Bench.slowness])])
    #expect(bench.calls() == [.slow])
    var job = try bench.job(.slow)
    #expect(job.members.count == 1)
    bench.finish(job, ["b"], took: 1_000)
    #expect(bench.given() == [Given([0: "b"])])
    bench.advance(500)
    // It stays there while it is slow, and the quick lane has only events to give.
    bench.commit("player")
    #expect(bench.calls() == [.slow])
    #expect(
      bench.given() == [Given(events: 1, stale: [0: Bench.slowness])], "it is older than the event")
    job = try bench.job(.slow)
    bench.finish(job, ["c"])
    #expect(bench.given() == [Given([0: "c"])])
    bench.commit("player")
    #expect(bench.calls() == [.quick])
    #expect(try bench.job(.quick).members.count == 1)
  }

  @Test
  func `what moves to the other lane is fetched there only after its result was posted`() throws {
    var bench = try Bench.slow()
    #expect(bench.calls() == [.slow])
    let slow = try bench.job(.slow)
    bench.commit("player")
    _ = bench.calls()
    // Quick this time: it returns to the quick lane, due, and its result is still to be posted.
    let posts = bench.scheduler.finish(
      slow, bench.reading(slow, ["b"]), now: bench.now, time: Timestamp(microseconds: 0))
    #expect(posts.all.count == 1)
    for _ in 1...2 {
      bench.commit("player")
      #expect(bench.calls() == [], "the commit itself is given")
    }
    bench.scheduler.didPost(slow, now: bench.now)
    #expect(bench.calls() == [.quick])
  }

  @Test
  func `an older staleness does not replace a newer one, whatever lane posts first`() throws {
    var bench = Bench()
    _ = bench.add(2)
    _ = try bench.refresh([.overBudget, "b"])
    bench.commit("player")
    _ = bench.calls()
    _ = bench.given()
    let (quick, slow) = (try bench.job(.quick), try bench.job(.slow))
    let older = bench.scheduler.fail(
      slow, DatabaseError(code: .busy, message: "locked"), isFileMissing: false, now: bench.now,
      time: Timestamp(microseconds: 0))
    let newer = bench.scheduler.fail(
      quick, DatabaseError(code: .busy, message: "gone"), isFileMissing: false, now: bench.now,
      time: Timestamp(microseconds: 0))
    bench.post(newer)
    bench.post(older)
    let stale = [0: "locked", 1: "gone"]
    #expect(bench.given() == [Given(stale: stale), Given(events: 1, stale: stale)])
  }

  @Test
  func `what is older than a result of the slow lane is stale until it is fetched`() throws {
    var bench = Bench()
    _ = bench.add(2)
    _ = try bench.refresh([.overBudget, "b"])
    bench.advance(1)
    #expect(bench.calls() == [.slow])
    bench.finish(try bench.job(.slow), ["a"], took: 1_000)
    #expect(bench.given() == [Given([0: "a"])], "nothing was committed")
    bench.advance(5_000)
    bench.commit("player")
    _ = bench.calls()
    _ = bench.given()
    bench.finish(try bench.job(.slow), ["c"])
    #expect(bench.given() == [Given([0: "c"], stale: [1: Bench.slowness])])
    bench.finish(try bench.job(.quick), ["d"])
    #expect(bench.given() == [Given([1: "d"], events: 1)])
  }

  @Test
  func `the slow lane takes one at a time`() throws {
    var bench = Bench()
    _ = bench.add(3)
    _ = try bench.refresh([.overBudget, .overBudget, "c"])
    for name in ["a", "b"] {
      #expect(bench.calls() == [.slow])
      let job = try bench.job(.slow)
      #expect(job.members.count == 1)
      bench.finish(job, [.value(name)])
      #expect(bench.given().count == 1)
    }
    #expect(bench.next() == .idle)
  }

  @Test
  func `a job that cannot be done leaves its members stale, and is tried again`() throws {
    var bench = try Bench.clean()
    bench.commit("player")
    _ = bench.calls()
    bench.fail(try bench.job(.quick), "locked")
    #expect(bench.given() == [Given(events: 1, stale: [0: "locked"])])
    #expect(bench.next() == .wait(100))
    bench.advance(100)
    #expect(bench.next() == .call(.quick))
    bench.fail(try bench.job(.quick), "locked")
    #expect(bench.given() == [], "given once")
    bench.advance(100)
    #expect(try bench.refresh(["a"]) == [Given()], "equal, but no longer stale")
    #expect(bench.next() == .idle)
    // A member that never had a value is reported as stale as well.
    let other = bench.add(1)
    _ = bench.calls()
    bench.fail(try bench.job(.quick), "locked")
    #expect(bench.given() == [Given(stale: [0: "locked"], to: other)])
    bench.advance(100)
    #expect(try bench.refresh(["x"]) == [Given([0: "x"], to: other)])
  }

  @Test
  func `an event may have healed a failure: it is tried again immediately`() throws {
    var bench = try Bench.clean()
    bench.commit("player")
    _ = bench.calls()
    bench.fail(try bench.job(.quick), "locked")
    bench.commit("map")
    #expect(bench.calls() == [.quick])
    // Also one that comes while the failure is posted.
    let job = try bench.job(.quick)
    _ = bench.scheduler.fail(
      job, DatabaseError(code: .busy, message: "locked"), isFileMissing: true, now: bench.now,
      time: Timestamp(microseconds: 0))
    bench.commit("map")
    bench.scheduler.didPost(job, now: bench.now)
    #expect(bench.calls() == [.quick])
  }

  @Test
  func `while the file is missing only an event has it tried again`() throws {
    var bench = try Bench.clean()
    bench.scheduler.note(.fileMissing(Timestamp(microseconds: 0)), Changeset(), now: bench.now)
    #expect(bench.calls() == [.quick])
    bench.fail(try bench.job(.quick), "gone", isFileMissing: true)
    #expect(bench.given() == [Given(events: 1, stale: [0: "gone"])])
    #expect(bench.next() == .idle)
    bench.note(Changeset(everything: "there is a file again"))
    #expect(bench.calls() == [.quick])
  }

  @Test
  func `of a job that ended early nothing is given, and what took longest runs by itself`() throws {
    var bench = Bench()
    _ = bench.add(3)
    _ = bench.calls()
    let job = try bench.job(.quick)
    var reading = bench.reading(job, ["a", "b"], yieldReason: .log)
    reading.outcomes[1].duration = .milliseconds(9)
    bench.post(
      bench.scheduler.finish(job, reading, now: bench.now, time: Timestamp(microseconds: 0)))
    bench.scheduler.didPost(job, now: bench.now)
    #expect(bench.given() == [])
    #expect(bench.calls() == [.quick, .slow])
    #expect(try bench.job(.slow).members.map(\.id) == [job.members[1].id])
    #expect(try bench.job(.quick).members.map(\.id) == [job.members[0].id, job.members[2].id])
  }

  @Test
  func `of a job that gave way to a writer nothing leaves the shared snapshot`() throws {
    for yieldReason in [SnapshotWatch.YieldReason.writer, nil] {
      var bench = Bench()
      _ = bench.add(2)
      _ = bench.calls()
      let job = try bench.job(.quick)
      // Without a yieldReason: no member was read from a file that has been replaced.
      bench.finish(job, yieldReason == nil ? [] : ["a"], yieldReason: yieldReason)
      #expect(bench.given() == [])
      #expect(bench.calls() == [.quick])
      #expect(try bench.job(.quick).members.count == 2)
    }
  }

  @Test
  func `what was postponed comes first the next time`() throws {
    var bench = Bench()
    _ = bench.add(1)
    _ = try bench.refresh(["a"])
    bench.commit("player")
    _ = bench.add(1)
    _ = bench.calls()
    let job = try bench.job(.quick)
    #expect(job.members.map(\.id) == [4, 2], "the one that was never fetched")
    bench.finish(job, ["c", .cut(.yieldReason(.writer))], yieldReason: .writer)
    _ = bench.calls()
    #expect(try bench.job(.quick).members.map(\.id) == [2, 4])
  }

  @Test(arguments: ["due", "fetching", "clean", "slow", "failed"])
  func `a removed group is forgotten in every state`(_ state: String) throws {
    var bench = Bench()
    let group = bench.add(1)
    let other = bench.add(1)
    var job: Bench.Job?
    if state != "due" {
      _ = bench.calls()
      job = try bench.job(.quick)
    }
    if state == "clean" || state == "slow" {
      bench.finish(try #require(job), [state == "slow" ? .overBudget : "a", "o"])
      job = nil
    }
    if state == "slow" {
      _ = bench.calls()
      job = try bench.job(.slow)
    }
    _ = bench.given()
    bench.scheduler.removeGroup(group)
    if let job {
      if state == "failed" {
        bench.fail(job, "locked")
      } else {
        bench.finish(job, state == "slow" ? ["a"] : ["a", "o"])
      }
      #expect(bench.given().allSatisfy { $0.group == other })
    }
    bench.note(Changeset(everything: "all"))
    if state != "due" { #expect(bench.calls() == [.quick]) } else { _ = bench.calls() }
    #expect(try bench.job(.quick).members.count == 1)
    bench.scheduler.removeGroup(other)
    bench.scheduler.removeGroup(other)
    #expect(bench.scheduler.description == "quick: running; slow: idle")
  }

  @Test
  func `a requested group, or a member of it, alone is fetched`() throws {
    var bench = Bench()
    let first = bench.add(3)
    _ = bench.add(1)
    _ = try bench.refresh(["a", "b", "c", "d"])
    bench.scheduler.request(first, now: bench.now)
    #expect(bench.calls() == [.quick])
    let job = try bench.job(.quick)
    #expect(job.members.count == 3)
    bench.finish(job, ["a", "x", "c"])
    #expect(bench.given() == [Given([1: "x"], to: first)])
    bench.scheduler.request(first, 2, now: bench.now)
    #expect(bench.calls() == [.quick])
    bench.finish(try bench.job(.quick), ["y"])
    #expect(bench.given() == [Given([2: "y"], to: first)])
    bench.scheduler.removeGroup(first)
    bench.scheduler.request(first, 2, now: bench.now)
    #expect(bench.next() == .idle, "a removed group has no members")
  }

  @Test
  func `ten requests while it is fetched make one more fetch`() throws {
    var bench = try Bench.clean()
    bench.scheduler.request(1, 0, now: bench.now)
    _ = bench.calls()
    let job = try bench.job(.quick)
    for _ in 1...10 { bench.scheduler.request(1, 0, now: bench.now) }
    #expect(bench.calls() == [])
    bench.finish(job, ["b"])
    #expect(bench.calls() == [.quick])
    bench.finish(try bench.job(.quick), ["c"])
    #expect(bench.given() == [Given([0: "b"]), Given([0: "c"])])
    #expect(bench.next() == .idle)
  }

  @Test
  func `the first value is not given where that is asked for, but the first error is`() throws {
    for output in ["a", .failure("x")] as [Bench.Output] {
      var bench = Bench()
      _ = bench.add(1, wantsEvents: false, skipsInitial: true)
      let isError = if case .failure = output { true } else { false }
      #expect(try bench.refresh([output]) == (isError ? [Given([0: "error: x"])] : []))
      bench.commit("player")
      #expect(try bench.refresh(["a"]) == (isError ? [Given([0: "a"])] : []), "it is the same")
      bench.commit("player")
      #expect(try bench.refresh(["b"]) == [Given([0: "b"])])
    }
  }

  @Test
  func `what was fetched before is fetched again only if something was committed since`() throws {
    for hasCommitted in [false, true] {
      var bench = Bench()
      if hasCommitted { bench.note(Changeset(everything: "all")) }
      var region = Region()
      region.insert(rowsOf: TableID(name: "player"))
      let first = FirstFetch(
        members: [
          .init(
            result: .success(ObservedFetch.Box(value: "a")), region: region, duration: .zero)
        ], ordinal: 0)
      _ = bench.add(1, wantsEvents: false, first: first)
      #expect(bench.calls() == (hasCommitted ? [.quick] : []))
      guard !hasCommitted else { continue }
      bench.commit("map")
      #expect(bench.calls() == [])
      bench.commit("player")
      #expect(try bench.refresh(["a"]) == [], "the consumer knows it")
    }
  }

  @Test
  func `the memory of the other results is part of each job`() throws {
    var bench = Bench()
    _ = bench.add(2)
    _ = bench.calls()
    let job = try bench.job(.quick)
    var reading = bench.reading(job, ["a", "b"])
    reading.outcomes[0].heldBytes = 100
    reading.outcomes[1].heldBytes = 10
    _ = bench.scheduler.finish(job, reading, now: bench.now, time: Timestamp(microseconds: 0))
    bench.scheduler.didPost(job, now: bench.now)
    bench.scheduler.request(1, 1, now: bench.now)
    _ = bench.calls()
    let next = try bench.job(.quick)
    #expect(next.heldBytes == 100)
    bench.finish(next, ["c"])
    bench.scheduler.removeGroup(1)
    _ = bench.add(1)
    _ = bench.calls()
    #expect(try bench.job(.quick).heldBytes == 0)
  }
}
