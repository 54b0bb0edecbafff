import Glibc

/// A database with a table of a million rows, made once and kept.
enum MillionRows {
  /// The name of the newest row.
  static let newest = "item-1000000"

  static func database(_ project: Project) throws(Failure) -> String {
    let path = project.path("million.db")
    guard access(path, R_OK) != 0 else { return path }
    // Under its name only when it is complete.
    let unfinished = project.newDatabase("million-unfinished.db")
    try fill(PlainConnection(unfinished))
    guard rename(unfinished, path) == 0 else { throw Failure(call: path) }
    return path
  }

  /// Takes the connection, which is closed on return: the log is in the file then.
  private static func fill(_ connection: consuming PlainConnection) throws(Failure) {
    try connection.run(
      """
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      BEGIN;
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, amount INTEGER, note TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
      INSERT INTO item(name, amount, note)
      SELECT 'item-' || i, i * 7919 % 100003, 'note ' || (i % 1000) FROM n;
      COMMIT;
      PRAGMA journal_mode = WAL;
      """)
  }
}
