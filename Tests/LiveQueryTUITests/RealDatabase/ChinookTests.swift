import Glibc
import TestSupport
import Testing

/// Panels over a real database of a shop for music, compared with what `sqlite3` prints. Run with
///
///     LIVEQUERY_REAL_DATABASE=chinook.sqlite swift test --filter ChinookTests
///
/// The file itself is only copied.
@Suite(
  .enabled(
    if: getenv("LIVEQUERY_REAL_DATABASE") != nil,
    "LIVEQUERY_REAL_DATABASE names no copy of the Chinook database"))
struct ChinookTests {
  private static let panels = [
    (
      "sales",
      """
      SELECT BillingCountry AS country, count(*) AS invoices, round(sum(Total), 2) AS total
      FROM Invoice GROUP BY country ORDER BY total DESC, country
      """
    ),
    (
      "genres",
      """
      SELECT Genre.Name AS genre, count(*) AS sold, avg(InvoiceLine.UnitPrice) AS price
      FROM InvoiceLine JOIN Track USING (TrackId) JOIN Genre USING (GenreId)
      GROUP BY Genre.GenreId ORDER BY sold DESC, genre
      """
    ),
    (
      "artists",
      """
      SELECT Artist.Name AS artist, count(DISTINCT AlbumId) AS albums, count(*) AS tracks,
        sum(Milliseconds) / 60000.0 AS minutes
      FROM Artist JOIN Album USING (ArtistId) JOIN Track USING (AlbumId)
      GROUP BY ArtistId ORDER BY tracks DESC, artist LIMIT 20
      """
    ),
    (
      "agents",
      """
      SELECT Employee.FirstName || ' ' || Employee.LastName AS agent,
        count(DISTINCT CustomerId) AS customers, sum(Total) AS total, max(InvoiceDate) AS latest
      FROM Employee JOIN Customer ON SupportRepId = EmployeeId JOIN Invoice USING (CustomerId)
      GROUP BY EmployeeId ORDER BY total DESC
      """
    ),
    (
      "customers",
      """
      SELECT Customer.*, (SELECT sum(Total) FROM Invoice i WHERE i.CustomerId = Customer.CustomerId)
        AS spent
      FROM Customer LEFT JOIN Employee ON EmployeeId = SupportRepId
      WHERE Company IS NULL OR Company <> '' ORDER BY spent DESC, CustomerId
      """
    ),
  ]

  private static let commits = [
    """
    INSERT INTO Invoice (InvoiceId, CustomerId, InvoiceDate, BillingCountry, Total)
    SELECT 90000, CustomerId, '2026-11-20 00:00:00', Country, 12.34 FROM Customer LIMIT 1
    """,
    """
    INSERT INTO InvoiceLine (InvoiceLineId, InvoiceId, TrackId, UnitPrice, Quantity)
    SELECT 90000 + TrackId, 90000, TrackId, UnitPrice, 1 FROM Track LIMIT 7
    """,
    """
    UPDATE Customer SET SupportRepId = (SELECT max(SupportRepId) FROM Customer)
    WHERE CustomerId < 9
    """,
    "UPDATE Artist SET Name = 'Größe 日本' WHERE ArtistId = (SELECT min(ArtistId) FROM Artist)",
    "UPDATE Track SET Milliseconds = Milliseconds + 1000 WHERE TrackId % 3 = 0",
    """
    BEGIN; DELETE FROM InvoiceLine WHERE InvoiceId = 90000;
    DELETE FROM Invoice WHERE InvoiceId = 90000; COMMIT
    """,
    "UPDATE Customer SET Company = NULL, Email = Email || '''' WHERE CustomerId % 2 = 0",
  ]

  private func playground() async throws -> (Playground, dashboard: String) {
    let path = getenv("LIVEQUERY_REAL_DATABASE").map { String(cString: $0) } ?? ""
    let playground = try await Playground(copying: path)
    let dashboard = try playground.folder.write(
      Self.panels.map { "-- name: \($0.0)\n\($0.1);\n" }.joined(separator: "\n"), to: "d.sql")
    return (playground, dashboard)
  }

  @Test(arguments: panels.map(\.0))
  func `a panel is what sqlite3 prints`(_ panel: String) async throws {
    let (playground, dashboard) = try await playground()
    let query = try #require(Self.panels.first { $0.0 == panel }).1
    let expected = try await playground.shell.json(query)
    #expect(expected.utf8.count > 100)
    let result = try await LiveQuery.run(
      "--once", "--json", "--panel", panel, playground.database, dashboard)
    #expect(result.output == expected)
    #expect(result.status == 0)
  }

  @Test(arguments: ["wal", "delete"])
  func `after each commit the stream has what sqlite3 prints`(_ journal: String) async throws {
    let (playground, dashboard) = try await playground()
    try await playground.shell.run("PRAGMA journal_mode = \(journal)")
    let program = try LiveQuery.start(["--stream", playground.database, dashboard])
    var streamed = StreamedRows()
    var ended: Set<String> = []
    while ended.count < Self.panels.count {
      let record = try StreamRecord(try await program.line())
      try streamed.apply(record)
      if record.operation == "\"end\"" { ended.insert(record.panel) }
    }
    for commit in Self.commits {
      try await playground.shell.run(commit)
      for (panel, query) in Self.panels {
        let expected = try await playground.shell.json(query)
        while !streamed.matches("\"\(panel)\"", expected) {
          try streamed.apply(try StreamRecord(try await program.line()))
        }
      }
    }
  }

  @Test func `every table has its panel`() async throws {
    let (playground, _) = try await playground()
    let result = try await LiveQuery.run("--once", "--json", playground.database)
    #expect(result.status == 0)
    #expect(result.errors == "")
    for table in ["Album", "Artist", "Customer", "Invoice", "InvoiceLine", "Track"] {
      #expect(result.output.contains("\"\(table)\":["))
    }
  }
}
