import DatabaseConsole
import TestSupport
import Testing

@testable import ObservationEngine

/// Random own transactions on random tables: the changed rows that are told are those between two looks at the table.
@Suite(.fewAtOnce)
struct OwnRowsOracleTests {
  @Test func `changed rows are those that differ`() async throws {
    let first = Soak.seed
    let end = ContinuousClock.now.advanced(by: .seconds(Soak.seconds))
    var report = Report()
    var seed = first
    repeat {
      var table = Table(seed: seed)
      try await table.run(&report)
      seed &+= 1
    } while Soak.isOn ? ContinuousClock.now < end : seed < first &+ 120
    print("own rows, seeds from \(first) on: \(report)")
    // Many of these tables have what the hooks can't tell.
    #expect(report.known > report.unknown / 2)
    #expect(report.computed > 0 && report.doubtful > 0)
  }

  private struct Report: CustomStringConvertible {
    var (known, unknown, computed, doubtful) = (0, 0, 0, 0)

    var description: String {
      "\(known) transactions told by rows, \(computed) of them with computed columns; "
        + "\(unknown) not, \(doubtful) of them for a number"
    }
  }

  private struct Table {
    let seed: UInt64
    var random: SeededRandom
    /// The columns that can be written.
    private var ordinary: [String] = []
    private var key: [String] = []
    private var hasComputed = false
    private let declaration: String

    init(seed: UInt64) {
      self.seed = seed
      random = SeededRandom(seed: seed)
      let types = ["", "INTEGER", "REAL", "TEXT", "NUMERIC", "DOUBLE", "BLOB"]
      var columns: [String] = []
      for number in 0..<Int.random(in: 3...6, using: &random) {
        ordinary.append("c\(number)")
        columns.append("c\(number) \(types.randomElement(using: &random)!)")
      }
      let expressions = [
        "c0 + 1", "c1 || 'x'", "typeof(c0)", "c1 * 1.0", "json_array(c0, c2)", "ifnull(c2, c1)",
      ]
      for number in 0..<Int.random(in: 0...3, using: &random) {
        let isStored = random.onceIn(3)
        hasComputed = hasComputed || !isStored
        let column =
          "g\(number) \(types.randomElement(using: &random)!) "
          + "AS (\(expressions.randomElement(using: &random)!)) \(isStored ? "STORED" : "VIRTUAL")"
        columns.insert(
          column,
          at: random.onceIn(2) ? columns.count : Int.random(in: 0...columns.count, using: &random))
      }
      var ending = ""
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        key = Array(ordinary.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)))
        columns.append("PRIMARY KEY (\(key.joined(separator: ", ")))")
        ending = " WITHOUT ROWID"
      case 1:
        ordinary.append("id")
        let place = random.onceIn(2) ? 0 : Int.random(in: 0...columns.count, using: &random)
        columns.insert("id INTEGER PRIMARY KEY", at: place)
      default: break
      }
      declaration = "CREATE TABLE t (\(columns.joined(separator: ", ")))\(ending)"
    }

    private var value: String {
      mutating get {
        [
          "NULL", "0", "1", "5", "-3", "9007199254740993", "9223372036854775807", "5.0", "0.5",
          "-0.0", "1e300",
          "'a'", "'5'", "'5.0'", "x'0041'", "''", "'é'", "1e18",
        ].randomElement(using: &random)!
      }
    }

    private var statement: String {
      mutating get {
        let resolution = random.onceIn(2) ? "REPLACE" : "IGNORE"
        let column = ordinary.randomElement(using: &random)!
        let condition = [
          "true", "\(column) = \(value)", "typeof(\(column)) = 'integer'", "random() % 3 = 0",
        ]
        .randomElement(using: &random)!
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<4:
          let values = ordinary.map { _ in value }.joined(separator: ", ")
          return
            "INSERT OR \(resolution) INTO t(\(ordinary.joined(separator: ", "))) VALUES (\(values))"
        case 4..<7: return "UPDATE OR \(resolution) t SET \(column) = \(value) WHERE \(condition)"
        default: return "DELETE FROM t WHERE \(condition)"
        }
      }
    }

    /// All rows, by their keys.
    private func rows(_ db: TemporaryDatabase) async throws -> [String: [Value]] {
      let keys = key.isEmpty ? "_rowid_" : key.joined(separator: ", ")
      let count = max(1, key.count)
      let rows = try await db.database.read {
        try $0.fetchAll(SQL(raw: "SELECT \(keys), * FROM t")).rows
      }
      return Dictionary(
        uniqueKeysWithValues: rows.map {
          ($0.prefix(count).map(Self.text).joined(separator: ", "), Array($0.dropFirst(count)))
        })
    }

    mutating func run(_ report: inout Report) async throws {
      let db = try await TemporaryDatabase(.memory, schema: declaration)
      let names = try await db.database.read {
        try $0.fetchAll(SQL(raw: "SELECT * FROM t")).columns
      }
      let journal = Journal<Changeset>()
      // Sometimes one column matters alone.
      let only = random.onceIn(3) ? names.randomElement(using: &random)! : nil
      var interest = TableInterest.all(wantsRows: only == nil)
      if let only { interest.columns = [only] }
      let follower = EventFollower(db.database, wanting: interest) { event, changeset in
        if case .commit = event { journal.append(changeset) }
      }
      defer { withExtendedLifetime(follower) {} }
      var before = try await rows(db)
      for number in 0..<10 {
        if number == 5, random.onceIn(4) {
          try await db.write(script: "ALTER TABLE t ADD COLUMN x\(number) DEFAULT \(value)")
          before = try await rows(db)
          guard only == nil else { return }
        }
        let statements = (0..<Int.random(in: 1...4, using: &random)).map { _ in statement }
        let count = journal.entries.count
        try await db.database.write { connection in
          // A key that is NULL, or a number that is too large, ends a statement.
          for sql in statements { _ = try? connection.execute(SQL(raw: sql)) }
        }
        let after = try await rows(db)
        let place = "seed \(seed): \(declaration); \(statements.joined(separator: "; "))"
        let change = journal.entries.dropFirst(count).last?.tables[TableID(name: "t")]
        if let only {
          check(only, names, before, after, change, place)
        } else {
          check(before, after, change, place, &report)
        }
        before = after
      }
      await db.database.close()
    }

    private func check(
      _ before: [String: [Value]], _ after: [String: [Value]], _ change: TableChange?,
      _ place: String,
      _ report: inout Report
    ) {
      var expected: [String: String] = [:]
      for key in Set(before.keys).union(after.keys) {
        let (old, new) = (before[key], after[key])
        if let old, let new, zip(old, new).allSatisfy({ $0.isSurely($1) }) { continue }
        expected[key] = Self.text(old, new)
      }
      switch change {
      case nil: #expect(expected.isEmpty, "\(place)")
      case .bulk(let reason):
        report.unknown += 1
        if reason.contains("exactly") { report.doubtful += 1 }
      case .rows(let difference):
        guard difference.interest.wantsRows else {
          report.unknown += 1
          return
        }
        report.known += 1
        if hasComputed { report.computed += 1 }
        var told: [String: String] = [:]
        for entry in difference.entries {
          let key =
            switch entry.key {
            case .rowid(let rowid): "\(rowid)"
            case .primaryKey(let values): values.map(Self.text).joined(separator: ", ")
            }
          told[key] = Self.text(entry.old, entry.new)
        }
        #expect(told == expected, "\(place)")
      }
    }

    private static func text(_ old: [Value]?, _ new: [Value]?) -> String {
      [old, new].map { row in
        row.map { $0.map(text).joined(separator: ", ") } ?? "none"
      }.joined(separator: " to ")
    }

    private static func text(_ value: Value) -> String {
      switch value {
      case .integer(let number): "\(number)"
      case .real(let number): "\(number)"
      case .text(let text): "'\(text)'"
      default: "\(value)"
      }
    }

    /// What is read of one column is never missed.
    private func check(
      _ column: String, _ names: [String], _ before: [String: [Value]], _ after: [String: [Value]],
      _ change: TableChange?, _ place: String
    ) {
      let index = names.firstIndex(of: column)!
      let differs = Set(before.keys).union(after.keys).contains { key in
        guard let old = before[key], let new = after[key] else { return true }
        return !old[index].isSurely(new[index])
      }
      let isTold = change.map { $0.affects(Region.Part(columns: [column])) } ?? false
      #expect(isTold || !differs, "\(column), \(place)")
    }
  }
}
