import ObservationEngine
import TestSupport
import Testing

@testable import ObservationPostgres

/// The way of a commit from its report to the snapshot that shows it, without a server.
@Suite struct LogFollowerTests {
  /// A log that says what a test wrote.
  private final class ScriptedStream: LogStream {
    var reports: [ReportedTransactions.Ended] = []
    var firstNext: UInt32?
    var failure: String?
    var takenUpTo: UInt64 = 0
    var lag: Int64 = 0
    var lateAt: UInt64 = 0
    var reporter = CommitReporter.log
    var hasNews = false
    var isArriving = false
    let descriptor: Int32 = -1
    var servedBy: UInt64 = .max
    var heardAt: UInt64 = 0
    var unansweredSince: UInt64? { nil }

    func serve() {}

    func take() -> [ReportedTransactions.Ended] {
      defer { reports = [] }
      return reports
    }
  }

  private static let database: UInt32 = 5
  private static let players: UInt32 = 100
  private static let teams: UInt32 = 200
  private static let catalog: UInt32 = 300

  private let stream = ScriptedStream()

  /// A map of two tables and a catalog, whose files have the numbers of their tables.
  private func follower(_ barrier: LogFollower.Barrier) -> LogFollower {
    func row(_ oid: UInt32, _ schema: String, _ name: String) -> [Value] {
      [
        .integer(Int64(oid)), .integer(Int64(oid)), .integer(0), .text(schema), .text(name),
        .integer(1), .integer(1),
      ]
    }
    let rows = [
      row(Self.players, "public", "players"), row(Self.teams, "public", "teams"),
      row(Self.catalog, "pg_catalog", "pg_class"),
    ]
    return LogFollower(stream, barrier, TableMap(database: Self.database, rows: rows, former: nil))
  }

  private func onPrimary() -> LogFollower { follower(.primary(CommitBarrier(running: []))) }

  private func commit(_ xid: UInt32, to files: UInt32..., end: UInt64 = .max)
    -> ReportedTransactions.Ended
  {
    ReportedTransactions.Ended(
      xid: xid, isCommit: true,
      files: Set(files.map { WALRecord.RelationFile(database: Self.database, number: $0) }),
      end: end)
  }

  private func query(_ sql: String, reads: Set<UInt32>?) -> TrackedQuery {
    let query = TrackedQuery(TrackedQuery.Key(statement: ServerStatement(sql), values: []))
    query.reads = reads.map { TrackedQuery.Reads(relations: $0) }
    return query
  }

  private func snapshot(_ mark: String, schema: String? = nil) -> PanelReader.Snapshot {
    PanelReader.Snapshot(mark: mark, view: nil, outcomes: [], schemaMark: schema)
  }

  private func names(_ queries: [TrackedQuery]?) -> [String]? {
    queries.map { $0.map(\.key.statement.text).sorted() }
  }

  // MARK: - On a primary

  @Test func `a commit concerns the queries that read its tables, or whose reads are unknown`() {
    let follower = onPrimary()
    let queries = [
      query("players", reads: [Self.players]), query("teams", reads: [Self.teams]),
      query("unknown", reads: nil),
    ]
    #expect(follower.due(at: 0, among: queries) == nil)
    stream.reports = [commit(10, to: Self.players)]
    #expect(follower.take(at: 0).hasCommits)
    #expect(names(follower.due(at: 0, among: queries)) == ["players", "unknown"])
    let verdict = follower.judge(snapshot("11:11:"), at: 0, among: queries)
    #expect(names(verdict.others) == ["players", "unknown"])
    #expect(verdict.changes.map(\.tables) == [.named(["players"])])
    #expect(!verdict.concernsAll && !verdict.reloadsMap && !verdict.isPending)
    #expect(follower.due(at: 0, among: queries) == nil)
  }

  @Test func `a file that came after the map concerns everything, and the map is read again`() {
    let follower = onPrimary()
    let queries = [query("teams", reads: [Self.teams])]
    stream.reports = [commit(10, to: 999)]
    _ = follower.take(at: 0)
    #expect(names(follower.due(at: 0, among: queries)) == ["teams"])
    let verdict = follower.judge(snapshot("11:11:"), at: 0, among: queries)
    #expect(verdict.concernsAll && verdict.reloadsMap)
    #expect(verdict.changes.map(\.kind) == [.schema])
  }

  @Test func `a change of a catalog concerns everything, and the map is read again`() {
    let follower = onPrimary()
    stream.reports = [commit(10, to: Self.catalog)]
    _ = follower.take(at: 0)
    let verdict = follower.judge(snapshot("11:11:"), at: 0, among: [])
    #expect(verdict.concernsAll && verdict.reloadsMap)
    #expect(verdict.changes.map(\.kind) == [.schema])
  }

  @Test func `a commit of another database is worth a snapshot, and concerns nothing`() {
    let follower = onPrimary()
    var foreign = commit(10)
    foreign.files = [WALRecord.RelationFile(database: 6, number: Self.players)]
    stream.reports = [foreign]
    _ = follower.take(at: 0)
    let queries = [query("players", reads: [Self.players])]
    #expect(names(follower.due(at: 0, among: queries)) == [])
    let verdict = follower.judge(snapshot("11:11:"), at: 0, among: queries)
    #expect(verdict.others.isEmpty && verdict.changes.isEmpty && !verdict.concernsAll)
  }

  @Test func `what a snapshot lacks is looked for ever more seldom, and no query runs for it`() {
    let follower = onPrimary()
    let queries = [query("players", reads: [Self.players])]
    stream.reports = [commit(10, to: Self.players)]
    _ = follower.take(at: 0)
    var now: UInt64 = 1_000
    var waits: [UInt64] = []
    for _ in 1...12 {
      let verdict = follower.judge(snapshot("10:11:10"), at: now, among: queries)
      #expect(verdict.isPending && verdict.others.isEmpty && verdict.changes.isEmpty)
      #expect(follower.due(at: now, among: queries) == nil)
      let next = follower.nextCheck(refreshAt: 0)
      waits.append(next - now)
      now = next
      #expect(names(follower.due(at: now, among: queries)) == [])
    }
    #expect(waits.prefix(3) == [100_000, 200_000, 400_000])
    #expect(waits.last == 50_000_000)
    // The next report may be worth it at once.
    stream.reports = [commit(11, to: Self.teams)]
    _ = follower.take(at: now)
    #expect(follower.nextCheck(refreshAt: 7) == 7)
    let verdict = follower.judge(snapshot("12:12:"), at: now, among: queries)
    #expect(verdict.changes.map(\.tables) == [.named(["players"]), .named(["teams"])])
    #expect(names(verdict.others) == ["players"])
    #expect(follower.nextCheck(refreshAt: 7) == .max)
  }

  @Test func `what was shown before the log reported it is not reported a second time`() {
    let follower = onPrimary()
    let queries = [query("players", reads: [Self.players])]
    _ = follower.judge(snapshot("10:10:"), at: 0, among: queries)
    let early = follower.judge(snapshot("11:11:"), at: 0, among: queries)
    #expect(early.concernsAll && early.unreported == [10])
    follower.noteShownEarly(early)
    stream.reports = [commit(10, to: Self.players, Self.catalog)]
    _ = follower.take(at: 0)
    let late = follower.judge(snapshot("11:11:"), at: 0, among: queries)
    #expect(late.changes.isEmpty)
    // What it means for the queries is known only now.
    #expect(late.concernsAll && late.reloadsMap)
  }

  @Test func `a transaction that was rolled back is no commit`() {
    let follower = onPrimary()
    stream.reports = [ReportedTransactions.Ended(xid: 10, isCommit: false)]
    let news = follower.take(at: 0)
    #expect(!news.hasCommits && news.rolledBack == [10])
    #expect(follower.due(at: 0, among: []) == nil)
  }

  @Test func `after a commit that was reported late the snapshot is polled for ten seconds`() {
    let follower = onPrimary()
    let second: UInt64 = 1_000_000_000
    #expect(!follower.wantsMark(at: second, every: 5) && !follower.pollsBesides)
    stream.lateAt = second
    #expect(follower.wantsMark(at: second, every: 5) && follower.pollsBesides)
    #expect(follower.due(at: second, among: []) == nil)
    follower.takeMark("10:10:")
    #expect(names(follower.due(at: second, among: [])) == [])
    _ = follower.judge(snapshot("10:10:"), at: second, among: [])
    #expect(follower.due(at: second, among: []) == nil)
    #expect(follower.nextCheck(refreshAt: 0) == second + 20_000_000)
    #expect(!follower.wantsMark(at: second + 1, every: 5))
    #expect(!follower.wantsMark(at: 11 * second, every: 5))
    #expect(!follower.pollsBesides && follower.nextCheck(refreshAt: 0) == .max)
  }

  @Test func `a poll that finds the last snapshot again leads to none`() {
    stream.reporter = .decoder
    let follower = onPrimary()
    _ = follower.judge(snapshot("10:12:10"), at: 0, among: [])
    #expect(follower.wantsMark(at: 1, every: 5))
    follower.takeMark("10:12:10")
    #expect(follower.due(at: 1, among: []) == nil)
    #expect(!follower.wantsMark(at: 5, every: 5))
    #expect(follower.wantsMark(at: 6, every: 5))
    // The one that was running has ended.
    follower.takeMark("12:12:")
    #expect(names(follower.due(at: 6, among: [])) == [])
    // It stays due.
    follower.takeMark("10:12:10")
    #expect(names(follower.due(at: 6, among: [])) == [])
    _ = follower.judge(snapshot("12:12:"), at: 6, among: [])
    follower.takeMark(nil)
    #expect(names(follower.due(at: 6, among: [])) == [])
  }

  @Test func `a poll waits for the rest of a transaction that is being reported`() {
    stream.reporter = .triggers
    let follower = onPrimary()
    let second: UInt64 = 1_000_000_000
    stream.isArriving = true
    #expect(!follower.wantsMark(at: second, every: 5))
    #expect(follower.nextCheck(refreshAt: 0) == second + 1_000_000)
    stream.isArriving = false
    #expect(follower.wantsMark(at: second + 1_000_000, every: 5))
  }

  @Test func `where the server decodes its log, another schema concerns everything`() {
    stream.reporter = .decoder
    let follower = onPrimary()
    let first = follower.judge(snapshot("10:10:", schema: "a"), at: 0, among: [])
    #expect(!first.concernsAll)
    let same = follower.judge(snapshot("10:10:", schema: "a"), at: 0, among: [])
    #expect(!same.concernsAll)
    let other = follower.judge(snapshot("10:10:", schema: "b"), at: 0, among: [])
    #expect(other.concernsAll && other.reloadsMap)
  }

  @Test func `a notice of a number that no transaction has concerns everything, once`() {
    stream.reporter = .triggers
    let follower = follower(.primary(CommitBarrier(running: [], reportsVisible: true)))
    let queries = [query("teams", reads: [Self.teams])]
    _ = follower.judge(snapshot("10:10:"), at: 0, among: queries)
    stream.reports = [commit(4_000_000, to: Self.players)]
    #expect(follower.take(at: 0).hasCommits)
    #expect(follower.due(at: 0, among: queries) != nil)
    let verdict = follower.judge(snapshot("10:10:"), at: 0, among: queries)
    #expect(verdict.concernsAll && !verdict.isPending)
    #expect(!follower.isWaiting && follower.due(at: 0, among: queries) == nil)
    #expect(follower.nextCheck(refreshAt: 7) == .max)
    let next = follower.judge(snapshot("10:10:"), at: 0, among: queries)
    #expect(!next.concernsAll && next.changes.isEmpty)
  }

  // MARK: - On a standby

  private func replayed(_ before: UInt64, _ after: UInt64, received: UInt64) -> PanelReader.Snapshot
  {
    let view = ReplicaBarrier.View(before: before, after: after, received: received)
    return PanelReader.Snapshot(mark: "", view: view, outcomes: [])
  }

  @Test func `a standby's commit waits until it is replayed, and is reported once that is sure`() {
    let follower = follower(.replica(ReplicaBarrier()))
    let queries = [query("players", reads: [Self.players])]
    stream.firstNext = 10
    stream.reports = [commit(10, to: Self.players, end: 50)]
    stream.takenUpTo = 50
    _ = follower.take(at: 0)
    #expect(follower.due(at: 0, among: queries) == nil)
    #expect(follower.wantsReplayed(at: 0))
    follower.takeReplayed(40, at: 0)
    #expect(!follower.wantsReplayed(at: 0) && follower.wantsReplayed(at: 100_000))
    // Another query was due meanwhile.
    let perhaps = follower.judge(replayed(40, 50, received: 50), at: 0, among: queries)
    #expect(names(perhaps.others) == ["players"] && perhaps.changes.isEmpty)
    #expect(perhaps.mayShowUpTo == 50 && !perhaps.concernsAll && !perhaps.reloadsMap)
    follower.takeReplayed(50, at: 100_000)
    #expect(names(follower.due(at: 100_000, among: queries)) == ["players"])
    let sure = follower.judge(replayed(50, 50, received: 50), at: 0, among: queries)
    #expect(sure.changes.map(\.tables) == [.named(["players"])] && sure.mayShowUpTo == 0)
  }

  @Test func `what a standby showed early is not reported a second time`() {
    let follower = follower(.replica(ReplicaBarrier()))
    let early = follower.judge(replayed(40, 60, received: 60), at: 0, among: [])
    #expect(early.concernsAll && early.mayShowUpTo == 60)
    follower.noteShownEarly(early)
    stream.firstNext = 10
    stream.reports = [commit(10, to: Self.players, end: 60), commit(11, to: Self.teams, end: 70)]
    stream.takenUpTo = 70
    _ = follower.take(at: 0)
    let late = follower.judge(replayed(70, 70, received: 70), at: 0, among: [])
    #expect(late.changes.map(\.tables) == [.named(["teams"])])
  }

  @Test func `a standby that is late is not asked more often because more is reported`() {
    let follower = follower(.replica(ReplicaBarrier()))
    stream.reports = [commit(10, to: Self.players, end: 50)]
    _ = follower.take(at: 0)
    follower.takeReplayed(40, at: 0)
    stream.reports = [commit(11, to: Self.players, end: 60)]
    _ = follower.take(at: 10)
    #expect(!follower.wantsReplayed(at: 10))
  }
}
