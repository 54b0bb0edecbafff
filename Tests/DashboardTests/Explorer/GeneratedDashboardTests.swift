import DatabaseConsole
import ObservationEngine
import TestSupport
import Testing

@testable import Dashboard

/// Dashboards that are made from a schema and some rows.
@Suite struct GeneratedDashboardTests {
  /// A table of jobs with a time, a state, a quantity and a key of another table.
  private var schema: SchemaDescription {
    var jobs = Explored.table(
      "jobs",
      columns: [
        Explored.column("id", "INTEGER", key: 1), Explored.column("state"),
        Explored.column("worker_id", "INTEGER"), Explored.column("amount", "REAL"),
        Explored.column("started_at"), Explored.column("data", "BLOB"),
      ])
    jobs.foreignKeys = [
      SchemaDescription.ForeignKey(
        columns: ["worker_id"], table: "workers", targets: [], actions: "")
    ]
    return SchemaDescription(tables: [jobs, Explored.table("workers")], version: 1)
  }

  private let counts: [String: RowCount] = ["jobs": .exact(500), "workers": .exact(3)]

  private var samples: [String: RowSet] {
    let states: [Value] = ["waiting", "running", "done"]
    let jobs = (0..<500).map { number -> [Value] in
      let hour = number / 20
      let time = "2026-11-\(hour / 24 + 10) \(hour % 24 < 10 ? "0" : "")\(hour % 24):00:00"
      return [
        .integer(Int64(500 - number)), states[number % 3], .integer(Int64(number % 3 + 1)),
        .real(Double(number) / 4), .text(time), .blob([0]),
      ]
    }
    let workers: [[Value]] = [[1, "ada"], [2, "grace"], [3, "linus"]]
    return [
      "jobs": RowSet(
        columns: ["id", "state", "worker_id", "amount", "started_at", "data"], rows: jobs),
      "workers": RowSet(columns: ["id", "name"], rows: workers),
    ]
  }

  private func made(
    _ schema: SchemaDescription, _ samples: [String: RowSet], sizes: Bool = true
  ) -> DashboardDefinition? {
    let text = GeneratedDashboard(
      schema, counts, samples, named: "jobs.db", hasSizes: sizes
    ).text
    guard let text else { return nil }
    let parsed = DashboardParser.parse(text)
    #expect(parsed.diagnostics == [], "\(text)")
    return parsed.definition
  }

  @Test func `times are a line, states are bars, keys are bars by name, amounts a histogram`()
    throws
  {
    let definition = try #require(made(schema, samples))
    let panels = Dictionary(uniqueKeysWithValues: definition.panels.map { ($0.name, $0) })
    #expect(
      panels["jobs-per-hour"]?.sql.hasPrefix(
        "SELECT strftime('%Y-%m-%d %H:00', \"started_at\") AS hour, count(*) AS rows") == true)
    #expect(panels["jobs-by-state"]?.view == .bar)
    #expect(panels["jobs-by-worker-id"]?.sql.contains("JOIN \"workers\" AS p") == true)
    #expect(panels["amount-histogram"]?.view == .histogram)
    #expect(panels["sum-of-amount"]?.view == .number)
    #expect(panels["newest-jobs"]?.key == ["id"])
    #expect(panels["newest-jobs"]?.sql.contains("\"data\"") == false)
    #expect(panels["biggest"] != nil)
    #expect(Set(definition.layout.joined()) == Set(definition.panels.map(\.name)))
  }

  @Test func `a table and a column without a name make a dashboard that can be read`() throws {
    let table = Explored.table(
      "", columns: [Explored.column("", "INTEGER", key: 1), Explored.column("state")])
    let schema = SchemaDescription(tables: [table], version: 1)
    let rows = (0..<20).map { number -> [Value] in [.integer(number), .text("s\(number % 3)")] }
    let text = try #require(
      GeneratedDashboard(
        schema, ["": .exact(20)], ["": RowSet(columns: ["", "state"], rows: rows)],
        named: "odd.db", hasSizes: true
      ).text)
    let parsed = DashboardParser.parse(text)
    #expect(parsed.diagnostics == [], "\(text)")
    #expect(text.contains("-- title: \"\"\n"))
    #expect(parsed.definition.panels.first { $0.name == "newest" }?.key == [])
  }

  @Test func `the sizes are those of the whole file, so that shares are of it`() async throws {
    let definition = try #require(made(schema, samples))
    let panel = try #require(definition.panels.first { $0.name == "biggest" })
    let db = try await TemporaryDatabase(
      .rollbackJournal, schema: "CREATE TABLE t (a); CREATE TABLE u (b)")
    try await db.write(
      script: "INSERT INTO t VALUES (zeroblob(20000)); INSERT INTO u VALUES (1); DELETE FROM t")
    let rows = try await db.database.read { try $0.fetchAll(SQL(raw: panel.sql)).rows }
    let total = rows.reduce(Int64(0)) { sum, row in
      if case .integer(let bytes) = row[1] { sum + bytes } else { sum }
    }
    let size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    let file = try await db.database.read { try $0.fetchAll(SQL(raw: size)).rows[0][0] }
    #expect(file == .integer(total))
  }

  @Test func `a dashboard of a server has its SQL`() throws {
    var schema = schema
    schema.tables[0].columns[4].type = "timestamp with time zone"
    let text = try #require(
      GeneratedDashboard(
        schema, counts, samples, named: "jobs", hasSizes: false, dialect: .postgres
      ).text)
    #expect(
      text.contains(
        "SELECT to_char(\"started_at\", 'YYYY-MM-DD HH24:00') AS hour, count(*) AS rows"))
    #expect(text.contains("GROUP BY 1, p.\"id\""))
    #expect(!text.contains("strftime") && !text.contains("dbstat"))
    // A text may have a value that is no time, which only SQLite passes over.
    schema.tables[0].columns[4].type = "text"
    let other = GeneratedDashboard(
      schema, counts, samples, named: "jobs", hasSizes: false, dialect: .postgres)
    #expect(other.text?.contains("to_char") == false)
  }

  @Test func `no table with rows gives no dashboard`() {
    #expect(made(SchemaDescription(tables: [], version: 0), [:]) == nil)
    #expect(made(schema, [:]) == nil)
  }

  @Test func `hostile names stay names`() throws {
    let name = "a\"b\nc -- layout: x"
    let table = Explored.table(name, columns: [Explored.column("x\"y", "REAL")])
    let text = GeneratedDashboard(
      SchemaDescription(tables: [table], version: 1), [name: .exact(9)],
      [name: RowSet(columns: ["x\"y"], rows: (0..<9).map { [.real(Double($0))] })],
      named: "n\nm.db", hasSizes: true
    ).text
    let parsed = DashboardParser.parse(try #require(text))
    #expect(parsed.diagnostics.filter { $0.severity == .error } == [])
    #expect(parsed.definition.panels.contains { $0.sql.contains("\"a\"\"b\nc -- layout: x\"") })
  }
}
