import CSQLite

/// A database with one large table, and a plain connection that changes rows of it.
final class BigFile {
  private let handle: OpaquePointer
  /// How many rows there are; their ids begin with 1.
  let rows: Int

  /// Makes the file.
  ///
  /// - Parameter megabytes: How large it gets, about.
  init(_ path: String, isAutoVacuum: Bool, megabytes: Int) throws {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else {
      sqlite3_close(opened)
      throw TimerError("\(path) cannot be opened")
    }
    handle = opened
    // About a hundred bytes each.
    rows = megabytes * 10_000
    try run(
      """
      PRAGMA auto_vacuum = \(isAutoVacuum ? 1 : 0);
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      BEGIN;
      CREATE TABLE small(id INTEGER PRIMARY KEY, value INTEGER);
      CREATE TABLE big(id INTEGER PRIMARY KEY, amount INTEGER NOT NULL, note TEXT NOT NULL);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO big SELECT i, i % 1000, 'a note of some eighty characters, as people write '
        || 'them when they are asked for one' FROM n;
      COMMIT;
      PRAGMA journal_mode = WAL;
      """)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Commits.
  func run(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw TimerError("\(String(cString: sqlite3_errmsg(handle))), in: \(sql)")
    }
  }
}

/// Why no time can be given.
struct TimerError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
