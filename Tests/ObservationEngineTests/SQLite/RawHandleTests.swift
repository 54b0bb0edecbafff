import CSQLite
import ObservationEngine
import TestSupport
import Testing

/// What is done behind the engine's back, with SQLite's own handle.
@Suite(.fewAtOnce)
struct RawHandleTests {
  @Test(arguments: StorageKind.allCases)
  func `changes through the handle are observed, within a transaction and without`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    try await db.database.write { connection in
      connection.withUnsafeHandle {
        _ = sqlite3_exec($0, "INSERT INTO player DEFAULT VALUES", nil, nil, nil)
      }
    }
    try await recorder.expect(1)
    try await db.database.withoutTransaction { connection in
      connection.withUnsafeHandle { handle in
        for _ in 1...2 {
          _ = sqlite3_exec(handle, "INSERT INTO player DEFAULT VALUES", nil, nil, nil)
        }
      }
    }
    try await recorder.expect(3, via: [2])
    // What was rolled back is not.
    try? await db.database.write { connection in
      connection.withUnsafeHandle { _ = sqlite3_exec($0, "DELETE FROM player", nil, nil, nil) }
      throw Unexpected("changed my mind")
    }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await recorder.expect(4)
    #expect(log.count(.external) == 0)
  }

  @Test(arguments: StorageKind.allCases)
  func `statements stepped by hand and left alone are observed once the closure returns`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    try await db.database.withoutTransaction { connection in
      var statement: OpaquePointer?
      connection.withUnsafeHandle { handle in
        _ = sqlite3_prepare_v2(
          handle, "INSERT INTO player DEFAULT VALUES RETURNING id", -1, &statement, nil)
        #expect(sqlite3_step(statement) == SQLITE_ROW)
      }
      // It commits here, where the engine does not look.
      _ = sqlite3_finalize(statement)
    }
    try await recorder.expect(1)
  }

  @Test(arguments: StorageKind.allCases)
  func `a schema changed through the handle is known at once`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind, schema: "CREATE TABLE t (a)")
    let columns = try await db.database.write { connection in
      var columns = [try connection.fetchAll("SELECT * FROM t").columns]
      connection.withUnsafeHandle {
        _ = sqlite3_exec($0, "ALTER TABLE t ADD COLUMN b", nil, nil, nil)
      }
      columns.append(try connection.fetchAll("SELECT * FROM t").columns)
      return columns
    }
    #expect(columns == [["a"], ["a", "b"]])
    #expect(
      try await db.database.read { try $0.fetchAll("SELECT * FROM t") }.columns == ["a", "b"])
  }

  @Test
  func `a reader's handle cannot write`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let result = try await db.database.read { connection in
      connection.withUnsafeHandle { sqlite3_exec($0, "DELETE FROM player", nil, nil, nil) }
    }
    #expect(result & 0xff == SQLITE_READONLY)
  }
}
