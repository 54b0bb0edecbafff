import Testing

@testable import ObservationEngine

/// The commits that all maintained queries share.
struct RecentCommitsTests {
  private let table = TableID(name: "t")

  private func commit(rows: Int) -> Changeset {
    var difference = RowDifference()
    difference.keep(
      (0..<rows).map { .init(key: .rowid(Int64($0)), old: nil, new: [.integer(1)]) },
      columns: ["x"])
    return Changeset([table: .rows(difference)])
  }

  @Test func `a query takes what came since it did so last`() {
    var commits = RecentCommits()
    commits.append(commit(rows: 1))
    let seen = commits.end
    commits.append(commit(rows: 2))
    #expect(Array(commits[since: seen]) == [commit(rows: 2)])
    #expect(commits[since: commits.end].isEmpty)
  }

  @Test func `numbers go on when commits are discarded`() {
    var commits = RecentCommits()
    commits.append(commit(rows: 1))
    commits.removeAll()
    let seen = commits.end
    #expect(commits[since: seen].isEmpty)
    commits.append(commit(rows: 3))
    #expect(Array(commits[since: seen]) == [commit(rows: 3)])
  }

  @Test func `many commits or many rows are enough`() {
    var commits = RecentCommits()
    for _ in 1..<RecentCommits.limit { commits.append(commit(rows: 1)) }
    #expect(!commits.isFull)
    commits.append(commit(rows: 0))
    #expect(commits.isFull)
    commits.removeAll()
    #expect(!commits.isFull)
    commits.append(commit(rows: RecentCommits.rowLimit))
    #expect(commits.isFull)
  }
}
