import Testing

@testable import ObservationEngine

/// Every state of an observation with every event.
struct StateMachineTests {
  typealias Machine = ObservationStateMachine

  @Test
  func `a new observation is fetched, and delivered when it has a value`() throws {
    var bench = Bench()
    let group = bench.add(1)
    #expect(bench.machine.startLanes() == [.quick])
    #expect(bench.machine.startLanes() == [], "a lane runs once at a time")
    let job = try bench.job(.quick)
    #expect(job.members.count == 1)
    #expect(throws: NoJob.self, "what is being fetched is not fetched again") {
      try bench.job(.quick)
    }
    let posts = bench.finish(job, ["a"])
    #expect(posts == ["\(group): [0: a]"])
    #expect(bench.machine.startLanes() == [])
  }

  @Test
  func `a commit that touches the region makes a clean observation dirty`() throws {
    var bench = try Bench.clean(reading: "player")
    bench.commit("map")
    #expect(try bench.run() == ([0], ["1: events 1"]), "told, and not fetched")
    bench.commit("player")
    #expect(bench.machine.startLanes() == [.quick])
    let job = try bench.job(.quick)
    #expect(job.members.count == 1)
    #expect(bench.finish(job, ["b"]) == ["1: [0: b] events 1"])
  }

  @Test
  func `an equal result is no news, but the commit is`() throws {
    var bench = try Bench.clean(reading: "player")
    bench.commit("player")
    #expect(try bench.run(["a"]) == ([1], ["1: events 1"]))
    bench.machine.invalidateAll(now: 1)
    #expect(try bench.run(["a"]) == ([1], []))
  }

  @Test
  func `a commit during the fetch makes it dirty again`() throws {
    var bench = try Bench.clean(reading: "player")
    bench.commit("player")
    _ = bench.machine.startLanes()
    let job = try bench.job(.quick)
    bench.commit("player")
    bench.commit("map")
    _ = bench.finish(job, ["b"])
    #expect(try bench.run(["c"]).fetched == [1])
    #expect(try bench.run().fetched == [])
  }

  @Test
  func `a commit during the fetch to what only the new fetch reads is not missed`() throws {
    var bench = try Bench.clean(reading: "player")
    bench.commit("player")
    _ = bench.machine.startLanes()
    let job = try bench.job(.quick)
    bench.commit("map")
    _ = bench.finish(job, ["b"], reading: "map")
    #expect(try bench.run(["c"], reading: "map").fetched == [1])
    // What was committed before does not count for ever.
    bench.commit("map")
    _ = bench.machine.startLanes()
    let second = try bench.job(.quick)
    _ = bench.finish(second, ["d"], reading: "map")
    #expect(try bench.run().fetched == [])
  }

  @Test
  func `a commit during the first fetch makes it dirty again, whatever it touches`() throws {
    var bench = Bench()
    _ = bench.add(1)
    _ = bench.machine.startLanes()
    let job = try bench.job(.quick)
    bench.commit("map")
    _ = bench.finish(job, ["a"], reading: "player")
    #expect(try bench.run(["a"]).fetched == [1])
  }

  @Test
  func `changes of everything concern all, and empty ones nobody`() throws {
    var bench = try Bench.clean(reading: "player")
    bench.note(Changeset())
    #expect(try bench.run().fetched == [0])
    bench.note(Changeset(allReason: "VACUUM"))
    #expect(try bench.run(["b"]).fetched == [1])
    bench.machine.note(.rollback(Timestamp(microseconds: 0)), Changeset(), now: 0)
    #expect(try bench.run() == ([0], ["1: events 1"]))
  }

  @Test
  func `an error is delivered once, and the next value after it`() throws {
    var bench = try Bench.clean(reading: "player")
    for (results, posts) in [
      ([.failure("x")], ["1: [0: error x] events 1"]), ([.failure("x")], ["1: events 1"]),
      ([.failure("y")], ["1: [0: error y] events 1"]), (["a"], ["1: [0: a] events 1"]),
    ] as [([Bench.Output], [String])] {
      bench.commit("player")
      #expect(try bench.run(results) == ([1], posts))
    }
  }

  @Test
  func `a group is delivered when all of its members have a result, others before`() throws {
    var bench = Bench()
    let two = bench.add(2)
    let one = bench.add(1)
    _ = bench.machine.startLanes()
    let job = try bench.job(.quick)
    #expect(job.members.count == 3)
    #expect(
      bench.finish(job, ["a", .overBudget, "c"]).sorted()
        == [
          "\(two): [0: a] stale [1]", "\(one): [0: c]",
        ].sorted())
  }

  @Test
  func `what exceeds its budget goes to the slow lane, and returns when it is quick`() throws {
    var bench = try Bench.clean(reading: "player")
    bench.commit("player")
    #expect(try bench.run([.overBudget]).posts == ["1: events 1 stale [0]"])
    // The commit of another table does not make it run twice; the slow lane runs it alone.
    #expect(bench.machine.startLanes() == [.slow])
    var job = try bench.job(.slow)
    #expect(job.lane == .slow && job.members.count == 1)
    #expect(bench.finish(job, ["b"], duration: .seconds(1)) == ["1: [0: b]"])
    try bench.endRest()
    // It stays there while it is slow, and the quick lane has only events to tell.
    bench.commit("player")
    #expect(Set(bench.machine.startLanes()) == [.quick, .slow])
    let quick = try bench.job(.quick)
    #expect(quick.members.isEmpty)
    #expect(bench.finish(quick, []) == ["1: events 1 stale [0]"], "it is older than the event")
    job = try bench.job(.slow)
    #expect(bench.finish(job, ["c"], duration: .milliseconds(1)) == ["1: [0: c]"])
    bench.commit("player")
    #expect(bench.machine.startLanes() == [.quick])
    #expect(try bench.job(.quick).members.count == 1)
  }

  @Test
  func `what moves to the other lane is fetched there only after its result was posted`() throws {
    var bench = try Bench.clean(reading: "player")
    bench.commit("player")
    _ = try bench.run([.overBudget])
    #expect(bench.machine.startLanes() == [.slow])
    let slow = try bench.job(.slow)
    bench.commit("player")
    // Quick this time: it returns to the quick lane, dirty, and its result is still to be posted.
    let posts = bench.machine.finish(
      slow,
      [
        ObservationStateMachine.Outcome(
          id: slow.members[0].id, result: .success(ObservedFetch.Box(value: "b")),
          region: Region(), duration: .milliseconds(1))
      ], duration: .milliseconds(1), time: Timestamp(microseconds: 0))
    #expect(posts.count == 1)
    for _ in 1...2 {
      // The commit itself may be told.
      _ = bench.machine.startLanes()
      #expect(try bench.job(.quick).members.isEmpty)
      bench.machine.pause(.quick)
      bench.commit("player")
    }
    bench.machine.pause(.slow)
    #expect(try bench.run(["c"]).fetched == [1])
  }

  @Test
  func `the slow lane takes one at a time`() throws {
    var bench = Bench()
    _ = bench.add(3)
    _ = try bench.run([.overBudget, .overBudget, "c"])
    for name in ["a", "b"] {
      #expect(bench.machine.startLanes() == [.slow])
      let job = try bench.job(.slow)
      #expect(job.members.count == 1)
      #expect(bench.finish(job, [.value(name)]).count == 1)
    }
    #expect(bench.machine.startLanes() == [])
  }

  @Test
  func `a job that cannot be done leaves its members stale and dirty`() throws {
    var bench = try Bench.clean(reading: "player")
    bench.commit("player")
    #expect(try bench.fail("locked") == ["1: events 1 stale [0]"])
    #expect(try bench.fail("locked") == [], "told once")
    #expect(try bench.run(["a"]).posts == ["1: "], "equal, but no longer stale")
    #expect(bench.machine.startLanes() == [])
    // A member that never had a value is told as stale as well.
    _ = bench.add(1)
    #expect(try bench.fail("locked") == ["3: stale [0]"])
    #expect(try bench.run(["x"]).posts == ["3: [0: x]"])
  }

  @Test(arguments: ["dirty", "fetching", "clean", "slow", "failed"])
  func `a removed group is forgotten in every state`(_ state: String) throws {
    var bench = Bench()
    let group = bench.add(1)
    let other = bench.add(1)
    var job: Machine.Job?
    if state != "dirty" {
      _ = bench.machine.startLanes()
      job = try bench.job(.quick)
    }
    if state == "clean" || state == "slow" {
      _ = bench.finish(try #require(job), [state == "slow" ? .overBudget : "a", "o"])
      job = nil
    }
    if state == "slow" {
      _ = bench.machine.startLanes()
      job = try bench.job(.slow)
    }
    bench.machine.removeGroup(group)
    if let job {
      let posts =
        state == "failed"
        ? bench.fail(job, "locked") : bench.finish(job, state == "slow" ? ["a"] : ["a", "o"])
      #expect(posts.allSatisfy { $0.hasPrefix("\(other):") }, "\(posts)")
    }
    bench.note(Changeset(allReason: "all"))
    #expect(bench.machine.startLanes() == [.quick])
    #expect(try bench.job(.quick).members.count == 1)
    #expect(!bench.machine.groups.isEmpty)
    bench.machine.removeGroup(other)
    bench.machine.removeGroup(other)
    #expect(bench.machine.groups.isEmpty)
    #expect(throws: NoJob.self) { try bench.job(.quick) }
  }

  @Test
  func `an invalidated group alone is fetched`() throws {
    var bench = Bench()
    let first = bench.add(2)
    _ = bench.add(1)
    _ = try bench.run(["a", "b", "c"])
    bench.machine.invalidateAll(group: first, now: 5)
    #expect(try bench.run(["a", "x"]) == ([2], ["\(first): [1: x]"]))
  }
}
