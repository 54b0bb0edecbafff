/// The sequence of values that an observed fetch takes; made by `Database.observe`.
///
///     let longest = database.observe(names).map { names in names.map(\.count).max() ?? 0 }
///     for try await length in longest.removeDuplicates() { show(length) }
///
/// Each iterator and each subscription observes by itself, from its creation until it is released,
/// cancelled, or its task is cancelled. Operators make new observations of the same database; what
/// they do runs in the consumer, never on a connection.
///
/// ## Guarantees
/// - The first element is the current value; consecutive elements differ.
/// - Every element is a committed state, in commit order; commits may be coalesced, none is missed.
/// - A slow consumer sees the newest value; nothing piles up.
/// - Subscribers of equal SQL and arguments cost one run per refresh together.
/// - A transient error (``DatabaseError/isTransient``) doesn't end the sequence: the next element is the value
///   that the database has when it can be read again. Any other error is thrown once.
/// - After an error or `nil` the observation has ended, and the iterator returns `nil`.
///
/// ## Limits
/// - While a transient error lasts, the last element is out of date, and the sequence doesn't say so;
///   ``updates`` does.
public struct ValueObservation<Value: Sendable>: AsyncSequence, Sendable {
  /// Turns what was fetched into what is delivered; `nil` when nothing is.
  ///
  /// One for each subscription, which calls it in order, and never at the same time.
  typealias Stage = @Sendable (Result<any Sendable, any Error>) -> Result<Value, any Error>?

  let database: Database
  let fetch: ObservedFetch
  var skipsInitial = false
  /// What is called at each event, in the order in which it was added.
  var listeners: [ObservationListener] = []
  let makeStage: @Sendable () -> Stage

  /// Observes a fetch whose results are delivered as they are.
  init(database: Database, fetch: ObservedFetch) {
    self.database = database
    self.fetch = fetch
    makeStage = { { result in result.map { ObservedFetch.unbox($0) } } }
  }

  /// Observes what `upstream` observes, and delivers what `makeStage` makes of it.
  init<Upstream: Sendable>(
    _ upstream: ValueObservation<Upstream>, makeStage: @escaping @Sendable () -> Stage
  ) {
    database = upstream.database
    fetch = upstream.fetch
    skipsInitial = upstream.skipsInitial
    listeners = upstream.listeners
    self.makeStage = makeStage
  }

  /// Begins to observe.
  public func makeAsyncIterator() -> some AsyncIteratorProtocol<Value, any Error> {
    SourceSequence { ValueSource(updates: ValueSubscription(self, .passedOver)) }
      .makeAsyncIterator()
  }

  /// The same values with their circumstances; errors are elements.
  ///
  ///     for await update in database.observe(count).updates {
  ///       switch update.result {
  ///       case .success(let value): show(value)
  ///       case .failure(let error): showOutOfDate(error)
  ///       }
  ///     }
  ///
  /// ## Guarantees
  /// - No error ends the sequence: after each, the value follows as soon as there is one, even if it is the one
  ///   before the error.
  /// - What is shown is never out of date without a word: when the newest state can't be read, the reason is an
  ///   element.
  ///
  /// ## Limits
  /// - A query that takes longer than ``Configuration/refreshBudget`` delivers late, and nothing meanwhile.
  public var updates: some AsyncSequence<Update<Value>, Never> & Sendable {
    SourceSequence { ValueSubscription(self) }
  }
}
