import ObservationEngine
import TestSupport
import Testing

/// Closures within closures: of one database, and of two.
@Suite(.fewAtOnce)
struct JoiningTests {
  @Test(arguments: StorageKind.allCases)
  func `an inner throw undoes the inner part alone`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.database.write { connection in
      try connection.execute("INSERT INTO player(name) VALUES ('kept')")
      do {
        try connection.inTransaction {
          try connection.execute("INSERT INTO player(name) VALUES ('undone')")
          try connection.savepoint { _ = try connection.execute("DELETE FROM player") }
          throw Unexpected("changed my mind")
        }
      } catch is Unexpected {}
      try connection.savepoint { _ = try connection.execute("INSERT INTO map(name) VALUES ('x')") }
    }
    #expect(try await names(db) == ["kept"])
    #expect(try await db.integer("SELECT count(*) FROM map") == 1)
  }

  @Test(arguments: StorageKind.allCases)
  func `an outer throw undoes all that joined it`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let log = CommitLog(db.database, noticesOthers: false)
    await #expect(throws: Unexpected.self) {
      try await db.database.write { connection in
        try connection.inTransaction {
          _ = try connection.execute("INSERT INTO player(name) VALUES ('undone')")
        }
        try db.database.writeWaiting {
          _ = try $0.execute("INSERT INTO player(name) VALUES ('undone')")
        }
        throw Unexpected("changed my mind")
      }
    }
    #expect(try await names(db) == [])
    #expect(log.commits.isEmpty)
  }

  @Test(arguments: StorageKind.allCases)
  func `a write within a write joins it, and a read there sees what it did`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let log = CommitLog(db.database, noticesOthers: false)
    try await db.database.write { connection in
      try connection.execute("INSERT INTO player(name) VALUES ('ada')")
      try db.database.writeWaiting {
        _ = try $0.execute("INSERT INTO player(name) VALUES ('bob')")
      }
      try? db.database.writeWaiting {
        _ = try $0.execute("INSERT INTO player(name) VALUES ('eve')")
        throw Unexpected("changed my mind")
      }
      let count: Int = try db.database.readWaiting {
        try $0.count(of: "player")
      }
      #expect(count == 2)
      let error = #expect(throws: DatabaseError.self) {
        try db.database.readWaiting { _ = try $0.execute("DELETE FROM player") }
      }
      #expect(error?.code.primary == .readOnly)
    }
    #expect(try await names(db) == ["ada", "bob"])
    #expect(log.commits.count == 1)
  }

  @Test(arguments: StorageKind.allCases)
  func `a write within a read is an error, and a read is the same state`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.database.read { _ in
      let error = #expect(throws: DatabaseError.self) {
        try db.database.writeWaiting { _ = try $0.execute("DELETE FROM player") }
      }
      #expect(error?.code == .misuse)
      #expect(error?.message.contains("write after the read") == true)
      let count: Int = try db.database.readWaiting {
        try $0.count(of: "player")
      }
      #expect(count == 0)
    }
  }

  @Test
  func `inTransaction opens a transaction where there is none, and savepoint does not`()
    async throws
  {
    let db = try await TemporaryDatabase(.wal)
    try await db.database.withoutTransaction { connection in
      #expect(!connection.isInTransaction)
      try connection.inTransaction {
        #expect(connection.isInTransaction)
        _ = try connection.execute("INSERT INTO player(name) VALUES ('ada')")
      }
      #expect(!connection.isInTransaction)
      let error = #expect(throws: DatabaseError.self) { try connection.savepoint {} }
      #expect(error?.code == .misuse)
      #expect(error?.message.contains("inTransaction") == true)
    }
    for operation in ["inTransaction", "savepoint"] {
      let error = await #expect(throws: DatabaseError.self) {
        try await db.database.read { connection in
          try operation == "savepoint" ? connection.savepoint {} : connection.inTransaction {}
        }
      }
      #expect(error?.code == .readOnly)
    }
    #expect(try await names(db) == ["ada"])
  }

  @Test
  func `a transaction that a closure leaves open is rolled back, with an error`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let error = await #expect(throws: DatabaseError.self) {
      try await db.database.withoutTransaction { connection in
        try connection.execute(script: "BEGIN; INSERT INTO player(name) VALUES ('eve')")
      }
    }
    #expect(error?.code == .misuse)
    #expect(try await names(db) == [])
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    #expect(try await names(db) == ["ada"])
  }

  @Test(arguments: ["COMMIT", "END", "ROLLBACK", "BEGIN", "BEGIN IMMEDIATE"])
  func `a closure cannot end, or begin, the transaction of its write`(_ sql: String) async throws {
    let db = try await TemporaryDatabase(.wal)
    // Prepared where it is allowed: no cache may lend it to a write.
    try await db.database.withoutTransaction { connection in
      for sql in ["BEGIN", "COMMIT", "BEGIN IMMEDIATE", "END", "BEGIN", "ROLLBACK"] {
        try connection.execute(SQL(raw: sql))
      }
    }
    try await db.database.write { connection in
      try connection.execute("INSERT INTO player(name) VALUES ('ada')")
      for _ in 1...2 {
        let error = #expect(throws: DatabaseError.self) { try connection.execute(SQL(raw: sql)) }
        #expect(error?.sql == sql)
        #expect(
          error.map { $0.message.contains("throw") || $0.message.contains("closure") } == true
            || error?.message.contains("savepoint") == true)
      }
      #expect(connection.isInTransaction)
    }
    #expect(try await names(db) == ["ada"])
  }

  @Test(arguments: StorageKind.allCases)
  func `nothing is kept, or goes on, once a statement rolled the transaction back`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    for swallows in [true, false] {
      let error = await #expect(throws: DatabaseError.self) {
        try await db.database.write { connection in
          try connection.execute("INSERT INTO player(id, name) VALUES (1, 'ada')")
          do {
            try connection.execute("INSERT OR ROLLBACK INTO player(id) VALUES (1)")
          } catch { if !swallows { try connection.execute("INSERT INTO map(name) VALUES ('x')") } }
        }
      }
      #expect(error?.code == .aborted)
      #expect(error?.message.contains("OR ROLLBACK") == true)
    }
    #expect(try await names(db) == [])
    #expect(try await db.integer("SELECT count(*) FROM map") == 0)
    try await db.write(script: "INSERT INTO player(name) VALUES ('bob')")
    #expect(try await names(db) == ["bob"])
  }

  @Test
  func `SQL savepoints stand beside those of the closure`() async throws {
    let db = try await TemporaryDatabase(.wal)
    try await db.database.write { connection in
      try connection.execute("SAVEPOINT mine")
      try connection.savepoint {
        try connection.execute("INSERT INTO player(name) VALUES ('undone')")
        try connection.execute("SAVEPOINT inner")
      }
      try connection.execute("ROLLBACK TO mine")
      try connection.execute("RELEASE mine")
      try connection.execute("INSERT INTO player(name) VALUES ('ada')")
      let error = #expect(throws: DatabaseError.self) { try connection.execute("RELEASE mine") }
      #expect(error?.sql == "RELEASE mine")
    }
    #expect(try await names(db) == ["ada"])
  }

  private func names(_ db: TemporaryDatabase) async throws -> [String] {
    try await db.database.read { connection in
      try connection.fetchAll("SELECT name FROM player ORDER BY id").rows.map {
        if case .text(let name) = $0[0] { name } else { "" }
      }
    }
  }
}
