import ObservationEngine
import TestSupport
import Testing

@testable import DatabaseConsole

@Suite struct CommitQueueTests {
  private let table = TableID(name: "t")

  private func commit(_ number: Int, _ tables: Commit.Tables = .named(["t"])) -> DatabaseEvent {
    .commit(
      Commit(
        ordinal: number, origin: .external, tables: tables, time: Timestamp(microseconds: 0)))
  }

  private func changeset(_ key: Int64, bytes: Int = 10) -> Changeset {
    var difference = RowDifference(interest: .all(wantsRows: true))
    difference.counts.inserted = 1
    difference.keep(
      [
        RowDifference.Entry(
          key: .rowid(key), old: nil, new: [.blob([UInt8](repeating: 0, count: bytes))])
      ], columns: ["v"])
    return Changeset([table: .rows(difference)])
  }

  private func note(_ queue: CommitQueue, _ event: DatabaseEvent, _ changeset: Changeset) {
    queue.note(event, changeset)?(nil)
  }

  @Test func `what a slow reader leaves waiting is forgotten as a whole`() {
    var limits = CommitQueue.Limits()
    (limits.commits, limits.bytes) = (3, 10_000)
    let queue = CommitQueue(FollowedTables(nil), limits: limits) { _ in }
    for number in 1...3 { note(queue, commit(number), changeset(Int64(number))) }
    #expect(queue.entries.map(\.isUnknown) == [false, false, false])
    note(queue, commit(4), changeset(4))
    #expect(queue.entries.map(\.isUnknown) == [true])
    #expect(queue.entries[0].count == 4 && queue.entries[0].commit.ordinal == 4)
    queue.drop(through: queue.entries[0].serial)
    note(queue, commit(5), changeset(5, bytes: 6_000))
    #expect(queue.entries.map(\.isUnknown) == [false])
    note(queue, commit(6), changeset(6, bytes: 6_000))
    #expect(queue.entries.map(\.isUnknown) == [true])
    #expect(queue.entries[0].count == 2)
  }

  @Test func `commits of tables that aren't followed don't wait`() {
    let queue = CommitQueue(FollowedTables(["T"])) { _ in }
    note(queue, commit(1), Changeset([TableID(name: "u"): .bulk(reason: "")]))
    note(queue, commit(2), Changeset([TableID(name: "sqlite_stat1"): .bulk(reason: "")]))
    #expect(queue.entries.isEmpty)
    #expect(queue.interest(in: TableID(name: "u")) == nil)
    #expect(queue.interest(in: table) == .all(wantsRows: true))
    note(queue, commit(3, .all(reason: "all")), Changeset(everything: "all"))
    note(queue, commit(4), Changeset([table: .bulk(reason: "")]))
    #expect(queue.entries.map(\.isUnknown) == [true, true])
    queue.ignore([table])
    #expect(queue.interest(in: table) == nil)
  }
}
