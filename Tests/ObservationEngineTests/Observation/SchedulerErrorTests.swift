import TestSupport
import Testing

@testable import ObservationEngine

/// What the scheduler makes of errors, for consumers to whom an error is the end and for others.
struct SchedulerErrorTests {
  private typealias Bench = SchedulerBench
  private typealias Given = SchedulerBench.Given

  /// One group of one member without events, with the value a.
  private func bench(_ transientErrors: TransientErrors) throws -> Bench {
    var bench = Bench()
    _ = bench.add(1, wantsEvents: false, transientErrors: transientErrors)
    #expect(try bench.refresh(["a"]) == [Given([0: "a"])])
    return bench
  }

  @Test
  func `a job that can't be done is an error for a group without events`() throws {
    var bench = try bench(.delivered)
    bench.commit("player")
    _ = bench.calls()
    bench.fail(try bench.job(.quick), "locked")
    #expect(bench.given() == [Given([0: "error: locked"], stale: [0: "locked"])])
    bench.advance(100)
    _ = bench.calls()
    bench.fail(try bench.job(.quick), "locked")
    #expect(bench.given() == [], "given once")
    bench.advance(100)
    #expect(try bench.refresh(["a"]) == [Given([0: "a"])], "the value again, which is up to date")
  }

  @Test
  func `a job that can't be done is passed over where only values count`() throws {
    var bench = try bench(.passedOver)
    bench.commit("player")
    _ = bench.calls()
    bench.fail(try bench.job(.quick), "locked")
    #expect(bench.given() == [])
    bench.advance(100)
    #expect(try bench.refresh(["a"]) == [], "the consumer has it")
    bench.commit("player")
    #expect(try bench.refresh(["b"]) == [Given([0: "b"])])
  }

  @Test
  func `an error that can't heal is delivered in any case`() throws {
    for errors in [TransientErrors.delivered, .passedOver] {
      var bench = try bench(errors)
      bench.commit("player")
      #expect(try bench.refresh([.failure("bad")]) == [Given([0: "error: bad"])])
      #expect(bench.next() == .idle, "only a commit has it fetched again")
    }
  }

  @Test
  func `a fetch that fails for a moment runs again without a commit, and not immediately`() throws {
    for errors in [TransientErrors.delivered, .passedOver] {
      var bench = try bench(errors)
      bench.commit("player")
      let given = try bench.refresh([.transient("locked")])
      #expect(given == (errors == .delivered ? [Given([0: "error: locked"])] : []))
      #expect(bench.next() == .wait(100))
      bench.advance(100)
      #expect(try bench.refresh(["b"]) == [Given([0: "b"])])
      #expect(bench.next() == .idle)
    }
  }

  @Test
  func `the first value after a passed-over error is the initial one`() throws {
    var bench = Bench()
    _ = bench.add(1, wantsEvents: false, skipsInitial: true, transientErrors: .passedOver)
    #expect(try bench.refresh([.transient("locked")]) == [])
    bench.advance(100)
    #expect(try bench.refresh(["a"]) == [])
    bench.commit("player")
    #expect(try bench.refresh(["b"]) == [Given([0: "b"])])
  }

  @Test
  func `a first fetch that failed for a moment is repeated`() throws {
    for isCurrent in [true, false] {
      var bench = Bench()
      let first = FirstFetch(
        members: [
          .init(
            result: .failure(DatabaseError(code: .busy, message: "locked")), region: Region(),
            duration: .zero, isCurrent: isCurrent)
        ], ordinal: 0)
      _ = bench.add(1, wantsEvents: false, first: first)
      #expect(bench.calls() == (isCurrent ? [] : [.quick]))
    }
  }

  @Test
  func `what was given up is out of date, or needs another limit if it never had a value`() throws {
    func giveUp(_ bench: inout Bench) throws -> [Given] {
      _ = try bench.refresh([.overBudget])
      _ = bench.calls()
      _ = bench.given()
      bench.finish(try bench.job(.slow), [.overBudget], took: 30_000)
      return bench.given()
    }
    let error = [0: "error: \(Bench.overBudget)"]
    for errors in [TransientErrors.delivered, .passedOver] {
      var known = try bench(errors)
      known.commit("player")
      let stale = Given(
        errors == .delivered ? error : [:], stale: [0: Bench.overBudget])
      #expect(try giveUp(&known) == (errors == .delivered ? [stale] : []))
      var new = Bench()
      _ = new.add(1, wantsEvents: false, transientErrors: errors)
      #expect(try giveUp(&new) == [Given(error)])
    }
  }
}
