import ObservationPostgres
import TestSupport
import Testing

/// Writers of all kinds commit to a server while `--stream` watches: at the end the rows that the stream adds up to are
/// those of the tables, and in between every refresh shows one committed state.
///
/// `make soak-postgres` does the same for longer, from a new seed.
@Suite(.needsPostgres, .fewAtOnce) struct ServerOracleTests {
  /// How many rounds of writers, and the first seed.
  private static let rounds = EnvironmentVariable.number("LIVEQUERY_POSTGRES_ROUNDS") ?? 1
  private static let seed = UInt64(EnvironmentVariable.number("LIVEQUERY_SEED") ?? 7)

  /// Amounts move between `a` and `b`: in every committed state both have this sum.
  private static let total = 20_000

  private static let schema = """
    CREATE TABLE a (id int PRIMARY KEY, v int); INSERT INTO a SELECT i, 1000 FROM generate_series(1, 10) i;
    CREATE TABLE b (id int PRIMARY KEY, v int); INSERT INTO b SELECT i, 1000 FROM generate_series(1, 10) i;
    CREATE TABLE c (id serial PRIMARY KEY, v text);
    """

  private static let panels = """
    -- name: a
    -- key: id
    SELECT id, v FROM a;
    -- name: b
    -- key: id
    SELECT id, v FROM b;
    -- name: c
    -- key: id
    SELECT id, v FROM c;
    -- name: left
    SELECT sum(v) AS s FROM a;
    -- name: right
    SELECT sum(v) AS s FROM b;
    -- name: both
    SELECT (SELECT sum(v) FROM a) + (SELECT sum(v) FROM b) AS s;
    """

  /// Reads another table each time, as far as is known: the other panels run beside it.
  private static let learned = """
    -- name: xml
    SELECT query_to_xml('SELECT count(*) FROM c', true, false, '')::text, (SELECT sum(v) FROM b);
    """

  /// Runs by itself, behind the others.
  private static let slow = """
    -- name: slow
    SELECT count(*) AS s, (SELECT count(*) FROM generate_series(1, 3000000)) AS n FROM c;
    """

  /// What is observed: a primary by its log, by polling, by its log as it decodes it, or by triggers on
  /// some of the tables; a standby. With what each query reads asked once, or of one of them each time; and with a slow
  /// query.
  @Test(arguments: [
    "postgres", "learning", "slow", "watcher", "watcher, slow", "standby", "standby, slow", "slot",
    "triggers",
  ])
  func `the stream adds up to the tables, and every refresh is one state`(_ words: String)
    async throws
  {
    let means = words.prefix { $0 != "," }
    let isSlow = words.hasSuffix("slow")
    let role = ["watcher", "triggers"].contains(means) ? words.filter(\.isLetter) : "postgres"
    let server =
      means == "slot"
      ? try await PostgresServer.sharedDecoding() : try await PostgresServer.shared()
    let database = try await server.database(Self.schema)
    if role != "postgres" {
      try await database.run(
        "DROP ROLE IF EXISTS \(role); CREATE ROLE \(role) LOGIN; GRANT pg_read_all_data TO \(role)")
    }
    if means == "triggers" {
      try await database.run(ReportingTriggers.statements)
      // What moves from `a` to `b` is reported of `a` alone.
      try await database.run("DROP TRIGGER livequery_notify ON b")
    }
    let folder = try TemporaryFolder()
    var observed = database
    if means == "standby" {
      observed = try await database.replica(on: PostgresServer.sharedStandby())
    }
    let panels =
      Self.panels + (means == "learning" ? "\n" + Self.learned : "")
      + (isSlow ? "\n" + Self.slow : "")
    let stream = try LiveQuery.start(
      ["--stream", observed.address(as: role), try folder.write(panels, to: "o.sql")])
    var rows = Observed(isSlow: isSlow)
    for round in 0..<Self.rounds {
      let seed = Self.seed + UInt64(round)
      do {
        try await Self.write(to: database, seed: seed, isSwitching: means == "triggers")
        try await rows.follow(stream, until: Self.tables(of: database))
      } catch {
        throw Unexpected("seed \(seed), \(words): \(error)")
      }
      if round % 10 == 9 { print("… \(round + 1) rounds, \(words)") }
    }
  }

  /// The rows of the tables, as the stream writes them.
  private static func tables(of database: PostgresDatabase) async throws -> [String: [String: Int]]
  {
    var tables: [String: [String: Int]] = [:]
    for name in ["a", "b", "c"] {
      let rows = try await database.run("SELECT row_to_json(x) FROM (SELECT id, v FROM \(name)) x")
      tables["\"\(name)\""] = Dictionary(
        rows.split(separator: "\n").map { (String($0), 1) }, uniquingKeysWith: +)
    }
    return tables
  }

  /// What a stream has told so far.
  private struct Observed {
    private var rows = StreamedRows(keyed: ["\"a\"", "\"b\"", "\"c\""])
    private var sums: [String: Int] = [:]
    private var ordinal = -1
    /// Whether there is a slow panel, and what it counts.
    private let isSlow: Bool
    private var count = 0

    init(isSlow: Bool) { self.isSlow = isSlow }

    mutating func follow(_ stream: RunningProgram, until tables: [String: [String: Int]])
      async throws
    {
      let last = tables["\"c\""]?.count ?? 0
      while isSlow && count != last
        || !tables.allSatisfy({ rows.rows[$0.key, default: [:]] == $0.value })
      {
        let record = try StreamRecord(try await stream.line())
        if record.ordinal != ordinal { try check() }
        ordinal = record.ordinal ?? -1
        try rows.apply(record)
        if ["+", "~"].contains(record.operation?.filter { $0 != "\"" }), record["key"] != nil {
          let text = record["new"]?.filter { $0.isNumber || $0 == "-" } ?? ""
          if ["\"left\"", "\"right\"", "\"both\""].contains(record.panel) {
            sums[record.panel] = Int(text)
          }
          if record.panel == "\"slow\"", let new = record["new"] {
            // {"s":12,"n":3000000}
            count = Int(new.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? -1
          }
        }
      }
    }

    /// All panels show the same state.
    private func check() throws {
      guard let left = sums["\"left\""], let right = sums["\"right\""] else { return }
      guard left + right == total else {
        throw Unexpected("after tx \(ordinal): \(left) + \(right) are not \(total)")
      }
      if let both = sums["\"both\""], both != total { throw Unexpected("a sum of \(both)") }
    }
  }

  // MARK: - Writers

  /// - Parameter isSwitching: Whether triggers come and go meanwhile.
  private static func write(
    to database: PostgresDatabase, seed: UInt64, isSwitching: Bool
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        var random = SeededRandom(seed: seed * 10 + UInt64(writer))
        var script = random.onceIn(3) ? "SET synchronous_commit = off;\n" : ""
        for step in 0..<60 {
          if isSwitching, random.onceIn(8) { script += switching(&random) + "\n" }
          script += statement(&random, "\(seed)_\(writer)_\(step)") + "\n"
        }
        let text = script
        group.addTask {
          // Some fail, as in life: deadlocks, a column that exists.
          let result = try await RunningProgram.run(
            ["psql", "-h", database.server.folder, "-U", "postgres", "-d", database.name, "-q"],
            input: .text(text))
          guard result.status == 0 else { throw Unexpected("psql: \(result.errors)") }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func switching(_ random: inout SeededRandom) -> String {
    let state = random.onceIn(3) ? "DISABLE" : "ENABLE ALWAYS"
    let other = random.onceIn(2) ? "UPDATE c SET v = v || 'y' WHERE id % 5 = 0;" : ""
    return "BEGIN; ALTER TABLE a \(state) TRIGGER livequery_notify; \(other) COMMIT;"
  }

  private static func statement(_ random: inout SeededRandom, _ name: String) -> String {
    let amount = Int.random(in: -50...50, using: &random)
    let (from, to) = (
      Int.random(in: 1...10, using: &random), Int.random(in: 1...10, using: &random)
    )
    let transfer =
      "UPDATE a SET v = v - \(amount) WHERE id = \(from); UPDATE b SET v = v + \(amount) WHERE id = \(to);"
    switch Int.random(in: 0..<20, using: &random) {
    // Of one table alone: its panel shows another state than the others, unless they all are of one snapshot.
    case 0...2 where from != to:
      return
        "UPDATE a SET v = v + CASE id WHEN \(from) THEN -(\(amount)) ELSE \(amount) END WHERE id IN (\(from), \(to));"
    case 0...6: return "BEGIN; \(transfer) \(random.onceIn(5) ? "ROLLBACK" : "COMMIT");"
    case 7...8:
      return """
        BEGIN; SAVEPOINT s; UPDATE a SET v = 0 WHERE id = \(from); ROLLBACK TO s; SAVEPOINT t; \(transfer) \
        RELEASE t; SELECT pg_sleep(0.01); COMMIT;
        """
    case 9:
      return
        "BEGIN; \(transfer) PREPARE TRANSACTION '\(name)'; \(random.onceIn(3) ? "ROLLBACK" : "COMMIT") PREPARED '\(name)';"
    case 10...13: return "INSERT INTO c (v) VALUES ('\(name)');"
    case 14: return "UPDATE c SET v = v || 'x' WHERE id % 3 = \(from % 3);"
    case 15: return "DELETE FROM c WHERE id % 4 = \(from % 4);"
    case 16: return random.onceIn(3) ? "TRUNCATE c;" : "BEGIN; TRUNCATE c; ROLLBACK;"
    case 17: return "ALTER TABLE c ADD COLUMN x_\(name) int DEFAULT 1;"
    case 18: return "CREATE TEMP TABLE t_\(name) AS SELECT * FROM c; VACUUM (SKIP_LOCKED) a;"
    default: return "INSERT INTO c (v) SELECT repeat('\(name)', 300) FROM generate_series(1, 5);"
    }
  }
}
