import ObservationEngine

/// When a table was changed last, and how often in the last minute.
struct CommitPulse: Sendable, Equatable {
  /// How many spans of time it remembers.
  static let spans = 12
  /// The length of one, in nanoseconds.
  private static let length: UInt64 = 5_000_000_000

  /// Commits by span of the monotonic clock, oldest first, without empty spans.
  private var buckets: [Bucket] = []
  /// When the newest commit was observed.
  private(set) var time: Timestamp

  private struct Bucket: Sendable, Equatable {
    var span: UInt64
    var commits: Int
  }

  init(_ commits: Int, at moment: UInt64, time: Timestamp) {
    self.time = time
    count(commits, at: moment, time: time)
  }

  mutating func count(_ commits: Int, at moment: UInt64, time: Timestamp) {
    self.time = time
    let span = moment / Self.length
    if buckets.last?.span == span {
      buckets[buckets.count - 1].commits += commits
    } else {
      buckets.append(Bucket(span: span, commits: commits))
      if buckets.count > Self.spans { buckets.removeFirst() }
    }
  }

  /// The commits in the last spans, oldest first; the last span is not over yet.
  func history(at moment: UInt64) -> [Int] {
    let now = moment / Self.length
    var history = Array(repeating: 0, count: Self.spans)
    for bucket in buckets where bucket.span <= now {
      let age = now - bucket.span
      if age < UInt64(Self.spans) { history[Self.spans - 1 - Int(age)] += bucket.commits }
    }
    return history
  }

  /// When the history looks different without a new commit; nil once it is empty.
  func nextChange(after moment: UInt64) -> UInt64? {
    guard let last = buckets.last else { return nil }
    let span = moment / Self.length
    guard span < last.span + UInt64(Self.spans) else { return nil }
    return (span + 1) * Self.length
  }
}
