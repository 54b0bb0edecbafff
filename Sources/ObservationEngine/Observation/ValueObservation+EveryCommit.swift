/// What becomes of values that a consumer of ``ValueObservation/everyCommit(buffering:)`` does not take
/// in time. Bounds below one count as one.
public enum CommitBufferingPolicy: Sendable {
  /// Keeps the oldest values, at most so many, and drops those that come when it is full.
  case oldest(Int)
  /// Keeps the newest values, at most so many, and drops the oldest for a new one.
  case newest(Int)
  /// Keeps at most so many; one more ends the sequence with an ``EveryCommitOverflow``.
  case failing(Int)
}

/// A consumer of ``ValueObservation/everyCommit(buffering:)`` did not keep up.
public struct EveryCommitOverflow: Error, Sendable, Equatable, CustomStringConvertible {
  /// How many values were kept.
  package let bound: Int

  /// What happened, and how to avoid it.
  public var description: String {
    "more than \(bound) commits came while their values were not taken; "
      + "take them faster, raise the bound, or choose a policy that drops"
  }
}

/// The value of one commit.
public struct CommittedValue<Value: Sendable>: Sendable {
  /// The commit; `nil` for the initial value.
  public let commit: Commit?
  /// The value as of that commit, or why it could not be computed.
  public let result: Result<Value, any Error>
  /// How many values before this one were dropped, by the buffering policy.
  public let droppedBefore: Int
}

extension ValueObservation {
  /// Delivers one value for each commit that touches what is fetched, and coalesces none.
  ///
  ///     for try await entry in database.observe(count).everyCommit(buffering: .failing(1_000)) {
  ///       log("commit \(entry.commit?.ordinal ?? 0) left \(try entry.result.get()) players")
  ///     }
  ///
  /// For audits, replication and tests. The fetch runs on the writer's queue, after each own commit and
  /// before the next write: to show values, iterate the observation itself, which holds up no writer.
  ///
  /// ## Guarantees
  /// - The first element is the initial value, unless ``skippingInitial()`` drops it. Then
  ///   each own commit that touches what was read has one element, as of that very commit, in order,
  ///   whether or not the value differs; ``removeDuplicates()`` drops those that do not.
  /// - At most as many values wait as `policy` says. Those that were dropped are counted in
  ///   ``CommittedValue/droppedBefore`` of the next element.
  /// - An error of the fetch, transient or not, is the result of its commit, and doesn't end the sequence. The
  ///   sequence throws an ``EveryCommitOverflow`` alone, after the values that were kept.
  ///
  /// ## Limits
  /// - Commits of other processes are fetched as soon as they were noticed. Those that were noticed
  ///   together have one element, whose `commit` says how many they were; its value may be of a later
  ///   state.
  /// - Identical SQL and arguments of several consumers run once per commit.
  ///
  /// - Parameter policy: What becomes of values that are not taken in time.
  public func everyCommit(
    buffering policy: CommitBufferingPolicy
  ) -> some AsyncSequence<CommittedValue<Value>, any Error> & Sendable {
    SourceSequence { EveryCommitSource(self, policy) }
  }
}
