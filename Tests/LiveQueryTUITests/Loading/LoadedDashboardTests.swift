import DatabaseConsole
import Dashboard
import ObservationEngine
import TestSupport
import Testing

@testable import LiveQueryTUI

@Suite struct LoadedDashboardTests {
  private func load(_ words: String...) throws -> LoadedDashboard? {
    try LoadedDashboard.load(Arguments(parsing: words))
  }

  @Test func `nothing was asked for`() throws {
    #expect(try load("app.db") == nil)
  }

  @Test func `each -c is a panel, named by its place`() throws {
    let loaded = try #require(try load("app.db", "-c", "SELECT 1", "-c", "SELECT 2"))
    #expect(loaded.definition.panels.map(\.name) == ["panel1", "panel2"])
    #expect(loaded.definition.panels.map(\.sql) == ["SELECT 1", "SELECT 2"])
    #expect(loaded.file == nil)
    #expect(loaded.filePanelCount == 0)
  }

  @Test func `a name that is taken is not given again`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "-- layout: panel2\n-- name: panel2\nSELECT 1;\n", to: "d.sql")
    let loaded = try #require(try load("app.db", file, "-c", "SELECT 2", "-c", "SELECT 3"))
    #expect(loaded.definition.panels.map(\.name) == ["panel2", "panel3", "panel4"])
    #expect(loaded.filePanelCount == 1)
    // The layout of the file does not know the others: they stand below.
    #expect(loaded.definition.layout == [["panel2"], ["panel3"], ["panel4"]])
  }

  @Test func `one panel is kept, without the layout`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "-- layout: a b\n-- name: a\nSELECT 1;\n-- name: b\nSELECT 2;\n", to: "d.sql")
    var loaded = try #require(try load("app.db", file))
    #expect(loaded.definition.layout == [["a", "b"]])
    try loaded.keep(panels: ["b"])
    #expect(loaded.definition.panels.map(\.sql) == ["SELECT 2"])
    #expect(loaded.definition.layout == [])
    #expect(throws: Failure.self) { try loaded.keep(panels: ["a"]) }
  }

  @Test func `what is wrong with the text is kept for later`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("-- name: a\n-- titel: x\nSELECT 1;\n", to: "d.sql")
    let loaded = try #require(try load("app.db", file))
    #expect(loaded.hasErrors)
    #expect(loaded.diagnostics.map(\.line) == [2])
    let warned = try folder.write("-- name: a\n-- view: log\nSELECT 1;\n", to: "w.sql")
    #expect(try load("app.db", warned)?.hasErrors == false)
  }

  @Test func `a dashboard of more than sixteen megabytes is none`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write([UInt8](repeating: 0x20, count: 17 << 20), to: "d.sql")
    #expect(
      throws: Failure("\(file): longer than 16 MB; is it a dashboard?", status: 2)
    ) { try load("app.db", file) }
  }

  @Test func `tables and views of a database have panels of their own`() async throws {
    let temporary = try await TemporaryDatabase(
      schema: """
        CREATE TABLE b (id INTEGER PRIMARY KEY, v); CREATE TABLE a (k TEXT PRIMARY KEY)
        WITHOUT ROWID; CREATE VIEW c AS SELECT 1
        """)
    let loaded = try LoadedDashboard.automatic(for: temporary.database)
    let names = loaded.definition.panels.map(\.name)
    #expect(names.contains("a"))
    #expect(names.contains("b"))
    for panel in loaded.definition.panels {
      #expect(throws: Never.self) { try temporary.database.describe(query: panel.sql) }
    }
    #expect(loaded.definition.panels.first { $0.name == "b" }?.key == ["id"])
  }
}
