/// How many commits were observed in each of the last spans of time.
struct CommitHistory: Sendable, Equatable {
  /// How many spans it remembers.
  let count: Int
  /// The length of one, in nanoseconds.
  private let length: UInt64
  /// Commits by span of the monotonic clock, oldest first, without empty spans.
  private var buckets: [Bucket] = []

  private struct Bucket: Sendable, Equatable {
    var span: UInt64
    var commits: Int
  }

  private init(count: Int, length: UInt64) {
    self.count = count
    self.length = length
  }

  /// The last ten seconds, one by one.
  static let seconds = CommitHistory(count: 10, length: 1_000_000_000)
  /// The last minute, in spans of five seconds.
  static let minute = CommitHistory(count: 12, length: 5_000_000_000)

  mutating func add(_ commits: Int, at moment: UInt64) {
    guard commits > 0 else { return }
    let span = moment / length
    if buckets.last?.span == span {
      buckets[buckets.count - 1].commits += commits
    } else {
      buckets.append(Bucket(span: span, commits: commits))
      if buckets.count > count { buckets.removeFirst() }
    }
  }

  /// The commits in each span, oldest first; the last span is not over yet.
  func counts(at moment: UInt64) -> [Int] {
    let now = moment / length
    var counts = Array(repeating: 0, count: count)
    for bucket in buckets where bucket.span <= now {
      let age = now - bucket.span
      if age < UInt64(count) { counts[count - 1 - Int(age)] += bucket.commits }
    }
    return counts
  }

  /// When it looks different without a new commit; nil once it is empty.
  func nextChange(after moment: UInt64) -> UInt64? {
    guard let last = buckets.last else { return nil }
    let span = moment / length
    guard span < last.span + UInt64(count) else { return nil }
    return (span + 1) * length
  }
}
