import ObservationEngine
import TestSupport
import Testing

/// Random transactions, compared with the obvious slow oracle: all tables before and after.
@Suite(.fewAtOnce)
struct RandomCommitTests {
  @Test(arguments: StorageKind.allCases, [1, 2, 3, 4] as [UInt64])
  func `a changeset is the difference that the transaction made`(
    _ kind: StorageKind, seed: UInt64
  ) async throws {
    // The changes are those that observers alone need.
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.maintenanceMemory = 0
    let db = try await TemporaryDatabase(
      kind, configuration: configuration, schema: RandomTransaction.schema)
    try await db.run("PRAGMA foreign_keys = ON")
    let log = CommitLog(db.database)
    let recorders = RandomTransaction.queries.map { db.database.record(.rows(SQL(raw: $0))) }
    var states: [[RowSet]] = []
    states.append(try await fetch(db))
    var random = SeededRandom(seed: seed)
    var before = try await Dump(db)
    for step in 0..<60 {
      let transaction = RandomTransaction(using: &random)
      let isCommitted = await transaction.run(db)
      let after = try await Dump(db)
      let comment = Comment(rawValue: "seed \(seed), step \(step): \(transaction)")
      guard isCommitted else {
        #expect(after == before, comment)
        continue
      }
      // Not every transaction changes something: a fence tells where its changeset ends.
      let count = log.commits.count
      try await db.write(script: "UPDATE fence SET x = x + 1")
      var changesets: [Changeset] = []
      while true {
        let (event, changeset) = try await log.nextEventAndChangeset()
        guard case .commit = event else { continue }
        if changeset.tables.keys.contains(TableID(name: "fence")) { break }
        changesets.append(changeset)
      }
      #expect(changesets.count <= 1, comment)
      #expect(log.commits.count >= count)
      after.check(changesets.first ?? Changeset(), since: before, comment)
      before = after
      states.append(try await fetch(db))
    }
    #expect(log.count(.external) == 0)
    // What was observed is what a new fetch finds, and was some committed state before.
    for (index, recorder) in recorders.enumerated() {
      let known = states.map { $0[index] }
      var last = try await recorder.next().value
      #expect(known.contains(last))
      while last != known.last {
        last = try await recorder.next().value
        #expect(known.contains(last), "seed \(seed), \(RandomTransaction.queries[index])")
      }
    }
  }

  private func fetch(_ db: TemporaryDatabase) async throws -> [RowSet] {
    try await db.database.read { connection in
      try RandomTransaction.queries.map { try connection.fetchAll(SQL(raw: $0)) }
    }
  }
}

/// The content of all tables: each row by what identifies it.
private struct Dump: Equatable {
  var tables: [String: [Value: [Value]]] = [:]
  var columns: [String: [String]] = [:]

  init(_ db: TemporaryDatabase) async throws {
    for (table, key) in RandomTransaction.tables {
      let result = try await db.database.read {
        try $0.fetchAll("SELECT \(raw: key), * FROM \(raw: table)")
      }
      columns[table] = Array(result.columns.dropFirst())
      tables[table] = Dictionary(
        uniqueKeysWithValues: result.rows.map { ($0[0], Array($0.dropFirst())) })
    }
  }

  func check(_ changeset: Changeset, since before: Dump, _ comment: Comment) {
    for (table, new) in tables {
      let old = before.tables[table] ?? [:]
      var counts = Commit.RowCounts()
      var changed: Set<String> = []
      for (key, row) in new {
        guard let oldRow = old[key] else {
          counts.inserted += 1
          continue
        }
        if row != oldRow { counts.updated += 1 }
        for (index, column) in (columns[table] ?? []).enumerated() where row[index] != oldRow[index]
        {
          changed.insert(column)
        }
      }
      counts.deleted = old.keys.count { new[$0] == nil }
      let id = TableID(name: table)
      if counts == Commit.RowCounts() {
        if changeset.everythingReason == nil { #expect(changeset.tables[id] == nil, comment) }
        continue
      }
      #expect(changeset.tables[id] == .rows(counts, updatedColumns: changed), comment)
      // And so it would be noticed by whoever reads what changed.
      let read =
        counts.inserted + counts.deleted > 0 ? [""] : columns[table]!.filter(changed.contains)
      for column in read {
        var region = Region()
        region.insert(column: column, of: id)
        #expect(changeset.affects(region), comment)
      }
    }
  }
}
