import Testing

@testable import ObservationEngine

/// Every phase of a lane and of an observation with every event.
struct SchedulerTableTests {
  /// Where a scheduler with group 1 of one member, 2, may be; times begin at 1000 ms.
  enum State: String, CaseIterable {
    case clean, reporting, due, pausing, joined, called, running, touched, requested, posting,
      postingDue,
      failing
    case retrying, missing
    case slowDue, slowCalled, slowWaiting, slowRunning, slowPosting, cooling, coolingDue
  }

  enum Event: String, CaseIterable {
    /// A commit to the table that it reads.
    case commit
    /// A commit to another one.
    case commitElsewhere
    case fileMissing
    case request
    /// Ask what is to be done.
    case next
    /// Ask when the time has come.
    case ring
    case onWriter
    case add
    case remove
    case beginQuick, beginSlow, finish, fail, posted

    /// Where it can happen; elsewhere it traps.
    var states: [State] {
      switch self {
      case .commit, .commitElsewhere, .fileMissing, .request, .next, .ring, .onWriter, .add,
        .remove:
        State.allCases
      case .beginQuick: [.called]
      case .beginSlow: [.slowCalled]
      case .finish, .fail: [.running, .touched, .requested, .slowRunning]
      case .posted: [.posting, .postingDue, .failing, .slowPosting]
      }
    }
  }

  @Test(arguments: State.allCases)
  func `each event takes it where the table says`(_ state: State) throws {
    var rows = ["\(state.rawValue): \(Self.text(try Course(state).bench.scheduler))"]
    for event in Event.allCases where event.states.contains(state) {
      var course = try Course(state)
      let action = try course.take(event)
      rows.append("  \(event.rawValue): \(Self.text(course.bench.scheduler))\(action)")
    }
    let expected = Self.table.split(separator: "\n\n").first { $0.hasPrefix("\(state.rawValue):") }
    #expect(rows == expected?.split(separator: "\n").map(String.init))
  }

  @Test
  func `what cannot happen traps, and names the state`() async throws {
    let traps = [
      await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent],
        performing: {
          var course = try Course(.clean)
          _ = try course.take(.beginQuick)
        }),
      await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent],
        performing: {
          var course = try Course(.posting)
          _ = try course.take(.finish)
        }),
      await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent],
        performing: {
          var course = try Course(.touched)
          _ = try course.take(.posted)
        }),
    ]
    let texts = [
      "the lane quick begins while it is idle",
      "a job of the lane quick ends while it is posting",
      "the lane quick has posted while it is running, with commits",
    ]
    for (trap, text) in zip(traps, texts) {
      let output = String(decoding: try #require(trap).standardErrorContent, as: UTF8.self)
      #expect(output.contains(text))
    }
  }

  private static func text(_ scheduler: RefreshScheduler) -> String {
    scheduler.description.replacing(/\d{7,}/) { "\(Double($0.output)! / 1_000_000) ms" }
  }

  /// A scheduler that came to a state.
  private struct Course {
    var bench: SchedulerBench
    private var job: SchedulerBench.Job?
    private static let time = Timestamp(microseconds: 0)

    init(_ state: State) throws {
      bench = try SchedulerBench.clean()
      switch state {
      case .clean: break
      case .reporting:
        bench.scheduler.settings.eventDelay = .milliseconds(200)
        bench.commit("map", .external)
        guard bench.next() == .wait(200) else { throw NoJob() }
      case .due, .called, .running, .touched, .requested, .posting, .postingDue, .failing,
        .retrying, .missing:
        bench.commit("player")
        if state != .due { try goOn(to: state) }
      case .pausing:
        bench.commit("player", count: 9)
        guard case .wait = bench.next() else { throw NoJob() }
      case .joined:
        bench.scheduler.settings.debounce = .seconds(1)
        bench.commit("player")
        guard case .wait = bench.next() else { throw NoJob() }
        _ = bench.add(1)
      case .slowDue, .slowCalled, .slowWaiting, .slowRunning, .slowPosting, .cooling, .coolingDue:
        bench = try SchedulerBench.slow()
        if state != .slowDue { try goOnSlowly(to: state) }
      }
    }

    private mutating func goOn(to state: State) throws {
      guard bench.next() == .call(.quick) else { throw NoJob() }
      guard state != .called else { return }
      job = try bench.job(.quick)
      switch state {
      case .touched: _ = try take(.commit)
      case .requested: _ = try take(.request)
      case .posting: _ = try take(.finish)
      case .postingDue:
        _ = try take(.finish)
        _ = try take(.commit)
      case .failing: _ = try take(.fail)
      case .retrying:
        _ = try take(.fail)
        _ = try take(.posted)
      case .missing:
        _ = bench.scheduler.fail(
          job!, DatabaseError(code: .busy, message: "gone"), isFileMissing: true, now: bench.now,
          time: Self.time)
        _ = try take(.posted)
      default: break
      }
    }

    private mutating func goOnSlowly(to state: State) throws {
      guard bench.next() == .call(.slow) else { throw NoJob() }
      if state == .slowWaiting {
        bench.commit("map", .external)
        _ = bench.next()
        let start = bench.scheduler.begin(.slow, seeing: .log(frames: 2_000), now: bench.now)
        guard case .leave = start else { throw NoJob() }
      }
      guard state != .slowCalled, state != .slowWaiting else { return }
      job = try bench.job(.slow)
      guard state != .slowRunning else { return }
      _ = try take(.finish)
      guard state != .slowPosting else { return }
      _ = try take(.posted)
      if state == .coolingDue { _ = try take(.commit) }
    }

    private static func text(_ next: SchedulerBench.Next) -> String {
      switch next {
      case .call(let lane): " -> call \(lane)"
      case .callObservers: " -> call the observers"
      case .wait(let time): " -> wait \(time) ms"
      case .idle: " -> idle"
      }
    }

    /// - Returns: What the scheduler says is to be done.
    mutating func take(_ event: Event) throws -> String {
      switch event {
      case .commit: bench.commit("player")
      case .commitElsewhere: bench.commit("map")
      case .fileMissing:
        bench.scheduler.note(.fileMissing(Self.time), Changeset(), now: bench.now)
      case .request: bench.scheduler.request(1, now: bench.now)
      case .next: return Self.text(bench.next())
      case .ring:
        guard case .wait(let time) = bench.next() else { return " -> nothing rings" }
        bench.advance(time)
        return Self.text(bench.next())
      case .onWriter:
        return bench.scheduler.beginOnWriter(now: bench.now) == nil ? " -> no" : " -> yes"
      case .add: _ = bench.add(1)
      case .remove: bench.scheduler.removeGroup(1)
      case .beginQuick: _ = try bench.job(.quick)
      case .beginSlow: _ = try bench.job(.slow)
      case .finish:
        guard let job else { throw NoJob() }
        bench.post(
          bench.scheduler.finish(
            job, bench.reading(job, ["b"], took: job.lane == .slow ? 1_000 : 0.1), now: bench.now,
            time: Self.time))
      case .fail:
        guard let job else { throw NoJob() }
        bench.post(
          bench.scheduler.fail(
            job, DatabaseError(code: .busy, message: "locked"), isFileMissing: false,
            now: bench.now, time: Self.time))
      case .posted:
        guard let job else { throw NoJob() }
        bench.scheduler.didPost(job, now: bench.now)
      }
      return ""
    }
  }

  private static let table = """
    reporting: quick: waiting for events until 1200.0 ms; slow: idle; 2: clean
      commit: quick: waiting for events until 1200.0 ms; slow: idle; 2: due
      commitElsewhere: quick: waiting for events until 1200.0 ms; slow: idle; 2: clean
      fileMissing: quick: waiting for events until 1200.0 ms; slow: idle; 2: due
      request: quick: waiting for events until 1200.0 ms; slow: idle; 2: due
      next: quick: waiting for events until 1200.0 ms; slow: idle; 2: clean -> wait 200.0 ms
      ring: quick: idle; slow: idle; 2: clean -> idle
      onWriter: quick: running; slow: idle; 2: clean -> yes
      add: quick: waiting for events until 1200.0 ms; slow: idle; 2: clean; 4: due
      remove: quick: waiting for events until 1200.0 ms; slow: idle

    clean: quick: idle; slow: idle; 2: clean
      commit: quick: idle; slow: idle; 2: due
      commitElsewhere: quick: idle; slow: idle; 2: clean
      fileMissing: quick: idle; slow: idle; 2: due
      request: quick: idle; slow: idle; 2: due
      next: quick: idle; slow: idle; 2: clean -> idle
      ring: quick: idle; slow: idle; 2: clean -> nothing rings
      onWriter: quick: idle; slow: idle; 2: clean -> no
      add: quick: idle; slow: idle; 2: clean; 4: due
      remove: quick: idle; slow: idle

    due: quick: idle; slow: idle; 2: due
      commit: quick: idle; slow: idle; 2: due
      commitElsewhere: quick: idle; slow: idle; 2: due
      fileMissing: quick: idle; slow: idle; 2: due
      request: quick: idle; slow: idle; 2: due
      next: quick: called; slow: idle; 2: due -> call quick
      ring: quick: called; slow: idle; 2: due -> nothing rings
      onWriter: quick: idle; slow: idle; 2: due -> no
      add: quick: idle; slow: idle; 2: due; 4: due
      remove: quick: idle; slow: idle

    pausing: quick: waiting for pace until 1000.1 ms; slow: idle; 2: due
      commit: quick: waiting for pace until 1000.1 ms; slow: idle; 2: due
      commitElsewhere: quick: waiting for pace until 1000.1 ms; slow: idle; 2: due
      fileMissing: quick: waiting for pace until 1000.1 ms; slow: idle; 2: due
      request: quick: waiting for pace until 1000.1 ms; slow: idle; 2: due
      next: quick: waiting for pace until 1000.1 ms; slow: idle; 2: due -> wait 0.1 ms
      ring: quick: called; slow: idle; 2: due -> call quick
      onWriter: quick: waiting for pace until 1000.1 ms; slow: idle; 2: due -> no
      add: quick: waiting for pace until 1000.1 ms; slow: idle; 2: due; 4: due
      remove: quick: waiting for pace until 1000.1 ms; slow: idle

    joined: quick: waiting for pace until 2000.0 ms; slow: idle; 2: due; 4: due
      commit: quick: waiting for pace until 2000.0 ms; slow: idle; 2: due; 4: due
      commitElsewhere: quick: waiting for pace until 2000.0 ms; slow: idle; 2: due; 4: due
      fileMissing: quick: waiting for pace until 2000.0 ms; slow: idle; 2: due; 4: due
      request: quick: waiting for pace until 2000.0 ms; slow: idle; 2: due; 4: due
      next: quick: waiting for pace until 1033.0 ms; slow: idle; 2: due; 4: due -> wait 33.0 ms
      ring: quick: called; slow: idle; 2: due; 4: due -> call quick
      onWriter: quick: waiting for pace until 2000.0 ms; slow: idle; 2: due; 4: due -> no
      add: quick: waiting for pace until 2000.0 ms; slow: idle; 2: due; 4: due; 6: due
      remove: quick: waiting for pace until 2000.0 ms; slow: idle; 4: due

    called: quick: called; slow: idle; 2: due
      commit: quick: called; slow: idle; 2: due
      commitElsewhere: quick: called; slow: idle; 2: due
      fileMissing: quick: called; slow: idle; 2: due
      request: quick: called; slow: idle; 2: due
      next: quick: called; slow: idle; 2: due -> idle
      ring: quick: called; slow: idle; 2: due -> nothing rings
      onWriter: quick: called; slow: idle; 2: due -> no
      add: quick: called; slow: idle; 2: due; 4: due
      remove: quick: called; slow: idle
      beginQuick: quick: running; slow: idle; 2: fetching

    running: quick: running; slow: idle; 2: fetching
      commit: quick: running, with commits; slow: idle; 2: fetching, then due
      commitElsewhere: quick: running, with commits; slow: idle; 2: fetching
      fileMissing: quick: running; slow: idle; 2: fetching, then asked
      request: quick: running; slow: idle; 2: fetching, then asked
      next: quick: running; slow: idle; 2: fetching -> idle
      ring: quick: running; slow: idle; 2: fetching -> nothing rings
      onWriter: quick: running; slow: idle; 2: fetching -> no
      add: quick: running; slow: idle; 2: fetching; 4: due
      remove: quick: running; slow: idle
      finish: quick: posting; slow: idle; 2: posting
      fail: quick: posting, then retry; slow: idle; 2: posting, then due

    touched: quick: running, with commits; slow: idle; 2: fetching, then due
      commit: quick: running, with commits; slow: idle; 2: fetching, then due
      commitElsewhere: quick: running, with commits; slow: idle; 2: fetching, then due
      fileMissing: quick: running, with commits; slow: idle; 2: fetching, then asked
      request: quick: running, with commits; slow: idle; 2: fetching, then asked
      next: quick: running, with commits; slow: idle; 2: fetching, then due -> idle
      ring: quick: running, with commits; slow: idle; 2: fetching, then due -> nothing rings
      onWriter: quick: running, with commits; slow: idle; 2: fetching, then due -> no
      add: quick: running, with commits; slow: idle; 2: fetching, then due; 4: due
      remove: quick: running, with commits; slow: idle
      finish: quick: posting; slow: idle; 2: posting, then due
      fail: quick: posting, then retry; slow: idle; 2: posting, then due

    requested: quick: running; slow: idle; 2: fetching, then asked
      commit: quick: running, with commits; slow: idle; 2: fetching, then asked
      commitElsewhere: quick: running, with commits; slow: idle; 2: fetching, then asked
      fileMissing: quick: running; slow: idle; 2: fetching, then asked
      request: quick: running; slow: idle; 2: fetching, then asked
      next: quick: running; slow: idle; 2: fetching, then asked -> idle
      ring: quick: running; slow: idle; 2: fetching, then asked -> nothing rings
      onWriter: quick: running; slow: idle; 2: fetching, then asked -> no
      add: quick: running; slow: idle; 2: fetching, then asked; 4: due
      remove: quick: running; slow: idle
      finish: quick: posting; slow: idle; 2: posting, then due
      fail: quick: posting, then retry; slow: idle; 2: posting, then due

    posting: quick: posting; slow: idle; 2: posting
      commit: quick: posting; slow: idle; 2: posting, then due
      commitElsewhere: quick: posting; slow: idle; 2: posting
      fileMissing: quick: posting; slow: idle; 2: posting, then due
      request: quick: posting; slow: idle; 2: posting, then due
      next: quick: posting; slow: idle; 2: posting -> idle
      ring: quick: posting; slow: idle; 2: posting -> nothing rings
      onWriter: quick: posting; slow: idle; 2: posting -> no
      add: quick: posting; slow: idle; 2: posting; 4: due
      remove: quick: posting; slow: idle
      posted: quick: idle; slow: idle; 2: clean

    postingDue: quick: posting; slow: idle; 2: posting, then due
      commit: quick: posting; slow: idle; 2: posting, then due
      commitElsewhere: quick: posting; slow: idle; 2: posting, then due
      fileMissing: quick: posting; slow: idle; 2: posting, then due
      request: quick: posting; slow: idle; 2: posting, then due
      next: quick: posting; slow: idle; 2: posting, then due -> idle
      ring: quick: posting; slow: idle; 2: posting, then due -> nothing rings
      onWriter: quick: posting; slow: idle; 2: posting, then due -> no
      add: quick: posting; slow: idle; 2: posting, then due; 4: due
      remove: quick: posting; slow: idle
      posted: quick: idle; slow: idle; 2: due

    failing: quick: posting, then retry; slow: idle; 2: posting, then due
      commit: quick: posting, then retry; slow: idle; 2: posting, then due
      commitElsewhere: quick: posting, then retry; slow: idle; 2: posting, then due
      fileMissing: quick: posting, then retry; slow: idle; 2: posting, then due
      request: quick: posting, then retry; slow: idle; 2: posting, then due
      next: quick: posting, then retry; slow: idle; 2: posting, then due -> idle
      ring: quick: posting, then retry; slow: idle; 2: posting, then due -> nothing rings
      onWriter: quick: posting, then retry; slow: idle; 2: posting, then due -> no
      add: quick: posting, then retry; slow: idle; 2: posting, then due; 4: due
      remove: quick: posting, then retry; slow: idle
      posted: quick: waiting for retry until 1100.0 ms; slow: idle; 2: due

    retrying: quick: waiting for retry until 1100.0 ms; slow: idle; 2: due
      commit: quick: idle; slow: idle; 2: due
      commitElsewhere: quick: idle; slow: idle; 2: due
      fileMissing: quick: idle; slow: idle; 2: due
      request: quick: idle; slow: idle; 2: due
      next: quick: waiting for retry until 1100.0 ms; slow: idle; 2: due -> wait 100.0 ms
      ring: quick: called; slow: idle; 2: due -> call quick
      onWriter: quick: waiting for retry until 1100.0 ms; slow: idle; 2: due -> no
      add: quick: idle; slow: idle; 2: due; 4: due
      remove: quick: waiting for retry until 1100.0 ms; slow: idle

    missing: quick: waiting for retry until an event; slow: idle; 2: due
      commit: quick: idle; slow: idle; 2: due
      commitElsewhere: quick: idle; slow: idle; 2: due
      fileMissing: quick: idle; slow: idle; 2: due
      request: quick: idle; slow: idle; 2: due
      next: quick: waiting for retry until an event; slow: idle; 2: due -> idle
      ring: quick: waiting for retry until an event; slow: idle; 2: due -> nothing rings
      onWriter: quick: waiting for retry until an event; slow: idle; 2: due -> no
      add: quick: idle; slow: idle; 2: due; 4: due
      remove: quick: waiting for retry until an event; slow: idle

    slowDue: quick: idle; slow: idle; 2: due, slow
      commit: quick: idle; slow: idle; 2: due, slow
      commitElsewhere: quick: idle; slow: idle; 2: due, slow
      fileMissing: quick: idle; slow: idle; 2: due, slow
      request: quick: idle; slow: idle; 2: due, slow
      next: quick: idle; slow: called; 2: due, slow -> call slow
      ring: quick: idle; slow: called; 2: due, slow -> nothing rings
      onWriter: quick: idle; slow: idle; 2: due, slow -> no
      add: quick: idle; slow: idle; 2: due, slow; 4: due
      remove: quick: idle; slow: idle

    slowCalled: quick: idle; slow: called; 2: due, slow
      commit: quick: idle; slow: called; 2: due, slow
      commitElsewhere: quick: idle; slow: called; 2: due, slow
      fileMissing: quick: idle; slow: called; 2: due, slow
      request: quick: idle; slow: called; 2: due, slow
      next: quick: idle; slow: called; 2: due, slow -> idle
      ring: quick: idle; slow: called; 2: due, slow -> nothing rings
      onWriter: quick: idle; slow: called; 2: due, slow -> no
      add: quick: idle; slow: called; 2: due, slow; 4: due
      remove: quick: idle; slow: called
      beginSlow: quick: idle; slow: running; 2: fetching, slow

    slowWaiting: quick: idle; slow: waiting for writer until 1010.0 ms; 2: due, slow
      commit: quick: idle; slow: waiting for writer until 1010.0 ms; 2: due, slow
      commitElsewhere: quick: idle; slow: waiting for writer until 1010.0 ms; 2: due, slow
      fileMissing: quick: idle; slow: waiting for writer until 1010.0 ms; 2: due, slow
      request: quick: idle; slow: waiting for writer until 1010.0 ms; 2: due, slow
      next: quick: idle; slow: waiting for writer until 1010.0 ms; 2: due, slow -> wait 10.0 ms
      ring: quick: idle; slow: called; 2: due, slow -> call slow
      onWriter: quick: idle; slow: waiting for writer until 1010.0 ms; 2: due, slow -> no
      add: quick: idle; slow: waiting for writer until 1010.0 ms; 2: due, slow; 4: due
      remove: quick: idle; slow: waiting for writer until 1010.0 ms

    slowRunning: quick: idle; slow: running; 2: fetching, slow
      commit: quick: idle; slow: running, with commits; 2: fetching, then due, slow
      commitElsewhere: quick: idle; slow: running, with commits; 2: fetching, then due, slow
      fileMissing: quick: idle; slow: running; 2: fetching, then asked, slow
      request: quick: idle; slow: running; 2: fetching, then asked, slow
      next: quick: idle; slow: running; 2: fetching, slow -> idle
      ring: quick: idle; slow: running; 2: fetching, slow -> nothing rings
      onWriter: quick: idle; slow: running; 2: fetching, slow -> no
      add: quick: idle; slow: running; 2: fetching, slow; 4: due
      remove: quick: idle; slow: running
      finish: quick: idle; slow: posting; 2: posting at 1500.0 ms, slow
      fail: quick: idle; slow: posting, then retry; 2: posting, then due, slow

    slowPosting: quick: idle; slow: posting; 2: posting at 1500.0 ms, slow
      commit: quick: idle; slow: posting; 2: posting, then due at 1500.0 ms, slow
      commitElsewhere: quick: idle; slow: posting; 2: posting at 1500.0 ms, slow
      fileMissing: quick: idle; slow: posting; 2: posting, then due, slow
      request: quick: idle; slow: posting; 2: posting, then due, slow
      next: quick: idle; slow: posting; 2: posting at 1500.0 ms, slow -> idle
      ring: quick: idle; slow: posting; 2: posting at 1500.0 ms, slow -> nothing rings
      onWriter: quick: idle; slow: posting; 2: posting at 1500.0 ms, slow -> no
      add: quick: idle; slow: posting; 2: posting at 1500.0 ms, slow; 4: due
      remove: quick: idle; slow: posting
      posted: quick: idle; slow: idle; 2: cooling until 1500.0 ms, slow

    cooling: quick: idle; slow: idle; 2: cooling until 1500.0 ms, slow
      commit: quick: idle; slow: idle; 2: cooling until 1500.0 ms, then due, slow
      commitElsewhere: quick: idle; slow: idle; 2: cooling until 1500.0 ms, slow
      fileMissing: quick: idle; slow: idle; 2: due, slow
      request: quick: idle; slow: idle; 2: due, slow
      next: quick: idle; slow: idle; 2: cooling until 1500.0 ms, slow -> idle
      ring: quick: idle; slow: idle; 2: cooling until 1500.0 ms, slow -> nothing rings
      onWriter: quick: idle; slow: idle; 2: cooling until 1500.0 ms, slow -> no
      add: quick: idle; slow: idle; 2: cooling until 1500.0 ms, slow; 4: due
      remove: quick: idle; slow: idle

    coolingDue: quick: idle; slow: idle; 2: cooling until 1500.0 ms, then due, slow
      commit: quick: idle; slow: idle; 2: cooling until 1500.0 ms, then due, slow
      commitElsewhere: quick: idle; slow: idle; 2: cooling until 1500.0 ms, then due, slow
      fileMissing: quick: idle; slow: idle; 2: due, slow
      request: quick: idle; slow: idle; 2: due, slow
      next: quick: idle; slow: idle; 2: cooling until 1500.0 ms, then due, slow -> wait 500.0 ms
      ring: quick: idle; slow: called; 2: due, slow -> call slow
      onWriter: quick: running; slow: idle; 2: cooling until 1500.0 ms, then due, slow -> yes
      add: quick: idle; slow: idle; 2: cooling until 1500.0 ms, then due, slow; 4: due
      remove: quick: idle; slow: idle
    """
}
