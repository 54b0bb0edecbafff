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
    #expect(bench.finish(job, ["b"]) == [], "nobody wants to see it any more")
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

  /// Group 1 of one member, which is quick as long as nothing is committed.
  private func quickUntilCommit() throws -> Bench {
    var bench = try clean(.window)
    bench.commit("player")
    _ = try bench.run([.overBudget])
    _ = bench.machine.startLanes()
    _ = bench.finish(try bench.job(.slow), ["b"], duration: .milliseconds(1))
    return bench
  }

  @Test
  func `a commit that meets a moved window takes it to the slow lane`() throws {
    var bench = try quickUntilCommit()
    bench.machine.invalidate(0, of: 1)
    bench.commit("player")
    #expect(Set(bench.machine.startLanes()) == [.quick, .slow])
    let news = try bench.job(.quick)
    #expect(news.members.isEmpty)
    #expect(bench.finish(news, []) == ["1: events 1 stale [0]"])
    #expect(bench.finish(try bench.job(.slow), ["c"]) == ["1: [0: c]"])
  }

  @Test
  func `so does a commit to a table that the window does not show`() throws {
    var bench = try quickUntilCommit()
    bench.commit("map")
    #expect(try bench.run() == ([0], ["1: events 1"]), "nothing has changed for it")
    bench.machine.invalidate(0, of: 1)
    #expect(bench.machine.startLanes() == [.slow])
  }

  @Test(arguments: ["player", "map"])
  func `a commit while a moved window is read takes it to the slow lane`(_ table: String) throws {
    for output in ["c", .postponed] as [Bench.Output] {
      var bench = try quickUntilCommit()
      bench.machine.invalidate(0, of: 1)
      _ = bench.machine.startLanes()
      let job = try bench.job(.quick)
      bench.commit(table)
      _ = bench.finish(job, [output])
      bench.machine.invalidate(0, of: 1)
      #expect(Set(bench.machine.startLanes()) == [.quick, .slow])
      #expect(try bench.job(.quick).members.isEmpty)
      #expect(try bench.job(.slow).members.count == 1)
    }
  }

  @Test(arguments: ["player", "map"])
  func `a window that met a commit on the slow lane stays there`(_ table: String) throws {
    var bench = try clean(.window)
    bench.commit("player")
    _ = try bench.run([.overBudget])
    _ = bench.machine.startLanes()
    let job = try bench.job(.slow)
    bench.commit(table)
    _ = bench.finish(job, ["b"], duration: .milliseconds(1))
    bench.machine.invalidate(0, of: 1)
    #expect(Set(bench.machine.startLanes()) == [.quick, .slow])
    #expect(try bench.job(.quick).members.isEmpty)
  }

  @Test
  func `a read on the slow lane ends when its window moves, and begins anew at once`() throws {
    var bench = try quickUntilCommit()
    bench.commit("player")
    _ = try bench.run()
    _ = bench.machine.startLanes()
    for _ in 1...3 {
      let job = try bench.job(.slow)
      let id = try #require(job.members.first?.id)
      #expect(!bench.machine.mustEndFetch(of: id))
      bench.machine.invalidate(0, of: 1)
      #expect(bench.machine.mustEndFetch(of: id))
      #expect(bench.finish(job, [.outdated], duration: .seconds(9)) == [])
      #expect(bench.machine.takeRests() == [])
      #expect(bench.machine.startLanes() == [.slow])
    }
    let job = try bench.job(.slow)
    #expect(bench.finish(job, ["c"]) == ["1: [0: c]"])
    #expect(bench.machine.startLanes() == [])
  }

  @Test
  func `a commit does not end a read`() throws {
    var bench = try quickUntilCommit()
    bench.commit("player")
    _ = try bench.run()
    _ = bench.machine.startLanes()
    let job = try bench.job(.slow)
    bench.commit("player")
    #expect(!bench.machine.mustEndFetch(of: try #require(job.members.first?.id)))
    #expect(bench.finish(job, ["c"], duration: .seconds(1)) == ["1: [0: c] stale [0]"])
  }

  @Test
  func `one that is fetched anew by the same job is told`() throws {
    var bench = try clean(.window)
    bench.machine.invalidate(0, of: 1)
    _ = bench.machine.startLanes()
    let job = try bench.job(.quick)
    let id = try #require(job.members.first?.id)
    let isNeeded = bench.machine.beginAgain(id)
    #expect(!isNeeded, "nothing has moved")
    bench.machine.invalidate(0, of: 1)
    let isNeededNow = bench.machine.beginAgain(id)
    #expect(isNeededNow && !bench.machine.mustEndFetch(of: id))
    #expect(bench.finish(job, ["b"]) == ["1: [0: b]"])
    #expect(bench.machine.startLanes() == [])
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
