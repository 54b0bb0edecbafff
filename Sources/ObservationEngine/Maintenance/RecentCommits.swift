/// What the last commits changed, kept once for all queries that will ask for it.
///
/// Commits are numbered as they come. A query remembers the number up to which it took its rows.
struct RecentCommits: Sendable {
  /// So many commits are kept at most, before each query has to take its rows.
  static let limit = 64
  /// So many changed rows are kept at most, but for those of the last commit.
  static let rowLimit = 4_096

  /// The number of the next commit.
  var end: Int { first + commits.count }
  private var first = 0
  private var commits: [Changeset] = []
  private var rowCount = 0

  /// Whether every query should take its rows now.
  var isFull: Bool { commits.count >= Self.limit || rowCount >= Self.rowLimit }

  /// The commits from a number on, in their order.
  subscript(since number: Int) -> ArraySlice<Changeset> {
    precondition(number >= first, "A query did not take the rows of commits that are gone.")
    return commits[(number - first)...]
  }

  mutating func append(_ changeset: Changeset) {
    commits.append(changeset)
    for case .rows(let difference) in changeset.tables.values {
      rowCount += difference.entries.count
    }
  }

  mutating func removeAll() {
    first = end
    commits.removeAll(keepingCapacity: true)
    rowCount = 0
  }
}
