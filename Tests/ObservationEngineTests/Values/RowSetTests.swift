import ObservationEngine
import TestSupport
import Testing

/// Results as collections of rows.
struct RowSetTests {
  private let result = RowSet(columns: ["id", "Name"], rows: [[1, "ada"], [2, nil], [3, 7]])

  @Test
  func `it is a collection of its rows`() {
    #expect(result.count == 3 && !result.isEmpty && RowSet.empty.isEmpty)
    #expect(result.first == Row(columns: ["id", "Name"], values: [1, "ada"]))
    #expect(result[2].values == [3, 7])
    #expect(result.map(\.values) == [[1, "ada"], [2, nil], [3, 7]])
    #expect(result.reversed().map { $0.values[0] } == [3, 2, 1])
    #expect(result[1...].map { $0.values[0] } == [2, 3])
    #expect(result.indices == 0..<3)
  }

  @Test
  func `a row has typed values by position and by name`() throws {
    let (id, name): (Int, String) = try (result[0][0], result[0]["NAME"])
    #expect(id == 1 && name == "ada")
    let none: String? = try result[1]["name"]
    #expect(none == nil)
    #expect(try result[2].decode(1, as: Int8.self) == 7)
  }

  @Test
  func `what does not fit is an error that says where, and what helps`() {
    func message(_ body: () throws -> Void) -> String? {
      #expect(throws: DatabaseError.self, performing: body)?.message
    }
    #expect(
      message { _ = try result[1]["name"] as String }
        == "column 1 (Name) is NULL, which String cannot hold: read String?, or declare the column NOT NULL"
    )
    #expect(
      message { _ = try result[2][1] as String }?.hasPrefix("column 1 (Name) holds an") == true)
    #expect(
      message { _ = try result[0]["score"] as Int }
        == "there is no column score; there are id, Name")
    #expect(
      message { _ = try result[0][2] as Int }
        == "there is no column 2; the row has 2, counted from 0")
  }
}
