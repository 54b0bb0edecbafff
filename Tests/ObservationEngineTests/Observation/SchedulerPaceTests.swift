import Testing

@testable import ObservationEngine

/// When refreshes start; times are milliseconds.
struct SchedulerPaceTests {
  private typealias Bench = SchedulerBench

  private func bench(
    _ change: (inout RefreshScheduler.Settings) -> Void
  ) throws -> Bench {
    var settings = Bench.settings()
    change(&settings)
    return try Bench.clean(settings)
  }

  /// Commits, and runs a refresh of `duration`; returns how long it had to wait.
  private func refresh(
    _ bench: inout Bench, commits: Int, duration: Double = 0.05
  ) throws -> Double {
    bench.commit("player", count: commits)
    var waited = 0.0
    while true {
      switch bench.next() {
      case .wait(let time):
        bench.advance(time)
        waited += time
      case .call(.quick):
        let job = try bench.job(.quick)
        bench.advance(duration)
        bench.finish(job, [.value("\(bench.ordinal)")], took: duration)
        return waited
      default: throw NoJob()
      }
    }
  }

  @Test
  func `the first refresh is not delayed, nor is one that finds a single commit`() throws {
    var bench = try Bench.clean()
    for _ in 0..<10 { #expect(try refresh(&bench, commits: 1) == 0) }
  }

  @Test
  func `pauses double while each refresh finds several commits, up to fifty milliseconds`() throws {
    var bench = try Bench.clean()
    let waits = try (0..<12).map { _ in try refresh(&bench, commits: 20) }
    #expect(waits == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 50, 50, 50])
  }

  @Test
  func `after a refresh that kept up there is no pause`() throws {
    var bench = try Bench.clean()
    for _ in 0..<8 { _ = try refresh(&bench, commits: 9) }
    #expect(try refresh(&bench, commits: 1) == 0)
    #expect(try refresh(&bench, commits: 9) == 0.1, "it begins again")
  }

  @Test
  func `long refreshes pause for long, and start twice a second at least`() throws {
    var bench = try Bench.clean()
    let waits = try (0..<20).map { _ in try refresh(&bench, commits: 9, duration: 20) }
    #expect(waits.max() == 80)
    let longer = try (0..<20).map { _ in try refresh(&bench, commits: 9, duration: 900) }
    #expect(longer.max() == 500)
  }

  @Test
  func
    `a commit that concerns no observation waits for others, and is told with the first that does`()
    throws
  {
    var bench = try self.bench { $0.eventDelay = .milliseconds(200) }
    _ = bench.given()
    bench.commit("map", .external)
    #expect(bench.next() == .wait(200))
    bench.advance(150)
    bench.commit("map", .external)
    #expect(bench.next() == .wait(50))
    bench.advance(50)
    #expect(bench.next() == .idle)
    #expect(bench.given() == [Bench.Given(events: 2)])
    // What concerns one doesn't wait, nor does a commit of this process.
    bench.commit("map", .external)
    #expect(bench.next() == .wait(200))
    bench.advance(5)
    bench.commit("player", .external)
    #expect(bench.next() == .call(.quick))
    let job = try bench.job(.quick)
    #expect(job.noticed == bench.now, "what waited doesn't make it late")
    bench.finish(job, ["b"])
    #expect(bench.given() == [Bench.Given([0: "b"], events: 2)])
    bench.commit("map", .external)
    #expect(bench.next() == .wait(200))
    bench.commit("map", .own)
    #expect(bench.next() == .idle)
    #expect(bench.given() == [Bench.Given(events: 2)])
  }

  @Test
  func `a configured interval is kept from start to start`() throws {
    var bench = try self.bench { $0.minimumInterval = .milliseconds(16) }
    bench.advance(16)
    #expect(try refresh(&bench, commits: 1, duration: 1) == 0)
    #expect(try refresh(&bench, commits: 1, duration: 1) == 15)
    bench.advance(99)
    #expect(try refresh(&bench, commits: 1, duration: 1) == 0)
  }

  @Test
  func `a first fetch hardly waits for the pace, and brings along what is due`() throws {
    let changes: [(inout RefreshScheduler.Settings) -> Void] = [
      { $0.minimumInterval = .seconds(3_600) }, { $0.debounce = .seconds(3_600) },
    ]
    for change in changes {
      var bench = try self.bench(change)
      bench.commit("player")
      #expect(bench.next() == .wait(3_600_000))
      bench.advance(1)
      _ = bench.add(1)
      #expect(bench.next() == .wait(33))
      // Another one doesn't put it off.
      bench.advance(20)
      _ = bench.add(1)
      #expect(bench.next() == .wait(13))
      bench.advance(13)
      try #require(bench.next() == .call(.quick))
      let job = try bench.job(.quick)
      #expect(job.members.count == 3)
      bench.finish(job, ["b", "first", "first"])
      // From there on the pace counts.
      bench.commit("player")
      #expect(bench.next() == .wait(3_600_000))
      // One that failed the first time isn't new any more.
      _ = bench.add(1)
      #expect(bench.next() == .wait(33))
      bench.advance(33)
      try #require(bench.next() == .call(.quick))
      bench.finish(
        try bench.job(.quick), ["c", "c", "c", .cut(.yieldReason(.writer))],
        yieldReason: .writer)
      guard case .wait = bench.next() else { throw NoJob() }
    }
  }

  @Test
  func `no interval stops the program`() throws {
    for duration in [Duration.seconds(Int64.max), .seconds(Int64.min), .seconds(-1), .zero] {
      var settings = Bench.settings()
      settings.minimumInterval = duration
      settings.debounce = duration
      settings.eventDelay = duration
      settings.timeInterval = duration
      var bench = Bench(settings)
      for _ in 1...3 {
        _ = bench.add(1)
        for table in ["player", "map"] {
          bench.commit(table, table == "map" ? .external : .own)
          guard bench.next() == .call(.quick) else { continue }
          let job = try bench.job(.quick)
          bench.finish(job, job.members.map { _ in "a" })
        }
      }
    }
    #expect(Duration.seconds(Int64.min).nanoseconds == .min)
    #expect(Duration.nanoseconds(Int64.max).nanoseconds == .max)
    #expect((Duration.nanoseconds(Int64.max) + .nanoseconds(1)).nanoseconds == .max)
    #expect(Duration.seconds(-1).clockNanoseconds == 0)
  }

  @Test
  func `a debounced refresh waits for that time in any case`() throws {
    var bench = try self.bench { $0.debounce = .milliseconds(30) }
    bench.advance(1_000)
    #expect(try refresh(&bench, commits: 1) == 30)
    bench.commit("player")
    #expect(bench.scheduler.beginOnWriter(now: bench.now) == nil)
  }

  /// Has the clean observation taken as long as is stated, and committed once more.
  private func onWriter(took: Double) throws -> Bench {
    var bench = try Bench.clean()
    bench.commit("player")
    _ = bench.calls()
    bench.finish(try bench.job(.quick), ["b"], took: took)
    bench.commit("player")
    return bench
  }

  @Test
  func `what is known to be quick runs on the writer, with a limit`() throws {
    var bench = try onWriter(took: 0.3)
    let begun = bench.scheduler.beginOnWriter(now: bench.now)
    let job = try #require(begun)
    #expect(job.limit == 2_000_000)
    #expect(bench.next() == .idle, "no lane is called for it")
    bench.finish(job, [.cut(.limit)])
    #expect(bench.next() == .call(.quick), "what took too long there runs on its lane")
    bench = try onWriter(took: 0.31)
    #expect(bench.scheduler.beginOnWriter(now: bench.now) == nil)
    #expect(bench.next() == .call(.quick))
  }

  @Test
  func `the writer's thread is left alone for eight times what a refresh there took`() throws {
    var bench = try onWriter(took: 0.1)
    let begun = bench.scheduler.beginOnWriter(now: bench.now)
    let job = try #require(begun)
    bench.advance(0.05)
    bench.finish(job, ["c"], took: 0.05)
    bench.commit("player")
    bench.advance(0.399)
    #expect(bench.scheduler.beginOnWriter(now: bench.now) == nil)
    bench.advance(0.001)
    #expect(bench.scheduler.beginOnWriter(now: bench.now) != nil)
  }

  @Test
  func `a writer that has committed again already is not held up`() throws {
    var bench = try onWriter(took: 0.1)
    bench.commit("player")
    #expect(bench.scheduler.beginOnWriter(now: bench.now) == nil)
  }

  @Test
  func `results that depend on the time are fetched so long after their last fetch`() throws {
    var settings = Bench.settings()
    settings.timeInterval = .seconds(1)
    var bench = Bench(settings)
    _ = bench.add(1)
    _ = bench.add(1)
    _ = bench.calls()
    let job = try bench.job(.quick)
    var reading = bench.reading(job, ["a", "b"])
    reading.outcomes[0].region.insertTime(reason: "date('now')")
    _ = bench.scheduler.finish(job, reading, now: bench.now, time: Timestamp(microseconds: 0))
    bench.advance(3)
    bench.scheduler.didPost(job, now: bench.now)
    #expect(bench.next() == .wait(1_000))
    bench.advance(1_000)
    #expect(bench.next() == .call(.quick))
    #expect(try bench.job(.quick).members.map(\.id) == [2])
    bench.scheduler.removeGroup(1)
    #expect(bench.next() == .idle)
  }

  @Test
  func `observers of commits are called again after a failure, once`() throws {
    var bench = Bench()
    bench.scheduler.observersFailed(now: bench.now)
    bench.advance(40)
    bench.scheduler.observersFailed(now: bench.now)
    #expect(bench.next() == .wait(60))
    bench.advance(60)
    #expect(bench.next() == .callObservers)
    #expect(bench.next() == .idle)
  }

  @Test
  func `of several deadlines the earliest counts`() throws {
    var bench = try Bench.slow()
    _ = bench.calls()
    bench.finish(try bench.job(.slow), [.cut(.yieldReason(.log))], took: 300)
    bench.scheduler.observersFailed(now: bench.now)
    #expect(bench.next() == .wait(100))
    bench.advance(100)
    #expect(bench.next() == .callObservers)
    #expect(bench.next() == .wait(1_100))
  }
}
