import ObservationEngine
import TestSupport
import Testing

/// BLOBs in parts, and SQLite's own handle.
@Suite(.fewAtOnce)
struct BlobTests {
  private func photos(_ kind: StorageKind = .wal) async throws -> TemporaryDatabase {
    let db = try await TemporaryDatabase(
      kind, schema: "CREATE TABLE photo (id INTEGER PRIMARY KEY, data BLOB, name TEXT, size INT)")
    try await db.write(
      script: """
        INSERT INTO photo VALUES (1, zeroblob(10), 'one', 1), (2, x'0102030405', 'two', 2)
        """)
    return db
  }

  @Test(arguments: StorageKind.allCases)
  func `parts of a blob are read and written`(_ kind: StorageKind) async throws {
    let db = try await photos(kind)
    try await db.database.write { connection in
      try connection.withBlob(table: "photo", column: "data", rowid: 1, isWritable: true) { blob in
        #expect(blob.count == 10)
        try blob.write([1, 2, 3], at: 4)
        try blob.write([9], at: 9)
        try blob.write([], at: 10)
        #expect(try blob.read(at: 3, count: 5) == [0, 1, 2, 3, 0])
        try blob.move(toRow: 2)
        #expect(try blob.read() == [1, 2, 3, 4, 5])
        try blob.write([7])
      }
    }
    let bytes = try await db.database.read { connection in
      try connection.withBlob(table: "photo", column: "data", rowid: 2) { blob in
        var buffer = [UInt8](repeating: 0, count: 3)
        try buffer.withUnsafeMutableBytes { try blob.read(into: $0, at: 0) }
        return [buffer, try blob.read(at: 3), try blob.read(at: 5)]
      }
    }
    #expect(bytes == [[7, 2, 3], [4, 5], []])
    // A text is as good.
    let name = try await db.database.read { connection in
      try connection.withBlob(table: "photo", column: "name", rowid: 1) { try $0.read() }
    }
    #expect(name == Array("one".utf8))
  }

  @Test(arguments: StorageKind.allCases)
  func `what is written and read is observed`(_ kind: StorageKind) async throws {
    let db = try await photos(kind)
    let sum = db.database.record(integer: "SELECT sum(instr(data, x'2a')) FROM photo")
    try await sum.expect(0)
    let parts = Recorder(
      db.database.observe { connection in
        try connection.withBlob(table: "photo", column: "data", rowid: 1) {
          try $0.read(at: 0, count: 2)
        }
      })
    try await parts.expect([0, 0])
    try await db.database.write { connection in
      try connection.withBlob(table: "photo", column: "data", rowid: 1, isWritable: true) {
        try $0.write([0x2a], at: 1)
      }
    }
    try await sum.expect(2)
    try await parts.expect([0, 0x2a])
    // Undone with its transaction.
    try? await db.database.write { connection in
      try connection.withBlob(table: "photo", column: "data", rowid: 1, isWritable: true) {
        try $0.write([0x2a], at: 0)
      }
      throw Unexpected("changed my mind")
    }
    try await db.write(script: "UPDATE photo SET data = x'0000' WHERE id = 1")
    try await parts.expect([0, 0])
  }

  @Test
  func `mistakes are errors that name the blob`() async throws {
    let db = try await photos()
    try await db.database.write { connection in
      try connection.withBlob(table: "photo", column: "data", rowid: 2, isWritable: true) { blob in
        for body in [
          { try blob.write([1, 2], at: 4) }, { try blob.write([1], at: -1) },
          { _ = try blob.read(at: 6) }, { _ = try blob.read(at: 1, count: 5) },
          { _ = try blob.read(at: .min) }, { _ = try blob.read(at: 0, count: -1) },
          { _ = try blob.read(at: .max, count: .max) },
        ] {
          let error = #expect(throws: DatabaseError.self) { try body() }
          #expect(error?.code == .range)
          #expect(error?.message.contains("photo.data of row 2, which has 5") == true)
        }
        try connection.execute("UPDATE photo SET name = 'new' WHERE id = 2")
        let expired = #expect(throws: DatabaseError.self) { try blob.read() }
        #expect(expired?.code.primary == .aborted)
        #expect(expired?.message.contains("changed or deleted") == true)
      }
      for (table, column, rowid) in [
        ("photo", "data", 99), ("photo", "nothing", 1), ("nothing", "data", 1),
        ("photo", "size", 1),
      ] as [(String, String, Int64)] {
        let error = #expect(throws: DatabaseError.self) {
          try connection.withBlob(table: table, column: column, rowid: rowid) { _ in }
        }
        #expect(error?.message.hasPrefix("\(table).\(column) of row \(rowid): ") == true)
      }
      try connection.withBlob(table: "photo", column: "data", rowid: 1) { blob in
        let error = #expect(throws: DatabaseError.self) { try blob.write([1]) }
        #expect(error?.code.primary == .readOnly)
        #expect(throws: DatabaseError.self) { try blob.move(toRow: 99) }
      }
    }
    let reader = await #expect(throws: DatabaseError.self) {
      try await db.database.read {
        try $0.withBlob(table: "photo", column: "data", rowid: 1, isWritable: true) { _ in }
      }
    }
    #expect(reader?.code == .readOnly)
  }
}
