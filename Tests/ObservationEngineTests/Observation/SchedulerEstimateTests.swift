import Synchronization
import Testing

@testable import ObservationEngine

/// Where a fetch runs that estimates how long it takes.
struct SchedulerEstimateTests {
  private typealias Bench = SchedulerBench
  private typealias Given = SchedulerBench.Given

  /// Group 1 of one member that reads player, with the value a, whose fetch takes so many milliseconds after a
  /// commit, and so many while nothing is committed.
  private func bench(_ changed: Int?, unchanged: Int?) throws -> Bench {
    var bench = Bench()
    bench.fetch.estimate = { isUnchanged in
      (isUnchanged ? unchanged : changed).map { .milliseconds($0) }
    }
    _ = bench.add(1)
    _ = try bench.refresh(["a"])
    return bench
  }

  @Test
  func `one that is slow after a commit alone is quick until the next one`() throws {
    var bench = try self.bench(1_000, unchanged: 1)
    bench.scheduler.request(1, 0, now: bench.now)
    #expect(bench.calls() == [.quick])
    bench.finish(try bench.job(.quick), ["b"])
    bench.commit("player")
    #expect(bench.calls() == [.slow], "others need not wait for it")
    bench.finish(try bench.job(.slow), ["c"], took: 1_000)
    bench.scheduler.request(1, 0, now: bench.now)
    #expect(bench.calls() == [.quick])
  }

  @Test
  func `a commit that meets it while it is due takes it to the slow lane`() throws {
    var bench = try self.bench(1_000, unchanged: 1)
    bench.scheduler.request(1, 0, now: bench.now)
    bench.commit("player")
    #expect(bench.calls() == [.slow])
    #expect(bench.given().last == Given(events: 1, stale: [0: Bench.slowness]))
  }

  @Test
  func `so does a commit to a table that it does not read`() throws {
    var bench = try self.bench(1_000, unchanged: 1)
    bench.commit("map")
    #expect(bench.calls() == [], "nothing has changed for it")
    bench.scheduler.request(1, 0, now: bench.now)
    #expect(bench.calls() == [.slow])
  }

  @Test(arguments: ["player", "map"], [true, false])
  func `a commit while it is fetched takes it to the slow lane`(
    _ table: String, _ isCut: Bool
  ) throws {
    var bench = try self.bench(1_000, unchanged: 1)
    bench.scheduler.request(1, 0, now: bench.now)
    _ = bench.calls()
    let job = try bench.job(.quick)
    bench.commit(table)
    bench.finish(
      job, [isCut ? .cut(.yieldReason(.writer)) : "c"], yieldReason: isCut ? .writer : nil)
    bench.scheduler.request(1, 0, now: bench.now)
    #expect(bench.calls() == [.slow])
  }

  /// Otherwise the others of its group would show the commit beside its old rows, as if they were of one state.
  @Test
  func `a commit while it cools down makes it stale, whatever it estimates by then`() throws {
    let estimate = Mutex(1_000)
    var bench = Bench()
    bench.fetch.estimate = { isUnchanged in
      .milliseconds(isUnchanged ? 1 : estimate.withLock { $0 })
    }
    _ = bench.add(1)
    _ = try bench.refresh(["a"])
    bench.commit("player")
    #expect(bench.calls() == [.slow])
    _ = bench.given()
    bench.finish(try bench.job(.slow), ["b"], took: 1_000)
    _ = bench.given()
    estimate.withLock { $0 = 200 }
    bench.commit("player")
    _ = bench.calls()
    #expect(bench.given() == [Given(events: 1, stale: [0: Bench.slowness])])
    bench.advance(500)
    #expect(bench.calls() == [.quick])
  }

  @Test(arguments: ["player", "map"])
  func `one that met a commit on the slow lane stays there`(_ table: String) throws {
    var bench = try self.bench(1_000, unchanged: 1)
    bench.commit("player")
    _ = bench.calls()
    let job = try bench.job(.slow)
    bench.commit(table)
    bench.finish(job, ["b"])
    bench.scheduler.request(1, 0, now: bench.now)
    #expect(bench.calls() == [.slow])
  }

  @Test
  func `one that took longer than it estimated is not believed until it has come to its end`()
    throws
  {
    var bench = try self.bench(1, unchanged: 1)
    bench.scheduler.request(1, 0, now: bench.now)
    _ = bench.calls()
    bench.finish(try bench.job(.quick), [.overBudget])
    #expect(bench.calls() == [.slow])
    bench.finish(try bench.job(.slow), ["b"], took: 1_000)
    bench.scheduler.request(1, 0, now: bench.now)
    #expect(bench.calls() == [.quick])
  }

  @Test
  func `one that takes neither long nor short stays where it is`() throws {
    for isSlow in [true, false] {
      var bench = try self.bench(100, unchanged: 100)
      if isSlow {
        bench.commit("player")
        _ = try bench.refresh([.overBudget])
        _ = bench.calls()
        bench.finish(try bench.job(.slow), ["b"], took: 100)
        bench.advance(400)
      }
      bench.commit("player")
      #expect(bench.calls() == [isSlow ? .slow : .quick])
    }
  }

  @Test(arguments: [nil, 0, 1] as [Int?])
  func `one that takes longer after a commit than the writer can wait is not read there`(
    _ estimate: Int?
  ) throws {
    var bench = Bench()
    bench.fetch.estimate = { _ in estimate.map { .milliseconds($0) } }
    _ = bench.add(1)
    _ = bench.calls()
    bench.finish(try bench.job(.quick), ["a"], took: 0.1)
    bench.commit("player")
    #expect((bench.scheduler.beginOnWriter(now: bench.now) != nil) == (estimate != 1))
  }
}
