/// A small database for most of the figures: 10,000 players with an index, and a counter.
enum PlayerTable {
  /// How many players there are; their ids begin with 1.
  static let size = 10_000
  static let count = "SELECT count(*) FROM player"
  static let top = "SELECT id, name, score FROM player ORDER BY score DESC, id LIMIT 10"
  /// Changes both results of the above.
  static func insertion(score: Int) -> String {
    "INSERT INTO player(name, score) VALUES ('new', \(score))"
  }

  static func make(_ path: String, journal: String = "WAL") throws(Failure) {
    let connection = try PlainConnection(path)
    try connection.run("PRAGMA journal_mode = \(journal)")
    try connection.run("PRAGMA synchronous = OFF")
    try connection.run(
      """
      BEGIN;
      CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
      CREATE INDEX player_by_score ON player(score);
      CREATE TABLE counter(id INTEGER PRIMARY KEY, value INTEGER NOT NULL);
      INSERT INTO counter VALUES (1, 0);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(size))
      INSERT INTO player(name, score) SELECT 'player' || i, i * 7919 % 100003 FROM n;
      COMMIT;
      """)
  }

  /// One number in a table.
  static let onePanel = """
    -- name: counter
    -- view: table
    -- key: id
    SELECT id, value FROM counter;
    """

  /// The two results in a stream.
  static let twoPanels = """
    -- name: players
    \(count);

    -- name: top
    -- key: id
    \(top);
    """

  /// Eight players, each by the key.
  static let eightPlayers = (1...8).map { id in
    "-- name: player\(id)\nSELECT name, score FROM player WHERE id = \(id);\n"
  }.joined(separator: "\n")

  static let eightPanels = """
    -- name: counter
    SELECT value FROM counter;

    -- name: players
    \(count);

    -- name: top
    -- key: id
    \(top);

    -- name: last
    -- key: id
    SELECT id, name, score FROM player ORDER BY score, id LIMIT 10;

    -- name: newest
    -- key: id
    SELECT id, name, score FROM player ORDER BY id DESC LIMIT 10;

    -- name: best
    SELECT max(score) AS best FROM player;

    -- name: hundred
    SELECT count(*) AS hundred FROM player WHERE score BETWEEN 1000 AND 2000;

    -- name: first
    -- key: id
    SELECT id, name, score FROM player ORDER BY id LIMIT 10;
    """

  /// The same, and one that takes a fifth of a second or more, whenever it runs.
  static let eightPanelsAndSlow =
    eightPanels + """


      -- name: slow
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000000)
      SELECT count(*) + (SELECT value FROM counter) AS slow FROM n;
      """
}
