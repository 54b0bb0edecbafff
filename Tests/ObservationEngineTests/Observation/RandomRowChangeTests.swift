import TestSupport
import Testing

@testable import ObservationEngine

/// Changes against the obvious oracle: applied to a copy of the rows, they keep it equal to the table.
@Suite(.fewAtOnce)
struct RandomRowChangeTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64], [nil, "x % 3 = 1"])
  func `a copy that follows the changes equals the table`(
    _ seed: UInt64, _ condition: String?
  ) async throws {
    var random = SeededRandom(seed: seed)
    let db = try await TemporaryDatabase(
      seed.isMultiple(of: 2) ? .wal : .rollbackJournal,
      schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, x INT)")
    let other = try await ExternalProcess.serve(db.path)
    var changes = try await db.database.changes(of: "t", where: condition.map { SQL(raw: $0) })
      .makeAsyncIterator()
    var copy: [Int64: [Value]] = [:]
    for round in 0..<12 {
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let statement = Self.statement(&random)
        if Bool.random(using: &random) {
          try await db.write(script: statement)
        } else {
          try await other.send(statement)
        }
      }
      // A fence: a row that only this adds.
      let fence = 1_000 + round
      try await db.write(script: "INSERT INTO t VALUES (\(fence), 1)")
      while copy[Int64(fence)] == nil {
        let change = try #require(try await changes.next(), "seed \(seed)")
        guard case .rowid(let id) = change.key else { throw Unexpected("\(change.key)") }
        #expect(copy[id] == change.old?.values, "seed \(seed), round \(round)")
        copy[id] = change.new?.values
      }
    }
    // A commit of the other process may be noticed after an own one that came later: all is told in
    // the end, and nothing else.
    let rows = try await db.database.read { connection in
      try connection.fetchAll("SELECT id, x FROM t WHERE \(raw: condition ?? "1")").rows
    }
    let expected = Dictionary(uniqueKeysWithValues: rows.map { ($0[0].integer ?? 0, $0) })
    while copy != expected {
      let change = try #require(try await changes.next(), "seed \(seed)")
      guard case .rowid(let id) = change.key else { throw Unexpected("\(change.key)") }
      #expect(copy[id] == change.old?.values, "seed \(seed)")
      copy[id] = change.new?.values
    }
  }

  private static func statement(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 1...6, using: &random)
    let value = Int.random(in: 0...5, using: &random)
    return switch Int.random(in: 0..<5, using: &random) {
    case 0: "DELETE FROM t WHERE id = \(id)"
    case 1: "INSERT OR IGNORE INTO t VALUES (\(id), \(value))"
    case 2: "UPDATE t SET x = x + 1 WHERE id < 1000"
    case 3: "UPDATE OR IGNORE t SET id = \(id) WHERE id = \(1 + id % 6)"
    default: "INSERT OR REPLACE INTO t VALUES (\(id), \(value))"
    }
  }

  @Test
  func `every relation of what was told to what comes`() {
    let a = Row(columns: ["x"], values: [1])
    let b = Row(columns: ["x"], values: [2])
    let c = Row(columns: ["x"], values: [3])
    let key = RowChange.Key.rowid(1)
    let states: [Row?] = [nil, a, b, c]
    for told in states {
      for old in states {
        for new in states where old != new {
          var rows = MatchingRows(told.map { [key: $0] } ?? [:])
          let isNews = rows.apply(key, old: old, new: new)
          if told == old {
            #expect(isNews == true && rows.rows?[key] == new)
          } else if told == new {
            #expect(isNews == false && rows.rows?[key] == told)
          } else {
            #expect(isNews == nil && rows.rows?[key] == told)
          }
        }
      }
    }
    var unkept = MatchingRows(nil)
    #expect(unkept.apply(key, old: a, new: b) == true)
    #expect(unkept.apply(key, old: a, new: a) == false)
  }

  @Test
  func `notes keep the oldest and the newest row, until rows are unknown`() {
    let rows = (0...2).map { Row(columns: ["x"], values: [.integer($0)]) }
    func change(_ old: Row?, _ new: Row?) -> RowChange {
      RowChange(table: "t", key: .rowid(1), old: old, new: new)
    }
    var notes = RowChangeNotes()
    #expect(notes.isEmpty)
    notes.note([change(nil, rows[0])])
    notes.note([change(rows[0], rows[1])])
    #expect(notes.keys == [.rowid(1)])
    #expect(notes.changes[.rowid(1)]?.old == nil && notes.changes[.rowid(1)]?.new == rows[1])
    notes.noteUntold("first")
    notes.noteUntold("second")
    notes.note([change(rows[1], rows[2])])
    #expect(notes.untold == "first" && notes.changes.isEmpty && !notes.isEmpty)
  }
}
