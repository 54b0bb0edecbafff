import Testing

@testable import ObservationEngine

/// What follows a query that was given up, and what happens between slow runs.
struct SchedulerCoolingTests {
  private typealias Bench = SchedulerBench
  private typealias Given = SchedulerBench.Given

  /// A member on the slow lane, and the job that fetches it.
  private func slow() throws -> (Bench, Bench.Job) {
    var bench = try Bench.slow()
    #expect(bench.calls() == [.slow])
    _ = bench.given()
    let job = try bench.job(.slow)
    return (bench, job)
  }

  private static let gaveWay = Bench.Output.cut(.yieldReason(.writer))
  private static let waited =
    "cancelled after 1 ms, to let a writer commit; tried again, or use WAL mode"

  @Test
  func `what is given up keeps its value and is marked as stale`() throws {
    var (bench, job) = try slow()
    bench.finish(job, [.overBudget])
    #expect(bench.given() == [Given(stale: [0: Bench.overBudget])])
  }

  @Test
  func `what is given up without ever having a value has the reason as its error, once`() throws {
    var bench = Bench()
    _ = bench.add(1)
    #expect(try bench.refresh([.overBudget]) == [Given(stale: [0: Bench.slowness])])
    for given in [[Given([0: "error: \(Bench.overBudget)"])], []] {
      #expect(bench.calls() == [.slow])
      bench.finish(try bench.job(.slow), [.overBudget])
      #expect(bench.given() == given)
      bench.scheduler.request(nil, now: bench.now)
    }
  }

  @Test
  func `what is tried again has no error before it ever had a value`() throws {
    var bench = Bench()
    _ = bench.add(1)
    _ = try bench.refresh([.overBudget])
    #expect(bench.calls() == [.slow])
    bench.finish(try bench.job(.slow), [Self.gaveWay])
    #expect(bench.given() == [Given(stale: [0: Self.waited])])
    #expect(bench.next() == .wait(1_000))
    bench.advance(1_000)
    #expect(bench.calls() == [.slow])
    bench.finish(try bench.job(.slow), ["a"])
    #expect(bench.given() == [Given([0: "a"])])
  }

  @Test(arguments: [(1, 1_000), (249, 1_000), (2_000, 8_000)])
  func `it cools down for four times as long as it ran, and a second at least`(
    _ ran: Double, _ time: Double
  ) throws {
    var (bench, job) = try slow()
    bench.finish(job, [Self.gaveWay], took: ran)
    #expect(bench.next() == .wait(time))
    bench.advance(time)
    #expect(bench.next() == .call(.slow))
  }

  @Test
  func `a commit meanwhile has it fetched again, but after that time`() throws {
    var (bench, job) = try slow()
    bench.finish(job, [.overBudget])
    bench.commit("player")
    #expect(bench.next() == .wait(1_000))
    #expect(
      bench.given() == [
        Given(stale: [0: Bench.overBudget]), Given(events: 1, stale: [0: Bench.overBudget]),
      ])
    bench.advance(1_000)
    #expect(bench.calls() == [.slow])
    bench.finish(try bench.job(.slow), ["b"])
    #expect(bench.given() == [Given([0: "b"])])
  }

  @Test
  func `a commit during the run counts like one after it`() throws {
    var (bench, job) = try slow()
    bench.commit("map")
    bench.finish(job, [.overBudget])
    #expect(bench.next() == .wait(1_000), "what it would have read is not known")
  }

  @Test
  func `without a commit it does not run again, nor does the timer`() throws {
    var (bench, job) = try slow()
    bench.finish(job, [.overBudget])
    #expect(bench.next() == .idle)
    bench.advance(1_000)
    #expect(bench.next() == .idle)
    bench.commit("player")
    #expect(bench.calls() == [.slow])
  }

  @Test
  func `a request does not wait for that time, which then means nothing`() throws {
    var (bench, job) = try slow()
    bench.finish(job, [Self.gaveWay])
    bench.advance(900)
    bench.scheduler.request(1, now: bench.now)
    #expect(bench.calls() == [.slow])
    bench.finish(try bench.job(.slow), [Self.gaveWay])
    #expect(bench.next() == .wait(1_000), "it cools down once more")
    bench.advance(100)
    #expect(bench.next() == .wait(900), "that was the end of the first time")
  }

  @Test
  func `a request during the run does not wait either`() throws {
    for output in ["b", Self.gaveWay] as [Bench.Output] {
      var (bench, job) = try slow()
      bench.scheduler.request(1, now: bench.now)
      bench.finish(job, [output], took: 1_000)
      #expect(bench.next() == .call(.slow))
    }
  }

  @Test
  func `the timer of a removed group means nothing`() throws {
    var (bench, job) = try slow()
    bench.finish(job, [Self.gaveWay])
    bench.scheduler.removeGroup(1)
    #expect(bench.next() == .idle)
  }

  @Test(arguments: [(50, 200), (100, 400), (3_000, 500)])
  func `between two slow runs at most half a second passes`(
    _ ran: Double, _ time: Double
  ) throws {
    var (bench, job) = try slow()
    bench.commit("player")
    bench.finish(job, ["b"], took: ran)
    #expect(bench.next() == .wait(time))
    #expect(
      bench.given() == [
        Given([0: "b"], stale: [0: Bench.slowness]), Given(events: 1, stale: [0: Bench.slowness]),
      ],
      "it does not reflect the commit that came meanwhile")
  }

  @Test
  func `what was quick again does not cool down`() throws {
    var (bench, job) = try slow()
    bench.commit("player")
    bench.finish(job, ["b"], took: 49)
    #expect(bench.calls() == [.quick])
  }

  @Test
  func `slow ones take turns, though the first is always due`() throws {
    var bench = Bench()
    _ = bench.add(2)
    _ = try bench.refresh([.overBudget, .overBudget])
    var order: [Int] = []
    for _ in 1...4 {
      _ = bench.calls()
      let job = try bench.job(.slow)
      order.append(job.members[0].id)
      bench.note(Changeset(everything: "all"))
      bench.finish(job, [.value("\(order.count)")], took: 1_000)
      bench.advance(500)
    }
    #expect(order == [2, 3, 2, 3])
  }
}
