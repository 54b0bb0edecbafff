import Testing

@testable import ObservationEngine

/// Drives an ``ObservationStateMachine`` as the coordinator does, with results that are given, and
/// renders what it posts as text: `GROUP: [MEMBER: RESULT] events COUNT stale [MEMBERS]`.
struct Bench {
  typealias Job = ObservationStateMachine.Job

  enum Output: ExpressibleByStringLiteral {
    case value(String)
    case failure(String)
    case overBudget
    case postponed
    case outdated
    case givenUp(String, isRepeated: Bool = false)

    init(stringLiteral value: String) { self = .value(value) }
  }

  var machine = ObservationStateMachine()
  private var mailboxes: [(group: Int, mailbox: Mailbox<Delivery>)] = []
  private var ordinal = 0
  /// Why the first result that was posted as stale is so.
  private(set) var reason: String?
  /// What members that are added from now on fetch.
  var fetch = ObservedFetch({ _ in "" }, areEqual: { $0 == $1 })

  /// One group, 1, of one member that reads `table`, with the value a.
  static func clean(reading table: String) throws -> Bench {
    var bench = Bench()
    _ = bench.add(1)
    _ = try bench.run(["a"], reading: table)
    return bench
  }

  mutating func add(_ count: Int) -> Int {
    let mailbox = Mailbox<Delivery> { $0.merge($1) }
    let group = machine.addGroup(
      Array(repeating: fetch, count: count), mailbox: mailbox, ordinal: ordinal)
    mailboxes.append((group, mailbox))
    return group
  }

  /// Takes note of a commit that inserted into `table`.
  mutating func commit(_ table: String) {
    note(
      Changeset(tables: [
        TableID(name: table): .rows(Commit.RowCounts(inserted: 1), updatedColumns: [])
      ]))
  }

  mutating func note(_ changeset: Changeset) {
    ordinal += 1
    let commit = Commit(
      ordinal: ordinal, origin: .own, tables: .named([]), time: Timestamp(microseconds: 0))
    machine.note(.commit(commit), changeset, now: UInt64(ordinal))
  }

  /// One run of the quick lane, if it has something to do.
  ///
  /// - Returns: How many members each job had, and what was posted.
  mutating func run(
    _ outputs: [Output] = [], reading table: String = "player"
  ) throws -> (fetched: [Int], posts: [String]) {
    guard machine.startLanes().contains(.quick) else { return ([], []) }
    let job = try job(.quick)
    return ([job.members.count], finish(job, outputs, reading: table))
  }

  /// What a running lane does next.
  mutating func job(_ lane: ObservationStateMachine.Lane) throws -> ObservationStateMachine.Job {
    guard let job = machine.nextJob(lane) else { throw NoJob() }
    return job
  }

  mutating func finish(
    _ job: ObservationStateMachine.Job, _ outputs: [Output], reading table: String = "player",
    duration: Duration = .milliseconds(1)
  ) -> [String] {
    var region = Region()
    region.insert(column: "", of: TableID(name: table))
    let outcomes = zip(job.members, outputs).map { member, output in
      let result: Result<any Sendable, any Error> =
        switch output {
        case .value(let text): .success(ObservedFetch.Box(value: text))
        case .failure(let text): .failure(BenchError(text: text))
        case .overBudget, .postponed, .outdated, .givenUp: .failure(BenchError(text: "interrupted"))
        }
      let cancellation: ObservationStateMachine.Cancellation? =
        switch output {
        case .value, .failure: nil
        case .overBudget: .tooSlow
        case .postponed: .postponed
        case .outdated: .outdated
        case .givenUp(let reason, let isRepeated): .givenUp(reason: reason, isRepeated: isRepeated)
        }
      return ObservationStateMachine.Outcome(
        id: member.id, result: result, region: region, duration: duration,
        cancellation: cancellation)
    }
    let known = machine.known(job)
    let posts = machine.finish(
      job, outcomes.map { known[$0.id]?.judging($0) ?? $0 }, duration: duration,
      time: Timestamp(microseconds: 0))
    machine.pause(job.lane)
    reason = posts.compactMap { $0.delivery.stale.first?.value.reason }.first
    return posts.map(render)
  }

  /// Ends the rest that began last.
  mutating func endRest() throws {
    guard let rest = machine.takeRests().last else { throw NoRest() }
    machine.restIsOver(rest)
  }

  /// A job of the quick lane that fails as a whole.
  mutating func fail(_ reason: String) throws -> [String] {
    #expect(machine.startLanes() == [.quick])
    return fail(try job(.quick), reason)
  }

  mutating func fail(_ job: ObservationStateMachine.Job, _ reason: String) -> [String] {
    machine.fail(job, reason: reason, time: Timestamp(microseconds: 0)).map(render)
  }

  private func render(_ post: ObservationStateMachine.Post) -> String {
    let group = mailboxes.first { $0.mailbox === post.mailbox }?.group ?? 0
    var parts: [String] = []
    let results = post.delivery.results.sorted { $0.key < $1.key }.map { index, result in
      switch result {
      case .success(let value): "\(index): \(ObservedFetch.unbox(value) as String)"
      case .failure(let error as DatabaseError): "\(index): error \(error.message)"
      case .failure(let error): "\(index): error \(error)"
      }
    }
    if !results.isEmpty { parts.append("[\(results.joined(separator: ", "))]") }
    if !post.delivery.events.isEmpty { parts.append("events \(post.delivery.events.count)") }
    if !post.delivery.stale.isEmpty { parts.append("stale \(post.delivery.stale.keys.sorted())") }
    return "\(group): " + parts.joined(separator: " ")
  }
}

private struct BenchError: Error, CustomStringConvertible {
  let text: String
  var description: String { text }
}

/// Nothing rests.
struct NoRest: Error {}

/// A lane has nothing to do.
struct NoJob: Error {}
