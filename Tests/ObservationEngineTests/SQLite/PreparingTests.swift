import DatabaseConsole
import ObservationEngine
import TestSupport
import Testing

/// How text becomes statements.
struct PreparingTests {
  @Test
  func `an error says where it is`() throws {
    let database = try Database(inMemory: Configuration())
    let error = #expect(throws: DatabaseError.self) {
      try database.readWaiting { try $0.fetchAll("SELECT nam FROM sqlite_schema") }
    }
    #expect(error?.offset == 7)
    #expect(error?.message == "no such column: nam")
    let script = #expect(throws: DatabaseError.self) {
      try database.writeWaiting { try $0.execute(script: "CREATE TABLE a(x); SELECT y FROM a") }
    }
    #expect(script?.offset == 26)
  }

  @Test(arguments: [
    "SELECT 1;", " SELECT 1 ; -- that is all\n", "/* one */ SELECT 1 /* two */ ;;; ",
  ])
  func `one statement may stand among comments`(_ sql: String) throws {
    let database = try Database(inMemory: Configuration())
    #expect(try database.readWaiting { try $0.fetchAll(SQL(raw: sql)) }.rows == [[1]])
  }

  @Test(arguments: ["", "  \n", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1; nonsense"])
  func `no statement and two statements are refused`(_ sql: String) throws {
    let database = try Database(inMemory: Configuration())
    let error = #expect(throws: DatabaseError.self) {
      try database.readWaiting { try $0.fetchAll(SQL(raw: sql)) }
    }
    #expect(error?.code == .misuse)
  }

  @Test
  func `a script runs to its first error`() throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting {
      try $0.execute(script: "CREATE TABLE a(x); -- comment\n INSERT INTO a VALUES (1);;\n\n")
    }
    let count = try database.readWaiting { try $0.count(of: "a") }
    #expect(count == 1)
  }

  @Test
  func `describing a query tells its parameters and columns, and does not run it`() throws {
    let database = try Database(inMemory: Configuration())
    let description = try database.describe(query: "SELECT :a AS x, ?, @b")
    #expect(description.parameters == ["a", "?", "b"])
    #expect(description.columns == ["x", "?", "@b"])
    #expect(throws: DatabaseError.self) { try database.describe(query: "SELECT * FROM missing") }
    #expect(throws: DatabaseError.self) { try database.describe(query: "CREATE TABLE a(x)") }
  }

  @Test
  func `text is split into statements where SQLite ends them`() {
    let trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END;"
    #expect(
      StatementSplitter.statements(of: "SELECT ';'; \(trigger) x") == ["SELECT ';';", trigger, "x"])
    #expect(StatementSplitter.statements(of: " \n ") == [])
    #expect(SQLText.isComplete("SELECT 1;"))
    #expect(!SQLText.isComplete("SELECT 1"))
    #expect(!SQLText.isComplete("SELECT ';"))
  }
}
