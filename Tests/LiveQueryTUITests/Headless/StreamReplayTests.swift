import TestSupport
import Testing

/// Whoever applies the records in order has each panel's rows, whatever other processes commit.
@Suite struct StreamReplayTests {
  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score REAL);
    CREATE TABLE game (player INT, points INT);
    """

  private static let dashboard = """
    -- name: ranking
    -- key: id
    SELECT id, name, score FROM player ORDER BY score DESC, id LIMIT 8;
    -- name: totals
    -- key: player
    SELECT player, sum(points) AS points, count(*) AS games FROM game GROUP BY player;
    -- name: points
    SELECT points FROM game ORDER BY points;
    -- name: fence
    SELECT seq FROM fence;
    """

  private static let queries = [
    "ranking": "SELECT id, name, score FROM player ORDER BY score DESC, id LIMIT 8",
    "totals": "SELECT player, sum(points) AS points, count(*) AS games FROM game GROUP BY player",
    "points": "SELECT points FROM game ORDER BY points",
  ]

  private static func statement(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 1...12, using: &random)
    let number = Int.random(in: 0...5, using: &random)
    return switch Int.random(in: 0...9, using: &random) {
    case 0...2: "INSERT OR REPLACE INTO player VALUES (\(id), 'p\(number)', \(number) * 1.5)"
    case 3: "DELETE FROM player WHERE id = \(id)"
    case 4: "UPDATE player SET score = score + \(number)"
    // Equal rows more often than not: they must be counted.
    case 5...7: "INSERT INTO game VALUES (\(id), \(number))"
    case 8: "DELETE FROM game WHERE rowid IN (SELECT rowid FROM game LIMIT \(number))"
    default: "UPDATE game SET points = NULL WHERE points = \(number)"
    }
  }

  @Test(arguments: [("wal", 11), ("delete", 12), ("wal", 13), ("delete", 14)])
  func `the records add up to the rows`(_ journal: String, _ seed: UInt64) async throws {
    let playground = try await Playground(
      Self.schema + "CREATE TABLE fence (seq); INSERT INTO fence VALUES (0);", journal: journal)
    let file = try playground.folder.write(Self.dashboard, to: "d.sql")
    let program = try LiveQuery.start(["--stream", playground.database, file])
    let writer = try await ExternalProcess.serve(playground.database)
    var random = SeededRandom(seed: seed)
    var streamed = StreamedRows(keyed: ["\"ranking\"", "\"totals\""])
    var lastOrdinal = 0

    for round in 1...12 {
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let isOne = Bool.random(using: &random)
        let statements = (0..<Int.random(in: 1...3, using: &random)).map { _ in
          Self.statement(&random)
        }
        for line in isOne ? ["BEGIN; \(statements.joined(separator: "; ")); COMMIT"] : statements {
          try await writer.send(line)
        }
      }
      // The last commit of the round: its record comes after those of all before.
      try await writer.send("UPDATE fence SET seq = \(round)")
      while !streamed.matches("\"fence\"", "[{\"seq\":\(round)}]") {
        let record = try StreamRecord(try await program.line())
        let ordinal = try #require(record.ordinal)
        #expect(ordinal >= lastOrdinal)
        lastOrdinal = ordinal
        try streamed.apply(record)
      }
      for (panel, query) in Self.queries {
        let expected = try await playground.shell.json(query)
        #expect(
          streamed.matches("\"\(panel)\"", expected),
          "seed \(seed), round \(round): \(panel) should be \(expected)")
      }
    }
  }

  @Test func `the rows are counted and compared, not only found`() throws {
    var rows = StreamedRows()
    let add = try StreamRecord(#"{"panel":"a","op":"+","key":[1],"new":{"x":"}\""}}"#)
    try rows.apply(add)
    #expect(rows.matches("\"a\"", "[{\"x\":\"}\\\"\"}]"))
    try rows.apply(add)
    #expect(!rows.matches("\"a\"", "[{\"x\":\"}\\\"\"}]"))
    #expect(rows.matches("\"a\"", "[{\"x\":\"}\\\"\"},\n{\"x\":\"}\\\"\"}]"))
    #expect(throws: Unexpected.self) {
      try rows.apply(try StreamRecord(#"{"panel":"a","op":"-","key":[1],"old":{"x":1}}"#))
    }
    #expect(rows.matches("\"b\"", ""))
  }
}
