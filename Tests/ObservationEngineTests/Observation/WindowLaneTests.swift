import Testing

@testable import ObservationEngine

/// What the state machine does with a window of a long result that is moved.
struct WindowLaneTests {
  /// Group 1 of one member that reads player, with the value a.
  private func clean(_ effort: WindowedQuery.Effort) throws -> Bench {
    var bench = Bench()
    bench.fetch.effort = { effort }
    _ = bench.add(1)
    _ = try bench.run(["a"])
    return bench
  }

  @Test
  func `a moved window alone of its group is fetched`() throws {
    var bench = Bench()
    let group = bench.add(3)
    _ = try bench.run(["a", "b", "c"])
    bench.machine.invalidate(1, of: group)
    #expect(try bench.run(["x"]) == ([1], ["\(group): [1: x]"]))
    bench.machine.removeGroup(group)
    bench.machine.invalidate(1, of: group)
    #expect(bench.machine.startLanes() == [], "who is gone has no window")
  }

  @Test
  func `ten moves while one is read make one more fetch`() throws {
    var bench = try clean(.window)
    bench.machine.invalidate(0, of: 1)
    _ = bench.machine.startLanes()
    let job = try bench.job(.quick)
    for _ in 1...10 { bench.machine.invalidate(0, of: 1) }
    #expect(bench.machine.startLanes() == [])
    _ = bench.finish(job, ["b"])
    #expect(try bench.run(["c"]) == ([1], ["1: [0: c]"]))
    #expect(bench.machine.startLanes() == [])
  }

  @Test
  func `a move does not wait for a rest, whose end then means nothing`() throws {
    var bench = try clean(.count)
    bench.commit("player")
    _ = try bench.run([.overBudget])
    #expect(bench.machine.startLanes() == [.slow])
    _ = bench.finish(try bench.job(.slow), ["b"], duration: .seconds(1))
    let rest = try #require(bench.machine.takeRests().first)
    bench.commit("map")
    _ = try bench.run()
    #expect(bench.machine.startLanes() == [])
    bench.machine.invalidate(0, of: 1)
    #expect(bench.machine.startLanes() == [.slow])
    let job = try bench.job(.slow)
    bench.machine.restIsOver(rest)
    #expect(bench.machine.startLanes() == [])
    #expect(bench.finish(job, ["c"]) == ["1: [0: c]"], "it is not stale: nothing was committed")
  }

  @Test
  func `a commit takes a window back to the slow lane that was quick only because it was moved`()
    throws
  {
    var bench = try clean(.window)
    bench.commit("player")
    _ = try bench.run([.overBudget])
    _ = bench.machine.startLanes()
    _ = bench.finish(try bench.job(.slow), ["b"], duration: .milliseconds(1))
    bench.machine.invalidate(0, of: 1)
    #expect(bench.machine.startLanes() == [.quick])
    #expect(bench.finish(try bench.job(.quick), ["c"]) == ["1: [0: c]"])
    bench.commit("player")
    #expect(Set(bench.machine.startLanes()) == [.quick, .slow])
    #expect(try bench.job(.quick).members.isEmpty, "others need not wait for it")
    #expect(try bench.job(.slow).members.count == 1)
  }

  @Test
  func `one that counted its rows and was quick stays in the quick lane`() throws {
    var bench = try clean(.count)
    bench.commit("player")
    _ = try bench.run([.overBudget])
    _ = bench.machine.startLanes()
    _ = bench.finish(try bench.job(.slow), ["b"], duration: .milliseconds(1))
    bench.commit("player")
    #expect(bench.machine.startLanes() == [.quick])
    #expect(try bench.job(.quick).members.count == 1)
  }

  @Test(arguments: [.whole, .count, .window] as [WindowedQuery.Effort])
  func `a window of a long result is not read on the writer`(_ effort: WindowedQuery.Effort) throws
  {
    var bench = try clean(effort)
    bench.commit("player")
    #expect(bench.machine.canRunQuickly(within: .seconds(1)) == (effort == .whole))
  }
}
