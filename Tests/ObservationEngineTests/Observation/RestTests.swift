import Testing

@testable import ObservationEngine

/// What the state machine does with a query that was cancelled for good, and between slow runs.
struct RestTests {
  /// Group 1 of one member that reads player, with the value a, on the slow lane and being fetched.
  private func slow() throws -> (Bench, Bench.Job) {
    var bench = try Bench.clean(reading: "player")
    bench.commit("player")
    _ = try bench.run([.overBudget])
    #expect(bench.machine.startLanes() == [.slow])
    let job = try bench.job(.slow)
    return (bench, job)
  }

  @Test
  func `what is given up keeps its value and is marked as stale`() throws {
    var (bench, job) = try slow()
    #expect(bench.finish(job, [.givenUp("too long")]) == ["1: stale [0]"])
    #expect(bench.reason == "too long")
  }

  @Test
  func `what is given up without ever having a value has the reason as its error, once`() throws {
    var bench = Bench()
    _ = bench.add(1)
    #expect(try bench.run([.overBudget]).posts == ["1: stale [0]"])
    for posts in [["1: [0: error too long]"], ["1: "]] {
      #expect(bench.machine.startLanes() == [.slow])
      let job = try bench.job(.slow)
      #expect(bench.finish(job, [.givenUp("too long")]) == posts)
      try bench.endRest()
      bench.machine.invalidateAll(now: 1)
    }
  }

  @Test
  func `what is tried again has no error before it ever had a value`() throws {
    var bench = Bench()
    _ = bench.add(1)
    _ = try bench.run([.overBudget])
    #expect(bench.machine.startLanes() == [.slow])
    let job = try bench.job(.slow)
    #expect(bench.finish(job, [.givenUp("others wait", isRepeated: true)]) == ["1: stale [0]"])
    #expect(bench.reason == "others wait")
    try bench.endRest()
    #expect(bench.machine.startLanes() == [.slow])
    #expect(bench.finish(try bench.job(.slow), ["a"]) == ["1: [0: a]"])
  }

  @Test
  func `it rests for four times as long as it ran, and a second at least`() throws {
    for (ran, rest) in [(1, 1_000), (249, 1_000), (2_000, 8_000)] {
      var (bench, job) = try slow()
      _ = bench.finish(job, [.givenUp("x")], duration: .milliseconds(ran))
      #expect(bench.machine.takeRests().map(\.duration) == [.milliseconds(rest)])
      #expect(bench.machine.takeRests().isEmpty, "told once")
    }
  }

  @Test
  func `a commit during the rest makes it run again, but after the rest`() throws {
    var (bench, job) = try slow()
    _ = bench.finish(job, [.givenUp("x")])
    bench.commit("player")
    #expect(try bench.run() == ([0], ["1: events 1 stale [0]"]))
    #expect(bench.machine.startLanes() == [])
    try bench.endRest()
    #expect(bench.machine.startLanes() == [.slow])
    #expect(bench.finish(try bench.job(.slow), ["b"]) == ["1: [0: b]"])
  }

  @Test
  func `a commit during the run counts like one during the rest`() throws {
    var (bench, job) = try slow()
    bench.commit("map")
    _ = bench.finish(job, [.givenUp("x")])
    try bench.endRest()
    #expect(bench.machine.startLanes().contains(.slow), "what it would have read is not known")
  }

  @Test
  func `without a commit it does not run again, and the next one finds it rested`() throws {
    var (bench, job) = try slow()
    _ = bench.finish(job, [.givenUp("x")])
    try bench.endRest()
    #expect(bench.machine.startLanes() == [])
    bench.commit("player")
    #expect(Set(bench.machine.startLanes()) == [.quick, .slow])
  }

  @Test
  func `what others waited for runs again without a commit`() throws {
    var (bench, job) = try slow()
    _ = bench.finish(job, [.givenUp("x", isRepeated: true)])
    #expect(bench.machine.startLanes() == [])
    try bench.endRest()
    #expect(bench.machine.startLanes() == [.slow])
  }

  @Test
  func `who asks for it need not wait for the rest, whose end then means nothing`() throws {
    var (bench, job) = try slow()
    _ = bench.finish(job, [.givenUp("x")])
    let first = try #require(bench.machine.takeRests().first)
    bench.machine.invalidateAll(group: 1, now: 1)
    #expect(bench.machine.startLanes() == [.slow])
    _ = bench.finish(try bench.job(.slow), [.givenUp("x", isRepeated: true)])
    bench.machine.restIsOver(first)
    #expect(bench.machine.startLanes() == [], "that was the end of another rest")
    try bench.endRest()
    #expect(bench.machine.startLanes() == [.slow])
  }

  @Test
  func `the end of a rest whose group is gone means nothing`() throws {
    var (bench, job) = try slow()
    _ = bench.finish(job, [.givenUp("x", isRepeated: true)])
    bench.machine.removeGroup(1)
    try bench.endRest()
    #expect(bench.machine.startLanes() == [])
  }

  @Test
  func `between two slow runs there is a rest of at most half a second`() throws {
    for (ran, rest) in [(50, 200), (100, 400), (3_000, 500)] {
      var (bench, job) = try slow()
      bench.commit("player")
      #expect(
        bench.finish(job, ["b"], duration: .milliseconds(ran)) == ["1: [0: b] stale [0]"],
        "it does not know of the commit that came meanwhile")
      #expect(bench.machine.startLanes() == [.quick], "for the event")
      #expect(bench.machine.takeRests().map(\.duration) == [.milliseconds(rest)])
    }
    var (bench, job) = try slow()
    _ = bench.finish(job, ["b"], duration: .milliseconds(49))
    #expect(bench.machine.takeRests().isEmpty, "it is quick again")
  }

  @Test
  func `slow ones take turns, though the first is always dirty`() throws {
    var bench = Bench()
    _ = bench.add(2)
    _ = try bench.run([.overBudget, .overBudget])
    var order: [Int] = []
    for _ in 1...4 {
      _ = bench.machine.startLanes()
      let job = try bench.job(.slow)
      order.append(job.members[0].id)
      bench.note(Changeset(allReason: "all"))
      _ = bench.finish(job, [.value("\(order.count)")], duration: .seconds(1))
      try bench.endRest()
    }
    #expect(order == [order[0], order[1], order[0], order[1]])
    #expect(order[0] != order[1])
  }

  @Test
  func `what was postponed comes first the next time`() throws {
    var bench = Bench()
    _ = bench.add(3)
    #expect(try bench.run(["a", "b", .postponed]).posts == [])
    bench.note(Changeset(allReason: "all"))
    _ = bench.machine.startLanes()
    let job = try bench.job(.quick)
    #expect(job.members.count == 3)
    #expect(job.members[0].id > job.members[1].id && job.members[1].id < job.members[2].id)
  }
}
