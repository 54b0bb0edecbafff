import TestSupport
import Testing

@testable import ObservationEngine

/// Which rows a commit of another process changed.
@Suite(.fewAtOnce)
struct ForeignRowsTests {
  /// A database with some tables, another process, and a follower that needs rows.
  private struct Scene {
    let db: TemporaryDatabase
    let other: ExternalProcess
    private let journal = Journal<(commit: Commit, changeset: Changeset)>()
    private let follower: EventFollower
    private let watch: CommitLog
    private let position = Position()

    private final class Position: @unchecked Sendable {
      // Touched by the test's task alone.
      var next = 0
    }

    init(_ preparation: String..., pragma: String = "auto_vacuum = 0") async throws {
      db = try await TemporaryDatabase(.wal)
      other = try await ExternalProcess.serve(db.path)
      try await other.send("PRAGMA \(pragma); VACUUM; PRAGMA wal_autocheckpoint = 0")
      for sql in ["CREATE TABLE fence(n INTEGER PRIMARY KEY)"] + preparation {
        try await other.send(sql)
      }
      follower = EventFollower(db.database, wanting: .all(wantsRows: true)) { [journal] in
        if case .commit(let commit) = $0 { journal.append((commit, $1)) }
      }
      watch = CommitLog(db.database)
      try await becomePrecise()
    }

    /// Commits until the rows are known: it takes a moment to find out whose the pages are.
    private func becomePrecise() async throws {
      try await wait(for: "a commit of which the rows are known") {
        let changeset = try await changeset("INSERT INTO fence VALUES (NULL)")
        return changeset.rowChanges(of: TableID(name: "fence"))?.count == 1
      }
    }

    func next() async throws -> (commit: Commit, changeset: Changeset) {
      defer { position.next += 1 }
      guard let entry = await journal.entry(at: position.next) else {
        throw Unexpected("there is no commit \(position.next)")
      }
      return entry
    }

    func changeset(_ sql: String) async throws -> Changeset {
      try await other.send(sql)
      return try await next().changeset
    }

    /// The rows of `table` that `sql` changed, in the order of their keys.
    func rows(_ sql: String, of table: String) async throws -> [RowChange] {
      let changeset = try await changeset(sql)
      let id = TableID(name: table)
      guard let rows = changeset.rowChanges(of: id) else {
        throw Unexpected("the rows are not known: \(String(describing: changeset[id]))")
      }
      return rows.sorted { "\($0.key)" < "\($1.key)" }
    }
  }

  @Test func `inserted, updated and deleted rows are known, old and new`() async throws {
    let scene = try await Scene("INSERT INTO player VALUES (1, 'ada', 5), (2, 'bob', 6)")
    let columns = ["id", "name", "score"]
    let rows = try await scene.rows(
      """
      BEGIN; INSERT INTO player VALUES (3, 'cid', 7); UPDATE player SET score = 8 WHERE id = 1; \
      DELETE FROM player WHERE id = 2; COMMIT
      """, of: "player")
    #expect(
      rows == [
        RowChange(
          table: "player", key: .rowid(1), old: Row(columns: columns, values: [1, "ada", 5]),
          new: Row(columns: columns, values: [1, "ada", 8])),
        RowChange(
          table: "player", key: .rowid(2), old: Row(columns: columns, values: [2, "bob", 6]),
          new: nil),
        RowChange(
          table: "player", key: .rowid(3), old: nil,
          new: Row(columns: columns, values: [3, "cid", 7])),
      ])
  }

  @Test func `values are those of results, to the bit`() async throws {
    let scene = try await Scene(
      "CREATE TABLE v(r REAL, n NUMERIC, t TEXT, x, s AS (n) STORED)",
      "CREATE TABLE w(x, r REAL, t TEXT COLLATE NOCASE, PRIMARY KEY (t, x)) WITHOUT ROWID")
    let rows = [
      "5.0, '7.0', 'é', x'00ff'", "-0.0, 1e30, '', x''", "9e999, '1x', NULL, 5",
      "1, -9223372036854775808, '-', CAST(x'61ff' AS TEXT)",
      "9e999 - 9e999, 3.25, CAST(x'410042' AS TEXT), 'text'",
    ]
    for row in rows {
      for sql in [
        "INSERT INTO v(r, n, t, x) VALUES (\(row))",
        "INSERT INTO w(r, x, t) SELECT r, n, ifnull(t, 'NULL') FROM v ORDER BY rowid DESC LIMIT 1",
      ] {
        let table = sql.contains("INTO v") ? "v" : "w"
        let change = try #require(try await scene.rows(sql, of: table).first)
        let values = try #require(change.new).values
        let place = table == "v" ? 1 : 0
        let found = try await scene.db.database.read { connection in
          try connection.fetchAll("SELECT * FROM \(raw: table)").rows
            .filter { $0[place] == values[place] }
        }
        #expect(found == [values])
        #expect(change.old == nil)
      }
    }
  }

  @Test func `texts that aren't UTF-8 are not taken for each other`() async throws {
    let scene = try await Scene(
      "INSERT INTO player VALUES (1, CAST(x'fe' AS TEXT), 5)",
      "CREATE TABLE w(k TEXT PRIMARY KEY) WITHOUT ROWID")
    let rows = try await scene.rows(
      "UPDATE player SET name = CAST(x'ff' AS TEXT)", of: "player")
    #expect(rows.map(\.kind) == [.update])
    // No key that is read of it would find the row.
    let changeset = try await scene.changeset("INSERT INTO w VALUES (CAST(x'ff' AS TEXT))")
    #expect(
      changeset[TableID(name: "w")] == .bulk(reason: "a key has a text that may not be UTF-8"))
  }

  @Test func `a row that gets another rowid is deleted and inserted`() async throws {
    let scene = try await Scene("INSERT INTO player VALUES (1, 'ada', 5)")
    let rows = try await scene.rows("UPDATE player SET id = 9", of: "player")
    #expect(rows.map(\.key) == [.rowid(1), .rowid(9)])
    #expect(rows.map(\.kind) == [.delete, .insert])
  }

  @Test func `a row as it was is no change`() async throws {
    let scene = try await Scene("INSERT INTO player VALUES (1, 'ada', 5)")
    let changeset = try await scene.changeset(
      "BEGIN; UPDATE player SET score = 6; UPDATE player SET score = 5; COMMIT")
    #expect(changeset.tables == [:])
    #expect(changeset.touchesInternals)
  }

  @Test func `rows older than a column have its default`() async throws {
    let scene = try await Scene(
      "INSERT INTO player VALUES (1, 'ada', 5), (2, 'bob', 5)",
      "ALTER TABLE player ADD COLUMN level REAL DEFAULT 3",
      "ALTER TABLE player ADD COLUMN note TEXT")
    let rows = try await scene.rows("UPDATE player SET name = 'eve' WHERE id = 2", of: "player")
    #expect(rows.map { $0.old?.values } == [[2, "bob", 5, 3.0, nil]])
    #expect(rows.map { $0.new?.values } == [[2, "eve", 5, 3.0, nil]])
  }

  /// What no INSERT writes: a number in a column of texts, `1.50` with both of its zeros.
  @Test(arguments: ["", " STRICT"])
  func `rows older than a column have what SQLite reads in them`(_ options: String) async throws {
    let types =
      options.isEmpty
      ? ["", "BLOB", "TEXT", "INTEGER", "REAL", "NUMERIC"]
      : ["ANY", "BLOB", "TEXT", "INTEGER", "REAL"]
    let defaults = [
      "1.50", "-1.50", "1e2", "5.", "1e400", "9223372036854775808", "9007199254740993.0", "(1.50)",
      "(CAST(1.50 AS TEXT))", "true", "FALSE", "'5'", "' 5 '", "'1e2'", "x'35'", "NULL", "-7",
      "+1.0",
    ]
    let scene = try await Scene()
    try await scene.other.send("CREATE TABLE t(id INTEGER PRIMARY KEY)\(options)")
    try await scene.other.send(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) \
      INSERT INTO t SELECT i FROM n
      """)
    var declarations = ["id"]
    for (type, text) in types.flatMap({ type in defaults.map { (type, $0) } }) {
      let declaration = "c\(declarations.count) \(type) DEFAULT \(text)"
      // A STRICT table refuses what its type doesn't allow.
      let isAccepted =
        (try? await scene.other.send("ALTER TABLE t ADD COLUMN \(declaration)")) != nil
      if isAccepted { declarations.append(declaration) }
    }
    #expect(declarations.count > 40)
    let expected = try await scene.db.database.read { connection in
      try connection.fetchAll("SELECT * FROM t WHERE id = 1").rows[0]
    }
    var change: RowChange?
    try await wait(for: "a commit of which the rows are known") {
      let changeset = try await scene.changeset("DELETE FROM t WHERE id = (SELECT min(id) FROM t)")
      change = changeset.rowChanges(of: TableID(name: "t"))?.first { $0.kind == .delete }
      return change != nil
    }
    let values = try #require(change?.old?.values)
    #expect(values.count == declarations.count)
    for (index, declaration) in declarations.enumerated().dropFirst() {
      #expect(values[index] == expected[index], "\(declaration)")
    }
  }

  @Test(arguments: ["auto_vacuum = 0", "auto_vacuum = 1"])
  func `rows are known across splits, merges and long rows`(_ pragma: String) async throws {
    let scene = try await Scene("CREATE TABLE doc(id INTEGER PRIMARY KEY, body)", pragma: pragma)
    let inserted = try await scene.rows(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) \
      INSERT INTO doc SELECT i, zeroblob(i * 20) FROM n
      """, of: "doc")
    #expect(inserted.count == 500)
    #expect(inserted.allSatisfy { $0.old == nil })
    let deleted = try await scene.rows("DELETE FROM doc WHERE id % 3", of: "doc")
    #expect(deleted.count == 334)
    #expect(deleted.allSatisfy { $0.new == nil && $0.old != nil })
    let grown = try await scene.rows(
      "UPDATE doc SET body = zeroblob(30000) WHERE id = 3", of: "doc")
    #expect(grown.map { $0.old?.values } == [[3, .blob([UInt8](repeating: 0, count: 60))]])
    #expect(grown.map { $0.new?.values } == [[3, .blob([UInt8](repeating: 0, count: 30_000))]])
    #expect(try await scene.rows("DELETE FROM doc", of: "doc").count == 166)
  }

  @Test func `each of several commits is reported by itself`() async throws {
    let scene = try await Scene("INSERT INTO player VALUES (1, 'ada', 0)")
    // What a query may have seen in between is a change, even if the last commit takes it back.
    let script = (1...20).map { "BEGIN; UPDATE player SET score = \($0 % 2); COMMIT;" }
    try await scene.other.send(script.joined(separator: " "))
    for number in 1...20 as ClosedRange<Int64> {
      let (commit, changeset) = try await scene.next()
      #expect(commit.count == 1)
      #expect(commit.rows == Commit.RowCounts(updated: 1))
      let row = try #require(changeset.rowChanges(of: TableID(name: "player"))?.first)
      #expect(row.old?.values[2] == .integer(1 - number % 2))
      #expect(row.new?.values[2] == .integer(number % 2))
    }
  }

  @Test func `too many rows are a change of the table`() async throws {
    let scene = try await Scene()
    let changeset = try await scene.changeset(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) \
      INSERT INTO player SELECT i, 'x', i FROM n
      """)
    // Or it takes too long to count them, on a slow machine.
    guard case .bulk? = changeset[TableID(name: "player")] else {
      Issue.record("the rows of a large commit are kept")
      return
    }
    #expect(try await scene.rows("DELETE FROM player WHERE id = 7", of: "player").count == 1)
  }

  @Test func `a transaction that was rolled back after it reached the log is nothing`() async throws
  {
    let scene = try await Scene("INSERT INTO player VALUES (1, 'ada', 5)")
    try await scene.other.send(
      "BEGIN; UPDATE player SET score = 6; INSERT INTO player VALUES (2, 'bob', 7)")
    try await scene.other.send(".spill")
    try await scene.other.send("ROLLBACK")
    let rows = try await scene.rows("UPDATE player SET name = 'eve'", of: "player")
    #expect(rows.map { $0.old?.values } == [[1, "ada", 5]])
    #expect(rows.map { $0.new?.values } == [[1, "eve", 5]])
  }

  @Test(arguments: ["PASSIVE", "RESTART", "TRUNCATE"])
  func `rows are known across a checkpoint`(_ mode: String) async throws {
    let scene = try await Scene("INSERT INTO player VALUES (1, 'ada', 0)")
    for score in 1...4 {
      try await scene.other.send("PRAGMA wal_checkpoint(\(mode))")
      let rows = try await scene.rows("UPDATE player SET score = \(score)", of: "player")
      #expect(rows.map { $0.old?.values[2] } == [.integer(Int64(score - 1))])
      #expect(rows.map { $0.new?.values[2] } == [.integer(Int64(score))])
    }
  }

  @Test
  func `rows of a large commit are known, although its writer copies it into the file at once`()
    async throws
  {
    let scene = try await Scene(
      """
      CREATE TABLE big AS \
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) \
      SELECT i, hex(zeroblob(300)) AS text FROM n
      """, "PRAGMA wal_checkpoint = TRUNCATE")
    // Pages reach the WAL before the commit, which copies all that it may.
    try await scene.other.send("PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 1")
    // The detector may be late.
    try await wait(for: "a commit whose rows are known") {
      try await scene.other.send("BEGIN IMMEDIATE")
      try await scene.other.send("UPDATE big SET text = text || 'x'")
      try await scene.other.send("COMMIT")
      return try await scene.next().changeset.rowChanges(of: TableID(name: "big"))?.count == 400
    }
  }

  @Test func `rows have their computed columns`() async throws {
    let scene = try await Scene(
      "CREATE TABLE c(id INTEGER PRIMARY KEY, d AS (a + 1) VIRTUAL, a, b, e TEXT AS (b || d))",
      "INSERT INTO c(a, b) VALUES (1, 1)")
    let table = TableID(name: "c")
    let changeset = try await scene.changeset("UPDATE c SET b = 2")
    guard case .rows(let difference)? = changeset[table] else {
      Issue.record("the difference is not known")
      return
    }
    #expect(difference.counts == Commit.RowCounts(updated: 1))
    #expect(difference.updatedColumns == ["b", "e"])
    let changes = try #require(changeset.rowChanges(of: table))
    #expect(changes.map(\.old?.values) == [[1, 2, 1, 1, "12"]])
    #expect(changes.map(\.new?.values) == [[1, 2, 1, 2, "22"]])
    #expect(changes.first?.new?.columns == ["id", "d", "a", "b", "e"])
    let gone = try await scene.rows("DELETE FROM c", of: "c")
    #expect(gone.map(\.old?.values) == [[1, 2, 1, 2, "22"]])
  }

  @Test func `of very many rows computed columns are not known, but counts and columns are`()
    async throws
  {
    let scene = try await Scene("CREATE TABLE c(id INTEGER PRIMARY KEY, a, d AS (a + 1))")
    let changeset = try await scene.changeset(
      "INSERT INTO c(a) SELECT value FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL "
        + "SELECT value + 1 FROM n LIMIT 1001) SELECT value FROM n)")
    guard case .rows(let difference)? = changeset[TableID(name: "c")] else {
      Issue.record("the difference is not known")
      return
    }
    #expect(difference.counts == Commit.RowCounts(inserted: 1_001))
    #expect(changeset.rowChanges(of: TableID(name: "c")) == nil)
    let update = try await scene.changeset("UPDATE c SET a = 0")
    guard case .rows(let updated)? = update[TableID(name: "c")] else {
      Issue.record("the difference is not known")
      return
    }
    #expect(updated.updatedColumns == ["a", "d"])
  }

  @Test func `a commit runs only the queries that its rows and columns concern`() async throws {
    let scene = try await Scene(
      "INSERT INTO player VALUES (1, 'ada', 5), (2, 'bob', 6)")
    let runs = Journal<String>()
    func observe(_ name: String, _ sql: SQL) -> some AsyncSequence {
      scene.db.database.observe { connection in
        runs.append(name)
        return try connection.fetchAll(sql).rows
      }
    }
    var first = observe("row 1", "SELECT name, score FROM player WHERE id = 1").makeAsyncIterator()
    var names = observe("names", "SELECT name FROM player").makeAsyncIterator()
    _ = try await first.next()
    _ = try await names.next()
    // Neither its row, nor its column.
    _ = try await scene.rows("UPDATE player SET score = 60 WHERE id = 2", of: "player")
    // Not its column.
    _ = try await scene.rows("UPDATE player SET score = 50 WHERE id = 1", of: "player")
    _ = try await first.next()
    // Not its row.
    _ = try await scene.rows("UPDATE player SET name = 'eve' WHERE id = 2", of: "player")
    _ = try await names.next()
    #expect(runs.entries == ["row 1", "names", "row 1", "names"])
  }

  @Test func `rows that would come out of order are left out`() async throws {
    let scene = try await Scene()
    let player = TableID(name: "player")
    var changeset = Changeset([player: .rows(Commit.RowCounts(inserted: 1), updatedColumns: [])])
    for isNext in [true, false] {
      scene.db.database.commits.publish(
        origin: .external, changeset: changeset, isNext: { isNext })
      let (commit, published) = try await scene.next()
      #expect(commit.tables == .named(["player"]))
      #expect(commit.rows == (isNext ? Commit.RowCounts(inserted: 1) : nil))
      if !isNext { changeset.forgetRows("an own commit came right after it") }
      #expect(published == changeset)
    }
  }

  @Test func `observed rows follow each other while both sides write without a pause`() async throws
  {
    let scene = try await Scene("INSERT INTO player VALUES (1, 'ada', 0)")
    try await scene.other.send("PRAGMA busy_timeout = 30000")
    let changes = try await scene.db.database.changes(of: "player")
    async let seen = {
      var seen: [RowChange] = []
      for try await change in changes {
        seen.append(change)
        if change.new?.values[2] == 1_000 { break }
      }
      return seen
    }()
    // Back and forth: what is taken for older than it is would leave a wrong row.
    try scene.other.tell(
      (1...300).map { "BEGIN IMMEDIATE; UPDATE player SET score = \($0 % 2); COMMIT;" }
        .joined(separator: " "))
    for number in 1...300 {
      try await scene.db.write(script: "UPDATE player SET score = \(1 - number % 2)")
    }
    _ = try await scene.other.answer()
    try await scene.db.write(script: "UPDATE player SET score = 1000")
    let found = try await seen
    var last: Row? = Row(columns: ["id", "name", "score"], values: [1, "ada", 0])
    for change in found {
      #expect(change.old == last)
      last = change.new
    }
  }

  @Test func `observed rows come from the pages, without reading the table again`() async throws {
    let scene = try await Scene("INSERT INTO player VALUES (1, 'ada', 5), (2, 'bob', 6)")
    let changes = try await scene.db.database.changes(of: "player", where: "score > 5")
    var iterator = changes.makeAsyncIterator()
    _ = try await scene.rows("UPDATE player SET score = 9 WHERE id = 1", of: "player")
    let appeared = try #require(try await iterator.next())
    #expect(appeared.kind == .insert)
    #expect(appeared.new?.values == [1, "ada", 9])
    _ = try await scene.rows("DELETE FROM player WHERE id = 2", of: "player")
    let gone = try #require(try await iterator.next())
    #expect(gone.kind == .delete)
    #expect(gone.old?.values == [2, "bob", 6])
  }
}
