import ObservationEngine
import ObservationPostgres
import TestSupport
import Testing

/// What is read besides the panels of a server.
@Suite(.needsPostgres, .fewAtOnce) struct ServerReadsTests {
  private static func open(
    on postgres: PostgresServer
  ) async throws -> (PostgresDatabase, Server) {
    let database = try await postgres.database(
      "CREATE TABLE counter (value int); INSERT INTO counter VALUES (0);")
    guard let address = ServerAddress(database.address()) else { throw Unexpected("no address") }
    return (database, try Server(address, ServerSettings()))
  }

  private static let sleeping =
    "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"

  private func query(_ sql: String) -> Server.PanelQuery {
    Server.PanelQuery(sql: sql, parameters: [:])
  }

  @Test func `a read that takes long holds up no panel`() async throws {
    let (database, server) = try await Self.open(on: .shared())
    defer { server.shutDown() }
    var updates = server.observe([query("SELECT value FROM counter")]).makeAsyncIterator()
    _ = await updates.next(isolation: nil)
    let sleep = query("SELECT pg_sleep(600)")
    let read = Task { try await server.results(of: [sleep], limit: nil) }
    while try await database.run(Self.sleeping).isEmpty {}
    try await database.run("UPDATE counter SET value = 7")
    var value: Value?
    while value != 7 {
      guard let update = await updates.next(isolation: nil) else { break }
      if case .success(let rows)? = update.results[0] { value = try rows[0][0] }
    }
    #expect(value == 7)
    #expect(try await !database.run(Self.sleeping).isEmpty, "it still runs")
    server.cancelQueries()
    let results = try await read.value
    guard case .failure(let error) = results[0] else { throw Unexpected("it was not cancelled") }
    #expect(error.code == .interrupted)
  }

  @Test func `the console doesn't wait for a read, which goes on between the panels'`() async throws
  {
    let (database, server) = try await Self.open(on: .shared())
    defer { server.shutDown() }
    let sleep = query("SELECT pg_sleep(600)")
    let read = Task { try await server.results(of: [sleep], limit: nil) }
    while try await database.run(Self.sleeping).isEmpty {}
    let outcome = try await server.run(
      ServerStatement("SELECT 2"), [], rowLimit: 1, byteLimit: 100
    ) { _ in }
    #expect(outcome.rowCount == 1)
    while try await database.run(Self.sleeping).isEmpty {}
    server.cancelQueries()
    let results = try await read.value
    guard case .failure(let error) = results[0] else { throw Unexpected("it was not cancelled") }
    #expect(error.code == .interrupted)
  }

  @Test func `there are at most three connections`() async throws {
    // On another server, the streams of other tests count.
    let (database, server) = try await Self.open(on: PostgresServer())
    defer { server.shutDown() }
    func connections() async throws -> Int {
      let text = try await database.run(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'livequery%'")
      return Int(text.dropLast()) ?? -1
    }
    var updates = server.observe([query("SELECT value FROM counter")]).makeAsyncIterator()
    _ = await updates.next(isolation: nil)
    #expect(try await server.rows("SELECT 1") == [[1]])
    #expect(try await connections() == 3)
    let outcome = try await server.run(
      ServerStatement("SELECT 2"), [], rowLimit: 1, byteLimit: 100
    ) { _ in }
    #expect(outcome.rowCount == 1)
    #expect(try await server.rows("SELECT 3") == [[3]])
    // One that was closed takes a moment to go.
    while try await connections() > 3 {}
    #expect(try await connections() == 3)
  }
}
