import Glibc
import ObservationEngine
import ObservationPostgres
import TestSupport
import Testing

/// What panels show while a server is late, refuses, or is gone.
@Suite(.needsPostgres, .fewAtOnce) struct ServerAnswerTests {
  fileprivate static let counter =
    "CREATE TABLE counter (value int); INSERT INTO counter VALUES (1);"

  /// What a group of panels shows.
  private struct Screen {
    private let server: Server
    private var updates: ServerObservation.Iterator
    private(set) var values: [Int: Value] = [:]
    private(set) var failures: [Int: String] = [:]
    private(set) var stale: [Int: Staleness] = [:]
    private(set) var commits = 0
    private(set) var notices: [String] = []

    init(_ server: Server, _ queries: [String]) {
      self.server = server
      updates = server.observe(queries.map { Server.PanelQuery(sql: $0, parameters: [:]) })
        .makeAsyncIterator()
    }

    /// Takes updates until something is shown.
    mutating func wait(
      for what: String, _ isShown: (Screen) -> Bool
    ) async throws {
      while !isShown(self) {
        guard let update = await updates.next(isolation: nil) else {
          throw Unexpected("it ended without \(what)")
        }
        for (panel, result) in update.results {
          switch result {
          case .success(let rows): (values[panel], failures[panel]) = (rows.rows.first?[0], nil)
          case .failure(let error): failures[panel] = "\(error)"
          }
        }
        stale = update.stale
        for event in update.events {
          switch event {
          case .commit: commits += 1
          case .notice(let text, _): notices.append(text)
          default: break
          }
        }
      }
    }
  }

  fileprivate static func open(
    _ address: String, _ settings: ServerSettings = ServerSettings()
  ) throws -> Server {
    guard let address = ServerAddress(address) else { throw Unexpected("no address") }
    return try Server(address, settings)
  }

  private static func console(_ server: Server, _ sql: String) async throws -> Value? {
    try await server.run(ServerStatement(sql), [], rowLimit: 10, byteLimit: 1_000) { _ in }
      .rows?.rows.first?[0]
  }

  /// Two servers, and a program whose first host is a name for the former of them that comes too late.
  private struct Move {
    let former: PostgresDatabase
    let latter: PostgresDatabase
    let server: Server
    private let folder: TemporaryFolder
    private let door: String

    init() async throws {
      former = try await PostgresServer().ownDatabase
      latter = try await PostgresServer().ownDatabase
      for one in [former, latter] { try await one.run(ServerAnswerTests.counter) }
      folder = try TemporaryFolder()
      door = folder.path + "/door"
      server = try ServerAnswerTests.open(
        "postgres://postgres@/postgres?host=\(door),\(latter.server.folder)")
    }

    /// What panels of the latter show; from then on the name leads to the former.
    func screen() async throws -> Screen {
      var screen = Screen(server, ["SELECT value FROM counter"])
      try await screen.wait(for: "the value") { $0.values[0] == 1 }
      #expect(symlink(former.server.folder, door) == 0)
      return screen
    }

    /// Ends the panels' connections, so that they reach the first host.
    ///
    /// - Parameter kept: The process of one that stays.
    func end(keeping kept: String = "0") async throws {
      try await latter.run(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'livequery' AND pid <> \(kept)
        """)
      try await former.run("UPDATE counter SET value = 2")
    }
  }

  private static let place = "SELECT current_setting('unix_socket_directories')"

  @Test func `all connections are to the server of the panels`() async throws {
    let move = try await Move()
    let server = move.server
    defer { server.shutDown() }
    var screen = try await move.screen()
    let there: Value = .text(move.latter.server.folder)
    #expect(try await Self.console(server, Self.place) == there)
    _ = try await Self.console(server, "BEGIN")
    try await move.end()
    try await screen.wait(for: "the other value") { $0.values[0] == 2 }
    let error = await #expect(throws: DatabaseError.self) {
      try await Self.console(server, "INSERT INTO counter VALUES (3)")
    }
    #expect(
      error?.message == "the panels have reached another server: the transaction is rolled back")
    #expect(try await Self.console(server, Self.place) == .text(move.former.server.folder))
    #expect(try await move.latter.run("SELECT count(*) FROM counter") == "1\n")
  }

  @Test func `what is read besides is of the server of the panels`() async throws {
    let move = try await Move()
    let server = move.server
    defer { server.shutDown() }
    var screen = try await move.screen()
    #expect(try await server.rows(Self.place) == [[.text(move.latter.server.folder)]])
    let row = try await server.rows("SELECT pg_backend_pid()::text")
    guard case .text(let process)? = row.first?.first else { throw Unexpected("no process") }
    try await move.end(keeping: process)
    try await screen.wait(for: "the other value") { $0.values[0] == 2 }
    #expect(try await server.rows(Self.place) == [[.text(move.former.server.folder)]])
  }

  @Test func `panels are stale while the server's answer is late`() async throws {
    let database = try await PostgresServer().database(Self.counter)
    let server = try Self.open(database.address())
    defer { server.shutDown() }
    var screen = Screen(server, ["SELECT value FROM counter"])
    try await screen.wait(for: "the value") { $0.values[0] == 1 && $0.stale.isEmpty }
    let process = try await database.run(
      """
      SELECT pid FROM pg_stat_activity WHERE application_name = 'livequery'
      AND backend_type = 'client backend' AND datname = current_database()
      """)
    let backend = try #require(pid_t(process.dropLast()))
    let before = SystemClock.now()
    kill(backend, SIGSTOP)
    defer { kill(backend, SIGCONT) }
    try await database.run("UPDATE counter SET value = 2")
    try await screen.wait(for: "its end") { !$0.stale.isEmpty }
    let stale = try #require(screen.stale[0])
    #expect(stale.reason == "the server's answer is late")
    // It was heard of last before it stopped, or at the commit.
    #expect(stale.since.microseconds < SystemClock.now().microseconds - 400_000)
    #expect(stale.since.microseconds > before.microseconds - 5_000_000)
    kill(backend, SIGCONT)
    try await screen.wait(for: "the new value") { $0.values[0] == 2 && $0.stale.isEmpty }
  }

  @Test func `panels are stale while a server says nothing, although nothing is asked`()
    async throws
  {
    let database = try await PostgresServer().database(Self.counter)
    let server = try Self.open(database.address())
    defer { server.shutDown() }
    var screen = Screen(server, ["SELECT value FROM counter"])
    try await screen.wait(for: "the value") { $0.values[0] == 1 && $0.stale.isEmpty }
    try await wait(for: "its log") { server.facts.means == .wal(lag: nil, isReplica: false) }
    let processes = try await database.run(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'livequery' AND backend_type = 'walsender'"
    )
    let sender = try #require(pid_t(processes.dropLast()))
    kill(sender, SIGSTOP)
    defer { kill(sender, SIGCONT) }
    try await screen.wait(for: "its end") { !$0.stale.isEmpty }
    #expect(screen.stale[0]?.reason == "the server's answer is late")
    kill(sender, SIGCONT)
    try await screen.wait(for: "its answer") { $0.stale.isEmpty }
  }

  @Test(arguments: [nil, Duration.milliseconds(5)])
  func `a slow panel runs by itself, behind the others`(polls interval: Duration?) async throws {
    let database = try await PostgresServer().database(Self.counter)
    var settings = ServerSettings()
    settings.pollInterval = interval
    let server = try Self.open(database.address(), settings)
    defer { server.shutDown() }
    var screen = Screen(
      server,
      ["SELECT value FROM counter", "SELECT value, pg_sleep(0.6)::text FROM counter"])
    try await screen.wait(for: "both values") { $0.values[0] == 1 && $0.values[1] == 1 }
    for value in 2...3 {
      let commits = screen.commits
      try await database.run("UPDATE counter SET value = \(value)")
      try await screen.wait(for: "the quick one") { $0.values[0] == .integer(Int64(value)) }
      #expect(screen.values[1] == .integer(Int64(value - 1)))
      #expect(screen.stale[1]?.reason == "slow query, running on its own")
      #expect(screen.commits == commits + 1)
      try await screen.wait(for: "the slow one") { $0.values[1] == .integer(Int64(value)) }
      #expect(screen.stale.isEmpty)
      #expect(screen.commits == commits + 1)
    }
  }

  @Test(arguments: [nil, Duration.milliseconds(5)])
  func `what only a slow panel shows is a commit`(polls interval: Duration?) async throws {
    let database = try await PostgresServer().database(
      Self.counter
        + "CREATE FUNCTION nap() RETURNS text LANGUAGE sql AS 'SELECT pg_sleep(0.4)::text';")
    var settings = ServerSettings()
    settings.pollInterval = interval
    let server = try Self.open(database.address(), settings)
    defer { server.shutDown() }
    var screen = Screen(server, ["SELECT value, nap() FROM counter"])
    try await screen.wait(for: "the value") { $0.values[0] == 1 }
    let commits = screen.commits
    try await database.run("UPDATE counter SET value = 2")
    try await screen.wait(for: "the new value") { $0.values[0] == 2 }
    #expect(screen.commits == commits + 1)
  }

  @Test func `why there is still no connection is said`() async throws {
    let database = try await PostgresServer.shared().database(
      Self.counter + "CREATE ROLE lost LOGIN; GRANT pg_read_all_data TO lost;")
    let server = try Self.open(database.address(as: "lost"))
    defer { server.shutDown() }
    var screen = Screen(server, ["SELECT value FROM counter"])
    try await screen.wait(for: "the value") { $0.values[0] == 1 }
    try await database.run(
      """
      ALTER ROLE lost NOLOGIN;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'lost';
      """)
    let reason = "is not permitted to log in"
    try await screen.wait(for: "the reason") { $0.stale[0]?.reason.contains(reason) == true }
    #expect(screen.notices.last?.contains("there is no connection yet") == true)
    #expect(server.facts.loss?.contains(reason) == true)
    try await database.run("UPDATE counter SET value = 2; ALTER ROLE lost LOGIN")
    try await screen.wait(for: "the new value") { $0.values[0] == 2 && $0.stale.isEmpty }
    #expect(server.facts.loss == nil)
    #expect(screen.commits == 1)
    try await database.run("DROP OWNED BY lost; ALTER ROLE lost NOLOGIN")
  }

  @Test func `a panel that is cancelled keeps its rows`() async throws {
    let database = try await PostgresServer.shared().database(Self.counter)
    var settings = ServerSettings()
    settings.queryLimit = .milliseconds(400)
    let server = try Self.open(database.address(), settings)
    defer { server.shutDown() }
    var screen = Screen(
      server, ["SELECT 42, pg_sleep(CASE value WHEN 1 THEN 0 ELSE 60 END)::text FROM counter"])
    try await screen.wait(for: "the value") { $0.values[0] == 42 }
    try await database.run("UPDATE counter SET value = 2")
    try await screen.wait(for: "the limit") { $0.stale[0]?.reason.contains("400 ms") == true }
    #expect(screen.values[0] == 42 && screen.failures.isEmpty)
    try await database.run("UPDATE counter SET value = 1")
    try await screen.wait(for: "its end") { $0.stale.isEmpty }
    #expect(screen.failures.isEmpty)
  }

  @Test(arguments: [nil, Duration.milliseconds(5)])
  func `a role's own limit is kept, and said`(polls interval: Duration?) async throws {
    let role = interval == nil ? "hasty" : "hurried"
    let database = try await PostgresServer.shared().database(
      Self.counter + """
        CREATE ROLE \(role) LOGIN REPLICATION; GRANT pg_read_all_data TO \(role);
        ALTER ROLE \(role) SET statement_timeout = '400ms';
        """)
    var settings = ServerSettings()
    settings.pollInterval = interval
    let server = try Self.open(database.address(as: role), settings)
    defer { server.shutDown() }
    var screen = Screen(
      server, ["SELECT 42, pg_sleep(CASE value WHEN 1 THEN 0 ELSE 60 END)::text FROM counter"])
    try await screen.wait(for: "the value") { $0.values[0] == 42 }
    try await database.run("UPDATE counter SET value = 2")
    try await screen.wait(for: "the limit") {
      $0.stale[0]?.reason.contains("more than 400 ms; statement_timeout of this role") == true
    }
    let limit = "SELECT current_setting('statement_timeout')"
    let rows = try await server.results(
      of: [Server.PanelQuery(sql: limit, parameters: [:])], limit: .seconds(30))
    #expect(try rows[0].get().rows.first?[0] == "400ms")
    let more = try await server.results(
      of: [Server.PanelQuery(sql: limit, parameters: [:])], limit: .milliseconds(90))
    #expect(try more[0].get().rows.first?[0] == "90ms")
    server.shutDown()
    try await database.run("DROP OWNED BY \(role); DROP ROLE \(role)")
  }

  @Test func `who cancels a panel is not said to be the limit`() async throws {
    let database = try await PostgresServer.shared().database(Self.counter)
    let server = try Self.open(database.address())
    defer { server.shutDown() }
    var screen = Screen(
      server, ["SELECT pg_sleep(CASE value WHEN 1 THEN 0 ELSE 60 END)::text, 1 FROM counter"])
    try await screen.wait(for: "the value") { !$0.values.isEmpty }
    try await database.run("UPDATE counter SET value = 2")
    let cancel =
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
    while try await database.run(cancel).isEmpty {}
    try await screen.wait(for: "the reason") {
      $0.stale[0]?.reason.contains("user request") == true
    }
    try await database.run("UPDATE counter SET value = 1")
    while screen.stale[0] != nil {
      _ = try await database.run(cancel)
      let last = screen.stale
      try await screen.wait(for: "its end") { $0.stale != last }
    }
    let outcome = try await LiveQuery.run(
      "--once", database.address(), "-c", "SELECT pg_cancel_backend(pg_backend_pid())")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("user request"))
  }

  @Test func `a standby that doesn't replay is stale`() async throws {
    let primary = try await PostgresServer()
    let standby = try await PostgresServer(standbyOf: primary)
    let database = try await primary.database(Self.counter)
    let replica = try await database.replica(on: standby)
    let server = try Self.open(replica.address())
    defer { server.shutDown() }
    var screen = Screen(server, ["SELECT value FROM counter"])
    try await screen.wait(for: "the value") { $0.values[0] == 1 }
    // The log is followed once a commit comes with it.
    while !server.facts.means.isPushed { try await database.run("CREATE TEMP TABLE x (y int)") }
    try await replica.run("SELECT pg_wal_replay_pause()")
    try await database.run("UPDATE counter SET value = 2")
    try await screen.wait(for: "the delay") {
      $0.stale[0]?.reason == "the standby has received commits that it has not replayed"
    }
    #expect(screen.values[0] == 1)
    try await replica.run("SELECT pg_wal_replay_resume()")
    try await screen.wait(for: "the new value") { $0.values[0] == 2 && $0.stale.isEmpty }
  }
}
