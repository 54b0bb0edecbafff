import Glibc

/// `crash`: dies with half a transaction on disk.
///
/// In WAL mode its frames are in the -wal without a commit mark; with a rollback journal the
/// database itself is changed and the journal is hot. Whoever opens it next must recover.
enum CrashMode {
  static func run(_ arguments: Arguments) throws {
    let connection = try Connection(arguments)
    let table = quoted(arguments.table ?? "crash")
    try connection.run(
      "CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
    try connection.run("BEGIN IMMEDIATE")
    try connection.run(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO \(table) (body) SELECT zeroblob(2000) FROM n
      """)
    try connection.spill()
    Output.line("spilled")
    kill(getpid(), SIGKILL)
  }
}
