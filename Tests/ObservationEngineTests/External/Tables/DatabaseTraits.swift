import TestSupport

/// How a database is laid out, and how those who write to it are set up.
struct DatabaseTraits: CustomStringConvertible {
  let pageSize: Int
  /// 0 none, 1 full, 2 incremental.
  let autoVacuum: Int
  /// Bytes at the end of each page that stay unused.
  let reserved: Int
  let encoding: String
  /// Frames after which a commit checkpoints; 0 for never, so that the log grows long.
  let autocheckpoint: Int
  /// Commits fill up the sector with copies of their last frame.
  let padsLog: Bool

  init(using random: inout SeededRandom) {
    let sizes = [512, 512, 512, 512, 1024, 1024, 1024, 2048, 4096, 4096, 4096, 8192]
    let rare = [16384, 32768, 65536]
    pageSize =
      random.onceIn(8)
      ? rare[Int.random(in: 0..<rare.count, using: &random)]
      : sizes[Int.random(in: 0..<sizes.count, using: &random)]
    autoVacuum = Int.random(in: 0...2, using: &random)
    // A page keeps at least 480 usable bytes.
    reserved = random.onceIn(3) ? Int.random(in: 1...32, using: &random) : 0
    encoding = random.onceIn(6) ? "UTF-16le" : "UTF-8"
    let limits = [0, 1, 7, 40, 200, 1000]
    autocheckpoint = limits[Int.random(in: 0..<limits.count, using: &random)]
    // Each of its commits waits for the disk, and so there are few looks at it.
    padsLog = random.onceIn(25)
  }

  var description: String {
    """
    page_size \(pageSize), auto_vacuum \(autoVacuum), \(reserved) reserved, \(encoding), \
    autocheckpoint \(autocheckpoint)\(padsLog ? ", padded commits" : "")
    """
  }

  /// Makes the database, in WAL mode and with its first tables.
  func create(at path: String) throws(PlainConnection.Failure) {
    let connection = try PlainConnection(path)
    defer { connection.close() }
    connection.reserve(reserved)
    try connection.run(
      """
      PRAGMA page_size = \(pageSize);
      PRAGMA encoding = '\(encoding)';
      PRAGMA auto_vacuum = \(autoVacuum);
      PRAGMA synchronous = OFF;
      PRAGMA journal_mode = WAL;
      BEGIN;
      """)
    for name in ["row_0", "row_1", "seq_0", "key_0", "key_1", "key_2", "mix_0"] {
      try connection.run(Self.declaration(of: name))
    }
    try connection.run(
      """
      CREATE INDEX row_0_a ON row_0 (a);
      CREATE INDEX row_0_b ON row_0 (b, a);
      CREATE INDEX row_0_c ON row_0 (c);
      CREATE INDEX key_1_a ON key_1 (a);
      CREATE VIRTUAL TABLE docs USING fts5 (b);
      COMMIT;
      """)
  }

  /// The statement that makes a table; what its name begins with says what kind it is.
  static func declaration(of name: String) -> String {
    let isLater = name.hasSuffix("2") || name.hasSuffix("3")
    switch name.prefix(3) {
    case "key" where isLater:
      return """
        CREATE TABLE \(name) (a INT, r REAL, b TEXT COLLATE NOCASE, s AS (a * 2) STORED, c BLOB,
          PRIMARY KEY (b, a)) WITHOUT ROWID
        """
    case "mix":
      let computed =
        "v AS (a + 1)" + (isLater ? ", w INT AS (b || n), x TEXT AS (w * 2) COLLATE NOCASE" : "")
      return """
        CREATE TABLE \(name) (r REAL, a INT, s TEXT AS (b || 'x') STORED, \(computed), b TEXT,
          n NUMERIC DEFAULT 7, c BLOB)
        """
    case "seq":
      return "CREATE TABLE \(name) (id INTEGER PRIMARY KEY AUTOINCREMENT, a INT, b TEXT, c BLOB)"
    case "key":
      return "CREATE TABLE \(name) (a INT, b TEXT, c BLOB, PRIMARY KEY (b, a)) WITHOUT ROWID"
    case "bag": return "CREATE TABLE \(name) (a, b, c)"
    default: return "CREATE TABLE \(name) (id INTEGER PRIMARY KEY, a INT, b TEXT, c BLOB)"
    }
  }
}
