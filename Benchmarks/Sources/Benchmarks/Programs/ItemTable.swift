/// A table beside ``PlayerTable``, for work that concerns no player.
enum ItemTable {
  static let insertion = "INSERT INTO item(name, amount) VALUES ('item', ?)"

  /// - Parameter count: How many rows it has from the start, with the ids from 1 on.
  static func make(_ path: String, count: Int = 0) throws(Failure) {
    let connection = try PlainConnection(path)
    try connection.run(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = OFF;
      BEGIN;
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, amount INTEGER NOT NULL);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO item(name, amount) SELECT 'item' || i, i FROM n WHERE i <= \(count);
      COMMIT;
      """)
  }
}
