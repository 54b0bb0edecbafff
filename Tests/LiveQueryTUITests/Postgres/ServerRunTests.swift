import Glibc
import TestSupport
import Testing

/// The program on a real server.
@Suite(.needsPostgres, .fewAtOnce) struct ServerRunTests {
  private static let shop = """
    CREATE TABLE item (id int PRIMARY KEY, name text, price numeric(10, 2));
    INSERT INTO item VALUES (1, 'nail', 0.05), (2, 'saw', 12.5);
    """

  private static let fileOfItem = "SELECT relfilenode FROM pg_class WHERE relname = 'item'"

  private func database(_ sql: String = shop) async throws -> PostgresDatabase {
    try await PostgresServer.shared().database(sql)
  }

  /// One on a server of its own: others' commits count on a server, whichever database they are in.
  private func databaseAlone() async throws -> PostgresDatabase {
    try await PostgresServer().database(Self.shop)
  }

  @Test func `panels are printed once, from one snapshot`() async throws {
    let database = try await database()
    let result = try await LiveQuery.run(
      "--once", "--json", "--param", "least=1", database.address(), "-c",
      "SELECT id, name, price, id > 1 AS dear FROM item WHERE price >= :least::int")
    #expect(result.output == #"[{"id":2,"name":"saw","price":12.5,"dear":1}]"# + "\n")
    #expect(result.status == 0)
  }

  @Test func `a check names the place that the server complains about`() async throws {
    let database = try await database()
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "-- name: a\nSELECT id::text,\n  'ä', :x::int, nosuch FROM item;\n-- name: b\nDELETE FROM item;\n",
      to: "shop.sql")
    let result = try await LiveQuery.run("--check", "--param", "x=1", database.address(), file)
    #expect(result.status == 2)
    #expect(result.output.contains("shop.sql:3:17: error: column \"nosuch\" does not exist"))
    #expect(result.output.contains("shop.sql:5:1: error: a panel must be a query"))
  }

  @Test func `a check finds what a panel may not do, and says so where a table is locked`()
    async throws
  {
    let database = try await database()
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "WITH gone AS (DELETE FROM item RETURNING id)\nTABLE gone;", to: "shop.sql")
    let result = try await LiveQuery.run("--check", database.address(), file)
    #expect(result.status == 2)
    #expect(result.output.contains("shop.sql:1:15: error: a panel only reads: DELETE"))
    let reading = try folder.write("SELECT name FROM item;", to: "reading.sql")
    let holder = try RunningProgram(
      [
        "psql", "-h", database.server.folder, "-U", "postgres", "-d", database.name, "-qc",
        "DO $$ BEGIN LOCK TABLE item; PERFORM pg_sleep(60); END $$",
      ])
    try await wait(for: "the lock") {
      try await database.run(
        "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'item'::regclass AND granted"
      ) == "1\n"
    }
    let locked = try await LiveQuery.run("--check", database.address(), reading)
    #expect(locked.status == 3 && locked.output == "", "\(locked)")
    holder.signal(SIGTERM)
    _ = try await holder.result()
  }

  @Test func `numbers that neither an integer nor a double holds are texts`() async throws {
    let result = try await LiveQuery.run(
      "--json", database().address(), "-c",
      "SELECT sum(x) AS s, 'NaN'::numeric AS n FROM (VALUES (9000000000000000000), (9000000000000000000)) v (x)"
    )
    #expect(result.output == #"[{"s":"18000000000000000000","n":"NaN"}]"# + "\n")
  }

  @Test func `a server that is not there is an error without the password`() async throws {
    let result = try await LiveQuery.run(
      "--once", "postgres://me:secret@/shop?host=/nowhere", "-c", "SELECT 1")
    #expect(result.status == 3)
    #expect(result.errors.contains("shop: ") && result.errors.contains("/nowhere"))
    #expect(!result.errors.contains("secret"))
  }

  @Test(arguments: [(["--rows"], "--rows"), (["--once", "--audit"], "--audit")])
  func `what a server does not offer is refused by name`(
    _ options: [String], _ name: String
  ) async throws {
    let result = try await LiveQuery.run(options + ["postgres:///shop"])
    #expect(result.status == 2)
    #expect(result.errors.contains("\(name) is for SQLite files"))
  }

  @Test func `a commit is streamed with its tables`() async throws {
    let database = try await databaseAlone()
    let stream = try await database.stream("SELECT id, name FROM item ORDER BY id")
    try await database.run("UPDATE item SET name = 'bolt' WHERE id = 1")
    let record = try await stream.change()
    #expect(record["old"] == #"{"id":1,"name":"nail"}"#)
    let next = try await stream.change()
    #expect([record["new"], next["new"]].contains(#"{"id":1,"name":"bolt"}"#))
    let end = try StreamRecord(try await stream.line())
    #expect(end["tables"] == #"["item"]"#)
  }

  @Test func `without REPLICATION every commit is noticed by polling`() async throws {
    let database = try await database(
      Self.shop
        + "DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader;")
    let stream = try await database.stream(as: "reader", "SELECT sum(price) AS total FROM item")
    for price in 1...5 {
      try await database.run("UPDATE item SET price = \(price) WHERE id = 2")
      #expect(try await stream.change()["new"]?.contains("\(price)") == true)
    }
    let help = try await frame(database, "?", size: "110x14", role: "reader")
    // On a slow machine the server is idle for a while already.
    #expect(help.contains("every 10 ms") || help.contains("every 50 ms"))
    #expect(help.contains("role reader has no REPLICATION"))
  }

  /// The last screen of a script of keys, with a panel of all items.
  private func frame(
    _ database: PostgresDatabase, _ keys: String, size: String, role: String = "postgres",
    panels: [String] = ["-c", "SELECT * FROM item ORDER BY id"], options: [String] = []
  ) async throws -> String {
    let folder = try TemporaryFolder()
    let result = try await LiveQuery.run(
      options
        + [
          "--keys", try folder.write(keys, to: "keys"), "--frame", size, database.address(as: role),
        ]
        + panels)
    #expect(result.errors == "")
    return result.output
  }

  @Test func `the screen says on which rung it stands, and that nothing is undone`() async throws {
    let database = try await database()
    let screen = try await frame(database, "", size: "120x30")
    #expect(screen.contains("LIVE via WAL"))
    #expect(screen.contains("saw"))
    #expect(screen.contains(database.name) && screen.contains("PG "))
    #expect(try await frame(database, "u", size: "120x30").contains("there is no undo"))
  }

  @Test func `the console runs statements and answers habits of psql`() async throws {
    let database = try await database()
    let screen = try await frame(
      database,
      """
      cINSERT INTO item VALUES (3, $$a;b$$);<Enter><wait>\
      BEGIN;<Enter><wait>selec;<Enter><wait>select 1;<Enter><wait>ROLLBACK;<Enter><wait><Esc>
      """, size: "150x60")
    #expect(screen.contains("ROLLBACK ends"))
    #expect(try await database.run("SELECT name FROM item WHERE id = 3") == "a;b\n")
  }

  @Test(arguments: [
    "begin read write;<Enter><wait>", "begin;<Enter><wait>set transaction read write;<Enter><wait>",
    "reset all;<Enter><wait>", "set default_transaction_read_only = off;<Enter><wait>",
    "do $$ begin set transaction read write; insert into item values (8); end $$;<Enter><wait>",
    "do $$ begin commit; insert into item values (8); end $$;<Enter><wait>",
    "call writes();<Enter><wait>", "begin;<Enter><wait>call writes();<Enter><wait>",
    "begin isolation level serializable;<Enter><wait>commit and chain;<Enter><wait>"
      + "set transaction read write;<Enter><wait>",
  ])
  func `a console that only reads can't be talked into writing`(_ before: String) async throws {
    let database = try await database(
      Self.shop
        + """
        CREATE PROCEDURE writes() LANGUAGE plpgsql AS $$
        BEGIN COMMIT; SET TRANSACTION READ WRITE; INSERT INTO item VALUES (7); END $$;
        """)
    let screen = try await frame(
      database, "c\(before)insert into item values (9);<Enter><wait>commit;<Enter><wait>",
      size: "140x60", options: ["-r"])
    #expect(screen.contains("! "), "\(screen)")
    #expect(try await database.run("SELECT max(id) FROM item") == "2\n")
  }

  @Test func `a console that only reads has transactions all the same`() async throws {
    let database = try await database()
    let screen = try await frame(
      database,
      """
      cbegin isolation level serializable;<Enter><wait>select name from item;<Enter><wait>\
      selec;<Enter><wait>rollback;<Enter><wait>copy item to '/dev/null';<Enter><wait>\
      show transaction_isolation;<Enter><wait>
      """, size: "140x60", options: ["-r"])
    let errors = screen.split(separator: "\n").count { $0.contains("! ") }
    #expect(errors == 1 && screen.contains("read committed"), "\(screen)")
  }

  @Test func `the console says what the server says besides`() async throws {
    let database = try await database()
    let screen = try await frame(
      database,
      "ccommit;<Enter><wait>do $$ begin raise warning 'careful'; end $$;<Enter><wait>",
      size: "120x40")
    #expect(screen.contains("WARNING: there is no transaction in progress"), "\(screen)")
    #expect(screen.contains("WARNING: careful"), "\(screen)")
    // Also of one that fails.
    let failed = try await frame(
      database, "cdo $$ begin raise notice 'step 1'; raise 'boom'; end $$;<Enter><wait>",
      size: "120x40")
    #expect(failed.contains("! boom") && failed.contains("NOTICE: step 1"), "\(failed)")
  }

  @Test func `a transaction that had failed is not said to be committed`() async throws {
    let database = try await database()
    let screen = try await frame(
      database,
      "cbegin;<Enter><wait>insert into item values (7);<Enter><wait>selec;<Enter><wait>commit;<Enter><wait>",
      size: "120x40")
    #expect(screen.contains("! nothing was committed"), "\(screen)")
    #expect(try await database.run("SELECT max(id) FROM item") == "2\n")
  }

  @Test func `why the server ended the console's transaction is said`() async throws {
    let database = try await database()
    let screen = try await frame(
      database,
      """
      cbegin;<Enter><wait>insert into item values (7);<Enter><wait>\
      select pg_terminate_backend(pg_backend_pid());<Enter><wait>commit;<Enter><wait>
      """, size: "140x40")
    #expect(screen.contains("administrator command; the transaction is rolled back"), "\(screen)")
    #expect(try await database.run("SELECT max(id) FROM item") == "2\n")
  }

  @Test func `a row opens a panel with a value of any type`() async throws {
    let database = try await database()
    let folder = try TemporaryFolder()
    let file = try folder.write(
      """
      -- name: kinds
      -- on-enter: items is=:even n=:n
      SELECT id % 2 = 0 AS even, count(*) AS n FROM item GROUP BY 1 ORDER BY 1;
      -- name: items
      SELECT 'item ' || id AS found FROM item WHERE (id % 2 = 0) = :is AND :n::int > 0;
      """, to: "items.sql")
    let screen = try await frame(
      database, "<Tab><Enter><wait>", size: "60x20", panels: [file])
    #expect(screen.contains("item 1"), "\(screen)")
  }

  @Test func `a panel's own time is told`() async throws {
    let database = try await database()
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "-- name: quick\nSELECT 1 AS v;\n-- name: slow\nSELECT 2 AS v FROM pg_sleep(1);",
      to: "d.sql")
    let stream = try LiveQuery.start(["--stream", database.address(), file])
    var times: [String: Double] = [:]
    while times.count < 2 {
      let record = try StreamRecord(try await stream.line())
      guard record.operation == "\"end\"", let time = record["ms"].flatMap(Double.init) else {
        continue
      }
      times[record.panel] = time
    }
    // This program may have been late to look at the clock.
    #expect(times["\"slow\""]! >= 100 && times["\"quick\""]! < times["\"slow\""]!, "\(times)")
  }

  @Test func `a command of psql is answered`() async throws {
    let database = try await database()
    let screen = try await frame(database, "c\\d item<Enter><wait><Esc>", size: "150x60")
    #expect(screen.contains("numeric(10,2)"))
  }

  @Test func `the schema is described`() async throws {
    let database = try await database(
      Self.shop
        + "CREATE INDEX by_name ON item (name); CREATE VIEW dear AS SELECT * FROM item WHERE price > 1;"
    )
    let screen = try await frame(database, "<F2><wait>", size: "120x40")
    #expect(screen.contains("2 rows") && screen.contains("views (1)"))
  }

  @Test func `without a dashboard it is explored, and one is made of it`() async throws {
    let database = try await database(
      Self.shop
        + """
        CREATE TABLE sale (id int PRIMARY KEY, item int REFERENCES item, sold timestamptz, paid boolean);
        INSERT INTO sale SELECT i, i % 2 + 1, '2026-01-01'::timestamptz + i * interval '1 hour', i % 3 = 0
        FROM generate_series(1, 400) i;
        """)
    let screen = try await frame(database, "I<wait>", size: "160x40", panels: [])
    #expect(screen.contains("item") && screen.contains("400"))
    #expect(screen.contains("2026-01-17") && screen.contains("unique"))
    let made = try await frame(database, "D<wait>", size: "160x40", panels: [])
    #expect(made.contains("sale per ") && made.contains("sale by item") && made.contains("saw"))
    #expect(!made.contains("error"))
  }

  @Test func `commits of the console are mine, but not those of COPY`() async throws {
    let database = try await databaseAlone()
    let script = """
      cINSERT INTO item VALUES (3, 'axe', 30);<Enter><wait>\
      BEGIN;<Enter><wait>DELETE FROM item WHERE id = 1;<Enter><wait>COMMIT;<Enter><wait>\
      VACUUM item;<Enter><wait>COPY item (id) FROM PROGRAM 'echo 7';<Enter><wait>\
      INSERT INTO item VALUES (9);<Enter><wait><Esc>t
      """
    let screen = try await frame(database, script, size: "160x60")
    #expect(screen.contains("me 3 · ext 1"), "\(screen)")
    #expect(try await database.run("SELECT id FROM item ORDER BY 1") == "2\n3\n7\n9\n")
  }

  @Test func `it waits until a query is true`() async throws {
    let database = try await database()
    let waiting = try LiveQuery.start(
      [
        "--stream", "--until", "SELECT count(*) = 3 FROM item", database.address(), "-c",
        "SELECT count(*) FROM item",
      ])
    _ = try await waiting.line()
    try await database.run("INSERT INTO item VALUES (3, 'axe', 30)")
    #expect(try await waiting.result().status == 0)
  }

  @Test(arguments: [
    "TRUNCATE item", "ALTER TABLE item RENAME TO article; CREATE VIEW item AS SELECT 1 AS id",
    "BEGIN; SAVEPOINT a; INSERT INTO item VALUES (3); RELEASE a; COMMIT",
    "BEGIN; DELETE FROM item; SAVEPOINT a; INSERT INTO item VALUES (3); ROLLBACK TO a; COMMIT",
    "DROP TABLE item; CREATE TABLE item (id int); INSERT INTO item VALUES (7)",
    "COPY item (id) FROM PROGRAM 'seq 10 12'",
  ])
  func `whatever changes a table is noticed`(_ sql: String) async throws {
    let database = try await database()
    let stream = try await database.stream("SELECT count(*) AS n, sum(id) AS s FROM item")
    try await database.run(sql)
    _ = try await stream.change()
  }

  @Test(arguments: [
    (
      "CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n FROM item", "SELECT n FROM m",
      "INSERT INTO item VALUES (9); REFRESH MATERIALIZED VIEW m"
    ),
    ("CREATE UNLOGGED TABLE u (v int)", "SELECT count(*) FROM u", "INSERT INTO u VALUES (1)"),
    (
      "CREATE TABLE p (v int) PARTITION BY LIST (v); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1)",
      "SELECT count(*) FROM p", "INSERT INTO p VALUES (1)"
    ),
    (
      "CREATE TABLE p (v int) PARTITION BY LIST (v)", "SELECT count(*) FROM p",
      "CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1); INSERT INTO p VALUES (1)"
    ),
    (
      "CREATE FUNCTION f() RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RETURN (SELECT count(*) FROM item); END$$",
      "SELECT f()", "INSERT INTO item VALUES (9)"
    ),
    (
      "CREATE VIEW w AS SELECT max(id) AS m FROM item", "SELECT m FROM w",
      "INSERT INTO item VALUES (9)"
    ),
    ("CREATE SEQUENCE q", "SELECT last_value, is_called FROM q", "SELECT nextval('q')"),
  ])
  func `what a query reads only indirectly is noticed`(
    _ schema: String, _ query: String, _ change: String
  ) async throws {
    let database = try await database(Self.shop + schema)
    let stream = try await database.stream(query)
    try await database.run(change)
    _ = try await stream.change()
  }

  @Test func `a query over the time runs each second, also while others commit`() async throws {
    let database = try await database(Self.shop + "CREATE TABLE other (v int);")
    let stream = try await database.stream("SELECT clock_timestamp() AS t, count(*) AS n FROM item")
    for number in 1...3 {
      try await database.run("INSERT INTO other VALUES (\(number))")
      _ = try await stream.change()
    }
  }

  @Test func `a panel that fails stops no other, and recovers`() async throws {
    let database = try await databaseAlone()
    let folder = try TemporaryFolder()
    // They run in any order.
    let good = ["a", "b", "c", "d", "e"]
    let panels =
      good.enumerated().map {
        "-- name: \($1)\nSELECT count(*) AS n FROM item WHERE id > -\($0);\n"
      }
      + ["-- name: bad\nSELECT count(*) / (count(*) - 2) AS n FROM item;\n"]
    let file = try folder.write(panels.joined(), to: "shop.sql")
    let stream = try LiveQuery.start(["--stream", database.address(), file])
    try await stream.waitForErrors(containing: "division by zero")
    // It runs behind a savepoint, then without one, and fails once more.
    for (number, bad) in [(3, ["bad 3"]), (4, ["bad 2"]), (2, []), (5, ["bad 1"])] {
      try await database.run(
        "DELETE FROM item; INSERT INTO item SELECT generate_series(1, \(number))")
      var missing = Set(bad + good.map { "\($0) \(number)" })
      while !missing.isEmpty {
        let record = try StreamRecord(try await stream.line())
        guard let new = record["new"] else { continue }
        missing.remove("\(record.panel.filter(\.isLetter)) \(new.filter(\.isNumber))")
      }
    }
  }

  @Test func `a panel whose own connection fails stops no other`() async throws {
    let database = try await database(
      Self.shop
        + """
        CREATE FUNCTION far() RETURNS int LANGUAGE plpgsql AS $$
        BEGIN RAISE 'out of reach' USING ERRCODE = '08001'; END $$;
        """)
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "-- name: far\nSELECT far();\n-- name: near\nSELECT count(*) AS n FROM item;", to: "d.sql")
    let stream = try LiveQuery.start(["--stream", database.address(), file])
    try await stream.waitForErrors(containing: "out of reach")
    try await database.run("INSERT INTO item VALUES (3)")
    while try await stream.change()["new"] != #"{"n":3}"# {}
  }

  @Test func `a panel cannot write`() async throws {
    let database = try await database()
    for query in [
      "WITH x AS (INSERT INTO item VALUES (9) RETURNING id) SELECT * FROM x",
      "SELECT setval('s', 9)",
    ] {
      let result = try await LiveQuery.run("--once", database.address(), "-c", query)
      #expect(result.status != 0)
    }
    #expect(try await database.run("SELECT count(*) FROM item") == "2\n")
  }

  @Test func `a table that is truncated meanwhile is never shown empty`() async throws {
    // Alone: beside others' commits it may run once more, and learn then.
    let database = try await databaseAlone()
    try await database.run("CREATE TABLE other (v int)")
    let stream = try await database.stream(
      "SELECT (SELECT count(*) FROM item) AS n, (SELECT count(*) FROM other) AS o")
    // What it reads is known after the first two times that it ran.
    for number in 1...2 {
      try await database.run("INSERT INTO item VALUES (\(10 + number))")
      _ = try await stream.change()
    }
    let file = try await database.run(Self.fileOfItem)
    // The panel has its snapshot, and waits for the table.
    let truncation = try RunningProgram(
      [
        "psql", "-h", database.server.folder, "-U", "postgres", "-d", database.name, "-qc",
        """
        DO $$ BEGIN LOCK TABLE item IN ACCESS EXCLUSIVE MODE; \
        PERFORM set_config('application_name', 'holder', false); \
        WHILE NOT EXISTS (SELECT FROM pg_locks WHERE relation = 'item'::regclass AND NOT granted) \
        LOOP PERFORM pg_sleep(0.001); END LOOP; TRUNCATE item; INSERT INTO item VALUES (7); END $$
        """,
      ])
    // The panel may be read for another reason before this sees the lock.
    try await wait(for: "the lock, or its end") {
      let locks = try await database.run(
        "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'item'::regclass AND granted"
      )
      let hasEnded = truncation.hasEnded
      let present = try await database.run(Self.fileOfItem)
      if locks == "1\n" || present != file { return true }
      if hasEnded { throw Unexpected("nothing was truncated: \(try await truncation.result())") }
      return false
    }
    try await database.run("INSERT INTO other VALUES (1)")
    _ = try await truncation.result()
    while true {
      guard let new = try await stream.change()["new"] else { continue }
      #expect(!new.contains(#""n":0"#))
      if new == #"{"n":1,"o":1}"# { break }
    }
  }

  @Test func `what the end of a transaction refuses is said in the console`() async throws {
    let database = try await database(
      Self.shop
        + "CREATE TABLE part (item int REFERENCES item DEFERRABLE INITIALLY DEFERRED);")
    let frame = try await frame(
      database, "cINSERT INTO part VALUES (99);<Enter><wait>", size: "120x30")
    #expect(frame.contains("violates foreign key constraint"), "\(frame)")
    #expect(try await database.run("SELECT count(*) FROM part") == "0\n")
  }

  @Test func `a lock delays only the panels that need it`() async throws {
    let database = try await database(Self.shop + "CREATE TABLE other (v int);")
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "-- name: locked\nSELECT count(*) FROM item;\n-- name: free\nSELECT count(*) FROM other;\n",
      to: "shop.sql")
    let stream = try LiveQuery.start(["--stream", database.address(), file])
    var ends = 0
    while ends < 2 {
      if try StreamRecord(try await stream.line()).operation == "\"end\"" { ends += 1 }
    }
    let holder = try RunningProgram(
      [
        "psql", "-h", database.server.folder, "-U", "postgres", "-d", database.name, "-qc",
        """
        DO $$ BEGIN LOCK TABLE item IN ACCESS EXCLUSIVE MODE; INSERT INTO item VALUES (3); \
        PERFORM set_config('application_name', 'holder', false); PERFORM pg_sleep(60); END $$
        """,
      ])
    try await wait(for: "the lock") {
      try await database.run(
        "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'item'::regclass AND granted"
      ) == "1\n"
    }
    try await database.run("CREATE INDEX ON other (v); INSERT INTO other VALUES (1)")
    #expect(try await stream.change().panel == "\"free\"")
    try await database.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holder'")
    _ = try await holder.result()
    try await database.run("INSERT INTO item VALUES (4)")
    #expect(try await stream.change().panel == "\"locked\"")
  }

  @Test func `it uses two connections, creates no slot, and leaves nothing when it is killed`()
    async throws
  {
    let database = try await database()
    let stream = try await database.stream("SELECT count(*) FROM item")
    let connections = """
      SELECT backend_type FROM pg_stat_activity WHERE application_name = 'livequery' \
      AND (datname = '\(database.name)' OR pid IN (SELECT pid FROM pg_stat_replication)) ORDER BY 1
      """
    let mine = try await database.run(connections)
    #expect(mine.contains("client backend\n"))
    #expect(mine.contains("walsender\n"))
    #expect(try await database.run("SELECT count(*) FROM pg_replication_slots") == "0\n")
    #expect(
      try await database.run("SELECT DISTINCT sync_state FROM pg_stat_replication") == "async\n")
    stream.signal(SIGKILL)
    _ = try await stream.result()
    try await wait(for: "the end of its connections") {
      try await database.run(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'livequery' AND datname = '\(database.name)'"
      ) == "0\n"
    }
    #expect(try await database.run("SELECT count(*) FROM pg_replication_slots") == "0\n")
  }

  @Test func `a signal ends a stream in good order`() async throws {
    let database = try await database()
    let folder = try TemporaryFolder()
    let socket = folder.path("lines")
    let stream = try LiveQuery.start([
      "--stream", "--listen", "unix:\(socket)", database.address(), "-c",
      "SELECT count(*) FROM item",
    ])
    while try await !stream.line().contains("\"end\"") {}
    #expect(access(socket, F_OK) == 0)
    stream.signal(SIGTERM)
    #expect(try await stream.result().status == 143)
    #expect(access(socket, F_OK) != 0)
  }

  @Test func `where the log itself is refused, the server decodes it, and keeps no slot`()
    async throws
  {
    let server = try await PostgresServer.sharedDecoding()
    let database = try await server.database(
      Self.shop + "CREATE TABLE other (v int); CREATE VIEW w AS SELECT count(*) AS n FROM item;")
    let stream = try await database.stream("SELECT n FROM w")
    func slots(_ condition: String = "true") async throws -> String {
      try await database.run(
        "SELECT count(*) FROM pg_replication_slots WHERE database = '\(database.name)' AND \(condition)"
      )
    }
    try await wait(for: "the slot") { try await slots("temporary AND active") == "1\n" }
    var tables: String?
    var number = 2
    // The slot may be there before its log is read.
    while tables != #"["item"]"# {
      number += 1
      try await database.run("INSERT INTO item VALUES (\(number))")
      var record: StreamRecord
      repeat {
        record = try StreamRecord(try await stream.line())
      } while record.operation
        != "\"end\""
      tables = record["tables"]
    }
    // A view that becomes another one in a transaction that changes rows elsewhere.
    try await database.run(
      "BEGIN; CREATE OR REPLACE VIEW w AS SELECT -count(*) AS n FROM item; INSERT INTO other VALUES (1); COMMIT"
    )
    while try await stream.change()["new"] != "{\"n\":-\(number)}" {}
    stream.signal(SIGKILL)
    _ = try await stream.result()
    try await wait(for: "the end of the slot") { try await slots() == "0\n" }
  }

  @Test func `a slot that is being made goes with its program, whoever writes meanwhile`()
    async throws
  {
    let server = try await PostgresServer(
      settings: ["wal_level = logical"], access: "local all all trust")
    let database = try await server.database(Self.shop)
    let writer = try RunningProgram(
      [
        "psql", "-h", server.folder, "-U", "postgres", "-d", database.name, "-qc",
        "DO $$ BEGIN INSERT INTO item VALUES (3); PERFORM pg_sleep(300); END $$",
      ])
    func count(_ what: String) async throws -> String {
      try await database.run("SELECT count(*) FROM \(what)")
    }
    try await wait(for: "the writer") {
      try await count("pg_locks WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock'")
        == "1\n"
    }
    let stream = try await database.stream("SELECT count(*) FROM item")
    try await wait(for: "the slot") { try await count("pg_replication_slots") == "1\n" }
    stream.signal(SIGKILL)
    _ = try await stream.result()
    try await wait(for: "the end of the slot") { try await count("pg_replication_slots") == "0\n" }
    #expect(!writer.hasEnded)
    try await database.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
    _ = try await writer.result()
  }

  @Test func `triggers report commits where the log is refused`() async throws {
    let database = try await databaseAlone()
    try await database.run(
      """
      CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader; CREATE TABLE other (v int); CREATE TABLE third (v int);
      CREATE TABLE part (v int) PARTITION BY LIST (v); CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1);
      """)
    let triggers = try await LiveQuery.run("--print-triggers")
    // Twice is as good as once.
    try await database.run(triggers.output + triggers.output)
    try await database.run("DROP TRIGGER livequery_notify ON other")
    let frame = try await LiveQuery.run(
      "--frame", "100x20", database.address(as: "reader"), "-c", "SELECT count(*) FROM item")
    #expect(frame.output.contains("LIVE via NOTIFY (2 of 4 tables)"), "\(frame.output)")

    let stream = try await database.stream(
      as: "reader",
      "SELECT (SELECT count(*) FROM item) AS a, (SELECT count(*) FROM other) AS b, (SELECT count(*) FROM part_1) AS c"
    )
    try await wait(for: "the program to listen") {
      try await database.run(
        "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND query = ''") == "1\n"
    }
    var items = 2
    func tables(after sql: String, b: Int = 0, c: Int = 0) async throws -> String? {
      try await database.run(sql)
      #expect(try await stream.change()["new"] == #"{"a":\#(items),"b":\#(b),"c":\#(c)}"#)
      return try StreamRecord(try await stream.line())["tables"]
    }
    repeat {
      items += 1
      // A poll may see it first.
    } while try await tables(after: "INSERT INTO item VALUES (\(items))") != #"["item"]"#
    // A statement without an effect reports nothing; what no trigger reports is found nevertheless: written alone,
    // and together with what a trigger reports.
    #expect(
      try await tables(
        after: "DELETE FROM item WHERE id = -1; INSERT INTO other VALUES (1)", b: 1) == "null")
    _ = try await tables(
      after: "BEGIN; INSERT INTO third VALUES (1); INSERT INTO other VALUES (1); COMMIT", b: 2)
    _ = try await tables(
      after: "BEGIN; INSERT INTO third VALUES (2); INSERT INTO part VALUES (1); COMMIT", b: 2, c: 1)
    // A trigger that goes. This panel reads nothing that is polled.
    let second = try await database.stream(as: "reader", "SELECT count(*) AS a FROM item")
    try await wait(for: "the second program to listen") {
      try await database.run(
        "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND query = ''") == "2\n"
    }
    for _ in 1...2 {
      items += 1
      try await database.run("INSERT INTO item VALUES (\(items))")
      #expect(try await second.change()["new"] == #"{"a":\#(items)}"#)
    }
    try await database.run(
      "BEGIN; ALTER TABLE item DISABLE TRIGGER livequery_notify; INSERT INTO third VALUES (3); COMMIT"
    )
    items += 1
    try await database.run(
      "BEGIN; INSERT INTO third VALUES (4); INSERT INTO item VALUES (\(items)); COMMIT")
    #expect(try await second.change()["new"] == #"{"a":\#(items)}"#)
  }

  @Test func `the server ends the session of a stopped program that listens`() async throws {
    let database = try await databaseAlone()
    try await database.run("CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader")
    try await database.run(LiveQuery.run("--print-triggers").output)
    let stream = try await database.stream(as: "reader", "SELECT count(*) AS n FROM item")
    func listeners() async throws -> String {
      try await database.run(
        "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND query IN ('', 'LISTEN livequery')"
      )
    }
    try await wait(for: "the program to listen") { try await listeners() == "1\n" }
    try await stream.stop()
    try await wait(for: "the end of the session") { try await listeners() == "0\n" }
    try await database.run("INSERT INTO item VALUES (3)")
    stream.signal(SIGCONT)
    while try await stream.change()["new"] != #"{"n":3}"# {}
    try await stream.waitForErrors(containing: "the stream of notifications has ended")
  }

  @Test func `the server drops a stopped program, which goes on later`() async throws {
    // Of its own: no other walsender counts.
    let database = try await PostgresServer().database(Self.shop)
    let stream = try await database.stream("SELECT count(*) AS n FROM item")
    // One that is stopped within a transaction loses its other connection as well.
    try await wait(for: "the stream") {
      try await database.run("SELECT count(*) FROM pg_stat_replication") == "1\n"
    }
    try await stream.stop()
    try await database.run("INSERT INTO item VALUES (3)")
    try await wait(for: "the end of the stream") {
      try await database.run("SELECT count(*) FROM pg_stat_replication") == "0\n"
    }
    stream.signal(SIGCONT)
    while try await stream.change()["new"] != #"{"n":3}"# {}
    try await stream.waitForErrors(containing: "the stream of the log has ended")
    try await database.run("INSERT INTO item VALUES (4)")
    while try await stream.change()["new"] != #"{"n":4}"# {}
  }

  @Test func `it goes on when the server has ended its connections`() async throws {
    let server = try await PostgresServer()
    let database = try await server.database(Self.shop)
    let stream = try await database.stream("SELECT count(*) AS n FROM item")
    try await database.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'livequery'")
    try await stream.waitForErrors(containing: "reconnected")
    try await database.run("INSERT INTO item VALUES (3)")
    while try await stream.change()["new"] != #"{"n":3}"# {}
  }

  @Test func `commits without a wait for the disk are shown before the log has them`() async throws
  {
    let database = try await database()
    let stream = try await database.stream("SELECT count(*) AS n FROM item")
    for number in 3...12 {
      try await database.run("SET synchronous_commit = off; INSERT INTO item VALUES (\(number))")
      while try await stream.change()["new"] != "{\"n\":\(number)}" {}
    }
  }
}
