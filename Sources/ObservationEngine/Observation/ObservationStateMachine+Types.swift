// What the machine knows, and what it hands out.

extension ObservationStateMachine {
  enum Lane: Hashable, CaseIterable {
    case quick, slow
  }

  typealias MemberID = Int
  typealias GroupID = Int

  struct Member {
    let group: GroupID
    /// Its place in the group.
    let index: Int
    let fetch: ObservedFetch
    /// What its last fetch read; everything until then, so that nothing is missed.
    var region: Region
    var lane: Lane = .quick
    var isDirty = true
    var isFetching = false
    /// What is being fetched is wanted no more: its window has moved since.
    var isOutdated = false
    /// The number of the rest during which it is not fetched, dirty or not.
    var rest: Int?
    /// The job that fetched it last; 0 for none.
    var turn = 0
    /// How long its last fetch took; `nil` when that is not known, or was too long.
    var lastDuration: Duration?
    var last: Result<any Sendable, any Error>?
    /// What its last result holds in memory, as far as that is counted.
    var heldBytes = 0
    var staleness: Staleness?
  }

  struct Group {
    var members: [MemberID]
    let mailbox: Mailbox<Delivery>
    /// Events that no job has taken up: the next one brings the results that belong to them.
    var events: [DatabaseEvent] = []
    /// Events and results that go out with the next delivery.
    var outgoing = Delivery()
    var hasNews = false
  }

  /// What a lane shall do.
  struct Job {
    let lane: Lane
    /// Empty when there is nothing to fetch, but events to deliver.
    let members: [(id: MemberID, fetch: ObservedFetch)]
    /// The newest commit that the results will reflect, and whose it is.
    let ordinal: Int
    let origin: Commit.Origin?
    /// What the commits since the last job changed; `nil` when there were none.
    let tables: Commit.Tables?
    let evidence: Commit.Evidence?
    /// When the oldest commit of this job was noticed; 0 for none.
    let noticed: UInt64
  }

  /// Why a fetch did not come to its end.
  enum Cancellation: Equatable {
    /// It took longer than the budget of the quick lane: it must run on a lane of its own.
    case tooSlow
    /// What it read is wanted no more: it is fetched again at once, and nothing is said.
    case outdated
    /// Others needed what it held, or it did not get its turn: it is fetched again soon, and nothing
    /// need be said.
    case postponed
    /// It took longer than anybody may, or others waited for it on its own lane. Unless `isRepeated`,
    /// only a commit makes it be fetched again.
    case givenUp(reason: String, isRepeated: Bool)
  }

  /// What fetching one member gave.
  struct Outcome {
    let id: MemberID
    let result: Result<any Sendable, any Error>
    let region: Region
    let duration: Duration
    /// What the result holds in memory; 0 when nobody counts.
    var heldBytes = 0
    /// `nil` when the fetch came to its end, whatever its result.
    var cancellation: Cancellation?
    /// Whether the result differs from the member's last one; see ``Known``.
    var isNews = true
  }

  /// What a member's next result is compared with.
  ///
  /// The application's own `==` compares them. It may end the observation, which takes the lock that guards
  /// the machine: so it runs outside of that.
  struct Known {
    let fetch: ObservedFetch
    let last: Result<any Sendable, any Error>?

    func judging(_ outcome: Outcome) -> Outcome {
      guard outcome.cancellation == nil else { return outcome }
      var outcome = outcome
      outcome.isNews = fetch.isNews(outcome.result, after: last)
      return outcome
    }
  }

  /// A while in which a member is not fetched.
  struct Rest: Equatable {
    let id: MemberID
    let number: Int
    let duration: Duration
  }

  /// A message for a group's mailbox, to be posted outside the lock.
  struct Post {
    let mailbox: Mailbox<Delivery>
    var delivery: Delivery
  }
}

extension ObservationStateMachine.Group {
  mutating func append(_ event: DatabaseEvent) {
    events.append(event)
    if events.count > Delivery.eventLimit {
      events.removeFirst()
      outgoing.droppedEvents += 1
    }
  }

  mutating func takeUpEvents() {
    guard !events.isEmpty else { return }
    outgoing.append(events)
    events = []
    hasNews = true
  }
}
