import Testing

@testable import ObservationEngine

/// Changed rows between a state and a snapshot.
struct PendingChangesTests {
  private func row(_ rowid: Int64, _ old: Int64?, _ new: Int64?) -> PendingChanges.Row {
    PendingChanges.Row(
      table: 0, key: .rowid(rowid), old: old.map { [.integer($0)] }, new: new.map { [.integer($0)] }
    )
  }

  private func span(_ from: UInt32) -> CommitSpan { CommitSpan(from: from, to: from &+ 1) }

  /// What leads to a snapshot.
  private func rows(_ pending: inout PendingChanges, at position: UInt32) -> [PendingChanges.Row]? {
    let due = pending.split(at: position)
    if let due { #expect(due.reach == position) }
    return due?.rows
  }

  @Test func `commits that follow each other bring their rows`() throws {
    var pending = PendingChanges(at: .max)
    pending.note(span(.max), .rows([row(1, nil, 5), row(2, 7, 8)]))
    pending.note(span(0), .rows([row(1, 5, 6), row(2, 8, 7)]))
    #expect(pending.reach == 1)
    #expect(pending.doubt == nil)
    #expect(try pending.take() == [row(1, nil, 6)])
    #expect(try pending.take() == [])
  }

  @Test func `rows of different tables are different rows`() throws {
    var pending = PendingChanges(at: 1)
    let other = PendingChanges.Row(table: 1, key: .rowid(1), old: nil, new: [7])
    pending.note(span(1), .rows([row(1, nil, 5), other]))
    #expect(Set(try pending.take().map(\.table)) == [0, 1])
  }

  @Test func `a commit that is missing leaves a doubt`() {
    var pending = PendingChanges(at: 5)
    pending.note(span(6), .rows([]))
    #expect(pending.doubt == "another process committed in between")
    pending = PendingChanges(at: 5)
    pending.note(nil, .rows([]))
    #expect(pending.doubt == "a commit that can't be placed among the others")
  }

  @Test func `what the state has already is no news`() {
    var pending = PendingChanges(at: 5)
    pending.note(span(3), .unknown(reason: "VACUUM"))
    pending.note(span(4), .rows([row(1, 1, 2)]))
    pending.note(CommitSpan(from: 9, to: 9), .rows([]))
    #expect(pending.doubt == nil)
    #expect(pending.rows == [])
    #expect(pending.reach == 5)
  }

  @Test func `commits that came before the snapshot was known are placed afterwards`() {
    var pending = PendingChanges()
    pending.note(span(3), .unknown(reason: "VACUUM"))
    pending.note(span(4), .rows([row(1, 1, 2)]))
    pending.start(at: 4)
    #expect(pending.reach == 5)
    #expect(pending.rows == [row(1, 1, 2)])
  }

  @Test func `a snapshot that is older than the newest commit has its own rows`() throws {
    var pending = PendingChanges(at: .max - 1)
    pending.note(span(.max - 1), .rows([row(1, nil, 5)]))
    pending.note(span(.max), .rows([]))
    pending.note(span(0), .rows([row(1, 5, 6), row(2, nil, 1)]))
    pending.note(span(1), .rows([row(2, 1, nil)]))
    #expect(rows(&pending, at: 0) == [row(1, nil, 5)])
    #expect(pending.rows.count == 3)
    pending.note(span(2), .rows([row(3, nil, 9)]))
    #expect(rows(&pending, at: 1) == [row(1, 5, 6), row(2, nil, 1)])
    #expect(rows(&pending, at: 3) == [row(2, 1, nil), row(3, nil, 9)])
    #expect(rows(&pending, at: 3) == [])
  }

  @Test func `a snapshot outside of the known commits has no rows`() {
    var pending = PendingChanges(at: 5)
    pending.note(span(5), .rows([row(1, nil, 5)]))
    #expect(rows(&pending, at: 7) == nil)
    #expect(rows(&pending, at: 4) == nil)
    #expect(rows(&pending, at: 6)?.count == 1)
    #expect(rows(&pending, at: 5) == nil)
    pending.note(span(8), .rows([]))
    #expect(rows(&pending, at: 6) == nil)
  }

  @Test func `rows that don't continue each other are refused`() {
    var pending = PendingChanges(at: 1)
    pending.note(span(1), .rows([row(1, 1, 2)]))
    pending.note(span(2), .rows([row(1, 3, 4)]))
    #expect(throws: NotMaintainable("the rows of two commits don't follow each other")) {
      try pending.take()
    }
  }

  @Test func `unknown rows and too many rows leave a doubt`() {
    var pending = PendingChanges(at: 1)
    pending.note(span(1), .unknown(reason: "many"))
    #expect(pending.doubt == "many")
    pending = PendingChanges(at: 1)
    let rows = (0...PendingChanges.rowLimit).map { row(Int64($0), nil, 1) }
    pending.note(span(1), .rows(rows))
    #expect(pending.doubt == "too many rows changed meanwhile")
  }

  @Test func `the changes of a few rows are merged before they are too many`() throws {
    var pending = PendingChanges(at: 1)
    let (few, commits) = (Int64(PendingChanges.rowLimit / 4), UInt32(40))
    for commit in 0..<commits {
      let (old, new) = (Int64(commit), Int64(commit) + 1)
      pending.note(span(1 + commit), .rows((0..<few).map { row($0, old, new) }))
      #expect(pending.rows.count <= PendingChanges.rowLimit)
    }
    #expect(pending.doubt == nil)
    // An older snapshot has some of what was merged.
    #expect(rows(&pending, at: 2) == nil)
    let found = pending.split(at: 1 + commits)
    var due = try #require(found)
    let net = try due.take()
    #expect(Set(net.map(\.key)) == Set((0..<few).map { .rowid($0) }))
    #expect(net.allSatisfy { $0.old == [0] && $0.new == [.integer(Int64(commits))] })
    #expect(pending.rows == [])
  }

  @Test func `changes that don't continue each other leave a doubt as they are merged`() {
    var pending = PendingChanges(at: 1)
    let many = Int64(PendingChanges.rowLimit)
    pending.note(span(1), .rows((0..<many).map { row($0, 0, 1) }))
    pending.note(span(2), .rows([row(1, 2, 3)]))
    #expect(pending.doubt == "the rows of two commits don't follow each other")
  }
}
