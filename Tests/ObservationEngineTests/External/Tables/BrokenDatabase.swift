import Glibc
import TestSupport

@testable import ObservationEngine

/// A database whose bytes can be changed before somebody opens it.
struct BrokenDatabase {
  static let pageSize = 1024
  let folder: TemporaryFolder
  var bytes: [UInt8]

  var path: String { folder.path("broken.db") }

  /// Makes a sound one: `fine` has a row, `deep` two levels of interior pages, `long` rows that
  /// overflow, and some pages are free.
  init(autoVacuum: Int = 0) throws {
    folder = try TemporaryFolder()
    let plain = try PlainConnection(folder.path("broken.db"))
    try plain.run(
      """
      PRAGMA page_size = \(Self.pageSize); PRAGMA auto_vacuum = \(autoVacuum);
      PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
      CREATE TABLE fine (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE deep (id INTEGER PRIMARY KEY, body TEXT);
      CREATE TABLE long (id INTEGER PRIMARY KEY, body BLOB);
      CREATE TABLE passing (body BLOB);
      CREATE INDEX deep_body ON deep (body);
      INSERT INTO fine VALUES (1, 'ada');
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
      INSERT INTO deep (body) SELECT printf('%0300d', i) FROM n WHERE i > 0;
      INSERT INTO long (body) VALUES (zeroblob(9000)), (zeroblob(20000));
      INSERT INTO passing VALUES (zeroblob(30000));
      DELETE FROM passing;
      PRAGMA wal_checkpoint(TRUNCATE);
      """)
    plain.close()
    bytes = try folder.bytes("broken.db")
  }

  // MARK: - Pages

  var pageCount: Int { bytes.count / Self.pageSize }

  /// Where a page begins.
  func offset(_ page: UInt32) -> Int { Int(page - 1) * Self.pageSize }

  func integer(at offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  mutating func put(_ value: UInt32, at offset: Int) {
    for index in 0..<4 {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index))
    }
  }

  /// The root page of a table or an index.
  func root(of name: String) throws -> UInt32 {
    let plain = try PlainConnection(path)
    defer { plain.close() }
    return UInt32(
      try plain.integer("SELECT rootpage FROM sqlite_schema WHERE name = ?1", [.text(name)]))
  }

  /// The pages of a kind, by dbstat.
  func pages(_ kind: String, of name: String) throws -> [UInt32] {
    let plain = try PlainConnection(path)
    defer { plain.close() }
    return try plain.texts(
      "SELECT pageno FROM dbstat WHERE name = ?1 AND pagetype = ?2 ORDER BY path",
      [.text(name), .text(kind)]
    ).compactMap { UInt32($0) }
  }

  /// Overwrites the file with the changed bytes.
  func write() throws { try folder.write(bytes, to: "broken.db") }

  /// A reading connection that knows it is in WAL mode, as the tracker needs it.
  func reader() throws -> Connection {
    var options = Connection.Options()
    options.isReader = true
    options.busyTimeout = .milliseconds(100)
    let connection = try Connection(path: path, options: options)
    connection.wal.isOn = try connection.journalMode == "wal"
    return connection
  }
}
