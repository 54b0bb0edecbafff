import CSQLite
import Glibc

/// What inputs are made of: small files of every kind, all sound.
struct Corpus {
  struct Pair {
    let pageSize: Int
    let database: [UInt8]
    let log: [UInt8]
  }

  private(set) var databases: [Pair] = []

  static let dashboard = Array(
    """
    -- title: Arena
    -- preset: small board count
    -- layout: board count
    -- layout: board feed

    -- panel: board
    -- view: table
    -- key: id
    -- rank: score
    -- columns: name score
    -- format: score bytes
    SELECT id, name, score FROM player ORDER BY score DESC LIMIT :limit;

    -- panel: count
    -- view: line
    -- alert: n > 5 until n < 4
    -- on-alert: notify-send "too many" now
    -- window: 10 min
    SELECT count(*) AS n, sum(score) FROM player WHERE name LIKE '%a%';

    -- panel: gauge
    -- view: gauge
    -- max: 100
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10)
    SELECT avg(i) FROM n;
    """.utf8)

  static let dashboardWords = [
    "-- panel: ", "-- view: ", "table", "line", "gauge", "histogram", "sparkline", "log", "number",
    "bar",
    "-- layout: ", "-- alert: ", "-- preset: ", "-- key: ", "-- format: ", "-- max: ",
    "-- window: ",
    "\n", ";", "'", "\"", "(", "[", "/*", "*/", "SELECT ", " > 5% until ", " for 10 s ", ":x", "?",
    "\u{0}",
    "\u{1b}[2J", "\u{301}", "👩‍👩‍👧", "WITH ", "BEGIN ", "END", "CREATE TRIGGER ", "CASE ",
  ]

  static let recordingWords = [
    "{", "}", "[", "]", "\"", ":", ",", "null", "true", "\"t\":", "\"rows\":", "\"columns\":",
    "\"panels\":",
    "\\u0000", "\\ud800", "\n", "1e999", "-", "\"key\":", "\"src\":",
  ]

  static let configuration = Array(
    """
    # options that hold without being written each time
    theme = light
    color = auto
    ascii = off
    mouse = on
    bell = off
    read-only = yes
    poll = 500
    debounce = 7
    busy-timeout = 2000
    query-timeout = 30000
    memory = 128
    hook-timeout = 2.5

    """.utf8)

  static let configurationWords = [
    "theme", "=", "on", "off", "\n", "#", "memory = ", "poll = ", "hook-timeout = ",
    "high-contrast", "\u{1b}[2J",
    "\u{0}", "\r\n", " ", "9999999999999999999999",
  ]

  init(folder: String) throws {
    for (pageSize, autoVacuum) in [(512, 0), (1024, 0), (1024, 1), (512, 2), (4096, 0)] {
      let path = folder + "/base.db"
      for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
      let writer = try Writer(path)
      try writer.run(
        """
        PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = \(autoVacuum);
        PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0;
        CREATE TABLE fine (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE deep (id INTEGER PRIMARY KEY, body TEXT);
        CREATE TABLE keyed (name TEXT PRIMARY KEY, n) WITHOUT ROWID;
        CREATE TABLE long (id INTEGER PRIMARY KEY, body BLOB);
        CREATE TABLE passing (body BLOB);
        CREATE INDEX deep_body ON deep (body);
        CREATE VIEW seen AS SELECT f.name, d.body FROM fine f JOIN deep d ON d.id = f.id;
        INSERT INTO fine VALUES (1, 'ada'), (2, 'bob');
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
        INSERT INTO deep (body) SELECT printf('%0\(pageSize / 5)d', i) FROM n;
        INSERT INTO keyed SELECT body, id FROM deep WHERE id < 40;
        INSERT INTO long (body) VALUES (zeroblob(3000)), (zeroblob(9000));
        INSERT INTO passing VALUES (zeroblob(9000));
        DELETE FROM passing;
        PRAGMA wal_checkpoint(TRUNCATE);
        """)
      let database = try bytes(path)
      try writer.run(
        """
        UPDATE deep SET body = body || 'x' WHERE id % 20 = 1;
        INSERT INTO long (body) VALUES (zeroblob(4000));
        INSERT INTO fine (name) VALUES ('eve');
        """)
      databases.append(Pair(pageSize: pageSize, database: database, log: try bytes(path + "-wal")))
      writer.close()
    }
  }
}

/// What goes wrong with files.
struct FileTrouble: Error, CustomStringConvertible {
  let description: String

  init(_ what: String) { description = "\(what): \(String(cString: strerror(errno)))" }
}

func bytes(_ path: String) throws -> [UInt8] {
  guard let file = fopen(path, "r") else { throw FileTrouble(path) }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
    bytes += buffer[..<count]
  }
  return bytes
}

func write(_ bytes: [UInt8], to path: String) throws {
  guard let file = fopen(path, "w") else { throw FileTrouble(path) }
  defer { fclose(file) }
  guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw FileTrouble(path) }
}

/// Another program's connection, which writes.
final class Writer {
  private var handle: OpaquePointer?
  private var steps = 0

  init(_ path: String) throws {
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw FileTrouble(path) }
    // SQLite itself may take long over a damaged file: that is not what is tried here.
    sqlite3_progress_handler(
      handle, 1_000,
      { context in
        let writer = Unmanaged<Writer>.fromOpaque(context!).takeUnretainedValue()
        writer.steps += 1
        return writer.steps > 100 ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func run(_ sql: String) throws {
    guard attempt(sql) else {
      throw FileTrouble("\(sql): \(String(cString: sqlite3_errmsg(handle)))")
    }
  }

  /// - Returns: Whether it succeeded; a damaged file may refuse it.
  @discardableResult
  func attempt(_ sql: String) -> Bool {
    steps = 0
    return sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
  }

  func close() {
    sqlite3_close_v2(handle)
    handle = nil
  }

  deinit { sqlite3_close_v2(handle) }
}
