import ObservationEngine
import TestSupport
import Testing

@testable import DatabaseConsole

@Suite struct ReferenceTests {
  private func reference(_ column: Int, _ sql: String) async throws -> RowReference? {
    let db = try await TemporaryDatabase(
      .memory,
      schema: """
        CREATE TABLE Customers (CustomerID TEXT PRIMARY KEY, City TEXT);
        CREATE TABLE pairs (a, b, PRIMARY KEY (a, b));
        CREATE TABLE Orders (
          id INTEGER PRIMARY KEY, CustomerID REFERENCES customers, boss REFERENCES Orders(id),
          x, y, FOREIGN KEY (x, y) REFERENCES pairs);
        CREATE TABLE lost (a REFERENCES gone, b REFERENCES gone(id));
        CREATE VIEW recent AS SELECT id, CustomerID AS customer FROM Orders;
        """)
    return try await db.database.reference(ofColumn: column, in: sql)
  }

  private func to(_ table: String, _ columns: KeyValuePairs<String, Int>) -> RowReference {
    RowReference(
      table: table, columns: columns.map { RowReference.Column(name: $0.key, source: $0.value) })
  }

  @Test func `a column of a foreign key refers to the row of its parent`() async throws {
    #expect(
      try await reference(1, "SELECT id, CustomerID FROM Orders")
        == to("Customers", ["CustomerID": 1]))
    #expect(try await reference(0, "SELECT boss FROM Orders") == to("Orders", ["id": 0]))
  }

  @Test func `a parent that does not exist is named`() async throws {
    #expect(try await reference(0, "SELECT a FROM lost") == to("gone", [:]))
    #expect(try await reference(0, "SELECT b FROM lost") == to("gone", ["id": 0]))
  }

  @Test func `aliases, joins, views and subqueries are seen through`() async throws {
    #expect(
      try await reference(0, "SELECT customer AS c FROM recent")
        == to("Customers", ["CustomerID": 0]))
    #expect(
      try await reference(
        1,
        "SELECT City, o.c FROM (SELECT CustomerID AS c FROM Orders) o JOIN Customers"
      ) == to("Customers", ["CustomerID": 1]))
    #expect(
      try await reference(1, "SELECT City, o.CustomerID FROM Orders o JOIN Customers c")
        == to("Customers", ["CustomerID": 1]))
  }

  @Test func `of two aliases of a table, the column's own counts`() async throws {
    let sql = "SELECT a.boss, b.boss FROM Orders a JOIN Orders b"
    #expect(try await reference(1, sql) == to("Orders", ["id": 1]))
    #expect(try await reference(0, "SELECT a.x, a.y, b.y FROM Orders a JOIN Orders b") == nil)
  }

  @Test func `a key of two columns needs both`() async throws {
    #expect(
      try await reference(0, "SELECT y, id, x FROM Orders") == to("pairs", ["a": 2, "b": 0]))
    #expect(try await reference(0, "SELECT y, id FROM Orders") == nil)
  }

  @Test func `what is computed, or refers to nothing, has no reference`() async throws {
    #expect(try await reference(0, "SELECT CustomerID || '' FROM Orders") == nil)
    #expect(try await reference(0, "SELECT id FROM Orders") == nil)
    #expect(try await reference(0, "SELECT 1") == nil)
    #expect(try await reference(7, "SELECT boss FROM Orders") == nil)
  }
}
