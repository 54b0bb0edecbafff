import TestSupport
import Testing

@testable import LiveQueryTUI

/// Dashboards that are chosen by name.
@Suite(.fewAtOnce) struct ReadyDashboardTests {
  private static let folder = Playground.projectFile("share/livequery/dashboards")

  /// The tables that each reads, as its program declares them, with a row or two.
  private static let schemas = [
    "health": """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE player (id INTEGER PRIMARY KEY, team REFERENCES team(id));
    INSERT INTO team VALUES (1, 'red'); INSERT INTO player VALUES (1, 1);
    """,
    "northwind": """
    CREATE TABLE Customers (CustomerID TEXT PRIMARY KEY, CompanyName TEXT, Country TEXT);
    CREATE TABLE Orders (OrderID INTEGER PRIMARY KEY, CustomerID TEXT, OrderDate DATETIME,
      ShippedDate DATETIME, ShipCountry TEXT, Freight NUMERIC);
    CREATE TABLE "Order Details" (OrderID INTEGER, ProductID INTEGER, UnitPrice NUMERIC,
      Quantity INTEGER, Discount REAL, PRIMARY KEY (OrderID, ProductID));
    CREATE TABLE Categories (CategoryID INTEGER PRIMARY KEY, CategoryName TEXT);
    CREATE TABLE Products (ProductID INTEGER PRIMARY KEY, CategoryID INTEGER, UnitsInStock INTEGER,
      UnitsOnOrder INTEGER, ReorderLevel INTEGER, Discontinued TEXT);
    CREATE VIEW "Order Subtotals" AS SELECT OrderID, sum(UnitPrice * Quantity * (1 - Discount)) AS Subtotal
      FROM "Order Details" GROUP BY OrderID;
    INSERT INTO Customers VALUES ('ALFKI', 'Alfreds Futterkiste', 'Germany');
    INSERT INTO Orders VALUES (1, 'ALFKI', '1996-07-04', NULL, 'Germany', 32.38);
    INSERT INTO "Order Details" VALUES (1, 1, 14, 12, 0.05);
    INSERT INTO Categories VALUES (1, 'Beverages'); INSERT INTO Products VALUES (1, 1, 39, 0, 10, '0');
    """,
    "solid-queue": """
    CREATE TABLE solid_queue_jobs (id integer PRIMARY KEY, queue_name varchar NOT NULL, class_name varchar NOT NULL,
      arguments text, priority integer DEFAULT 0 NOT NULL, active_job_id varchar, scheduled_at datetime(6),
      finished_at datetime(6), concurrency_key varchar, created_at datetime(6) NOT NULL,
      updated_at datetime(6) NOT NULL);
    CREATE TABLE solid_queue_ready_executions (id integer PRIMARY KEY, job_id bigint NOT NULL,
      queue_name varchar NOT NULL, priority integer DEFAULT 0 NOT NULL, created_at datetime(6) NOT NULL);
    CREATE TABLE solid_queue_scheduled_executions (id integer PRIMARY KEY, job_id bigint NOT NULL,
      queue_name varchar NOT NULL, priority integer DEFAULT 0 NOT NULL, scheduled_at datetime(6) NOT NULL,
      created_at datetime(6) NOT NULL);
    CREATE TABLE solid_queue_claimed_executions (id integer PRIMARY KEY, job_id bigint NOT NULL, process_id bigint,
      created_at datetime(6) NOT NULL);
    CREATE TABLE solid_queue_failed_executions (id integer PRIMARY KEY, job_id bigint NOT NULL, error text,
      created_at datetime(6) NOT NULL);
    CREATE TABLE solid_queue_processes (id integer PRIMARY KEY, kind varchar NOT NULL,
      last_heartbeat_at datetime(6) NOT NULL, supervisor_id bigint, pid integer NOT NULL, hostname varchar,
      metadata text, created_at datetime(6) NOT NULL, name varchar NOT NULL);
    INSERT INTO solid_queue_jobs VALUES
      (1, 'default', 'MailJob', '{}', 0, 'a', NULL, NULL, NULL, '2026-01-02 03:04:05', '2026-01-02 03:04:05');
    INSERT INTO solid_queue_failed_executions VALUES
      (1, 1, '{"exception_class":"IOError","message":"closed stream"}', '2026-01-02 03:04:06');
    """,
    "crush": """
    CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL,
      message_count INTEGER NOT NULL DEFAULT 0, prompt_tokens INTEGER NOT NULL DEFAULT 0,
      completion_tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0.0,
      updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL);
    CREATE TABLE files (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, path TEXT NOT NULL, content TEXT NOT NULL,
      version INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
    CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL,
      parts BLOB NOT NULL DEFAULT '[]', model TEXT, created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL, finished_at INTEGER);
    INSERT INTO sessions VALUES ('s', NULL, 'a bug', 2, 900, 100, 0.25, 1767323045, 1767323045);
    INSERT INTO messages VALUES ('m', 's', 'assistant', '[]', 'large', 1767323045, 1767323045, NULL);
    """,
  ]

  private static let names = EmbeddedDashboards.names

  private func dashboards(_ folders: String...) -> ReadyDashboards {
    ReadyDashboards(
      files: NamedFiles(suffix: ".sql", folders: folders, embedded: EmbeddedDashboards.self))
  }

  @Test func `the program contains the dashboards of the repository as they are`() throws {
    #expect(Self.schemas.keys.sorted() == Self.names)
    #expect(dashboards(Self.folder).files.names == Self.names, "run Scripts/embed-files")
    for name in Self.names {
      let text = try TextFile.read("\(Self.folder)/\(name).sql")
      #expect(EmbeddedDashboards.text(of: name) == text, "\(name): run Scripts/embed-files")
    }
  }

  @Test(arguments: names)
  func `it has no errors on a file of its schema, opened for reading only`(
    _ name: String
  ) async throws {
    let playground = try await Playground(Self.schemas[name]!)
    let check = try await LiveQuery.run("--check", playground.database, name)
    #expect(check.status == 0, "\(check.errors)")
    let once = try await LiveQuery.run("--once", "--ndjson", "-r", playground.database, name)
    #expect(once.status == 0 && once.errors == "", "\(once.errors)")
    #expect(once.output.contains("{"))
  }

  @Test func `the list has a line for each, and what it shows`() async throws {
    let result = try await LiveQuery.run("--dashboards")
    let lines = result.output.split(separator: "\n")
    #expect(lines.map { $0.prefix { $0 != " " } } == Self.names.map { $0[...] })
    #expect(
      lines.contains("health       Any SQLite file: what takes its space, and what to do about it.")
    )
  }

  @Test func `the user's own come first, and a file of this name before all`() async throws {
    let playground = try await Playground(Fixture.counter)
    let folder = "\(playground.folder.path)/livequery/dashboards"
    _ = try await RunningProgram.run(["mkdir", "-p", folder])
    try playground.folder.write(
      "-- dashboard: mine\n-- My own.\nSELECT 'mine' AS v;\n", to: "livequery/dashboards/health.sql"
    )
    let environment = ["XDG_CONFIG_HOME": playground.folder.path]
    let list = try await LiveQuery.run("--dashboards", environment: environment)
    #expect(list.output.contains("health       My own.  (\(folder)/health.sql)\n"))
    let mine = try await LiveQuery.run(
      "--once", "--csv", playground.database, "health", environment: environment)
    #expect(mine.output.contains("mine"))
    let file = try playground.folder.write("SELECT 'file' AS v;\n", to: "health")
    #expect(try dashboards(folder).load("health")?.text?.contains("mine") == true)
    #expect(try dashboards(folder).load(file) == nil)
  }

  @Test func `a name that nothing has is reported with the nearest one`() async throws {
    let playground = try await Playground(Fixture.counter)
    let result = try await LiveQuery.run("--once", playground.database, "helth")
    #expect(result.status == 2)
    #expect(
      result.errors == """
        livequery: helth: there is no such file, and no dashboard of this name, did you mean "health"?; \
        --dashboards lists those that are ready

        """)
    #expect(try dashboards().load("-") == nil)
    #expect(try dashboards().load("nowhere.sql") == nil)
  }
}
