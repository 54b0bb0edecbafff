/// How many commits were observed in each of the last seconds.
package struct CommitRate: Sendable, Equatable {
  static let seconds = 10
  private static let second: UInt64 = 1_000_000_000

  /// Commits by second of the monotonic clock, oldest first, without empty seconds.
  private var buckets: [(second: UInt64, commits: Int)] = []

  mutating func count(_ commits: Int, at moment: UInt64) {
    guard commits > 0 else { return }
    let second = moment / Self.second
    if buckets.last?.second == second {
      buckets[buckets.count - 1].commits += commits
    } else {
      buckets.append((second, commits))
      if buckets.count > Self.seconds { buckets.removeFirst() }
    }
  }

  /// The commits in each of the last ten seconds, oldest first; the last second is not over yet.
  func history(at moment: UInt64) -> [Int] {
    let now = moment / Self.second
    var history = Array(repeating: 0, count: Self.seconds)
    for bucket in buckets where bucket.second <= now {
      let age = now - bucket.second
      if age < UInt64(Self.seconds) { history[Self.seconds - 1 - Int(age)] += bucket.commits }
    }
    return history
  }

  /// When the history looks different without any new commit: every second until it is empty.
  func nextChange(after moment: UInt64) -> UInt64? {
    guard let last = buckets.last else { return nil }
    let second = moment / Self.second
    guard second < last.second + UInt64(Self.seconds) else { return nil }
    return (second + 1) * Self.second
  }

  package static func == (left: CommitRate, right: CommitRate) -> Bool {
    left.buckets.elementsEqual(right.buckets, by: ==)
  }
}
