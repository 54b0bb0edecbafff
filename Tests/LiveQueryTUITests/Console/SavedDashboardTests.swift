import Dashboard
import Glibc
import TestSupport
import Testing

@testable import LiveQueryTUI

@Suite struct SavedDashboardTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func append(_ panel: PanelDefinition, to name: String = "d.sql") -> Result<Int, Failure> {
    append([panel], to: name).map(\.count)
  }

  private func append(
    _ panels: [PanelDefinition], to name: String = "d.sql"
  ) -> Result<SavedDashboard.Result, Failure> {
    let file = SavedDashboard(path: folder.path(name))
    return Result { () throws(Failure) in try file.append(panels) }
  }

  private func message(_ result: Result<Int, Failure>) -> String {
    if case .failure(let failure) = result { failure.message } else { "" }
  }

  @Test func `panels are appended to a file that it made`() throws {
    #expect(try append(PanelDefinition(name: "a", sql: "SELECT 1")).get() == 1)
    #expect(try append(PanelDefinition(name: "b", sql: "SELECT 2 -- two")).get() == 2)
    let text = try folder.text("d.sql")
    #expect(
      text == """
        \(SavedDashboard.mark)

        -- name: a
        SELECT 1;

        -- name: b
        SELECT 2 -- two
        ;

        """)
    let parsed = DashboardParser.parse(text)
    #expect(parsed.diagnostics == [])
    #expect(parsed.definition.panels.map(\.sql) == ["SELECT 1", "SELECT 2"])
  }

  @Test func `a file that somebody wrote stays as it is`() throws {
    try folder.write("SELECT 1;\n", to: "d.sql")
    let refusal = message(append(PanelDefinition(name: "a", sql: "SELECT 2")))
    #expect(refusal.contains("is your own file; :save does not touch it"))
    #expect(try folder.text("d.sql") == "SELECT 1;\n")
  }

  @Test func `a user's own file gets the lines that were shown, and nothing else`() throws {
    let text = "-- layout: a b\n-- name: a\nSELECT 1;\n-- name: b\nSELECT 2 -- the end"
    let path = try folder.write(text, to: "own.sql")
    let link = folder.path("link.sql")
    #expect(symlink("own.sql", link) == 0)
    let panel = PanelDefinition(name: "c", sql: "SELECT 3")
    let file = SavedDashboard(path: link, isUsers: true)
    let shown = try file.addition(of: [panel])
    #expect(shown == "\n;\n\n-- name: c\n-- place: below\nSELECT 3;\n")
    #expect(try folder.text("own.sql") == text, "nothing is written before")
    #expect(try file.append([panel], confirmed: shown).added == ["c"])
    #expect(try folder.text("own.sql") == text + shown)
    let parsed = DashboardParser.parse(try folder.text("own.sql"))
    #expect(parsed.diagnostics == [])
    #expect(parsed.definition.panels.map(\.sql) == ["SELECT 1", "SELECT 2", "SELECT 3"])
    #expect(parsed.definition.layout == [["a", "b"], ["c", "c"]])
    #expect(SavedDashboard.isSame(path, link) && !SavedDashboard.isSame(path, folder.path("none")))
  }

  @Test func `a file that changed since the lines were shown stays as it is`() throws {
    let path = try folder.write("SELECT 1;\n", to: "own.sql")
    let panel = PanelDefinition(name: "c", sql: "SELECT 3")
    let file = SavedDashboard(path: path, isUsers: true)
    let shown = try file.addition(of: [panel])
    try folder.write("SELECT 1", to: "own.sql")
    #expect(throws: Failure.self) { try file.append([panel], confirmed: shown) }
    #expect(try folder.text("own.sql") == "SELECT 1")
    #expect(unlink(path) == 0)
    #expect(throws: Failure.self) { try file.append([panel], confirmed: shown) }
    #expect(folder.names == [])
  }

  @Test func `a name is there once`() throws {
    _ = try append(PanelDefinition(name: "a", sql: "SELECT 1")).get()
    let before = try folder.text("d.sql")
    let refusal = message(append(PanelDefinition(name: "a", sql: "SELECT 2")))
    #expect(refusal.contains("has another panel a already"))
    #expect(try folder.text("d.sql") == before)
  }

  @Test func `several panels are appended at once, and those that are there already are left`()
    throws
  {
    let panels = ["a", "b", "c"].map { PanelDefinition(name: $0, sql: "SELECT '\($0)' -- x") }
    #expect(
      try append(Array(panels[..<1])).get().description(file: "d.sql")
        == "Saved a to d.sql. Open it with: livequery DATABASE d.sql")
    #expect(
      try append(panels).get().description(file: "d.sql")
        == "Saved b, c to d.sql (a is there already). Open it with: livequery DATABASE d.sql")
    let text = try folder.text("d.sql")
    #expect(DashboardParser.parse(text).definition.panels.map(\.name) == ["a", "b", "c"])
    #expect(
      try append(panels).get().description(file: "d.sql")
        == "a, b, c are there already; nothing was written")
    #expect(try folder.text("d.sql") == text)
  }

  @Test func `of several panels none is written when one cannot be`() throws {
    _ = try append(PanelDefinition(name: "b", sql: "SELECT 1")).get()
    let before = try folder.text("d.sql")
    let panels = ["a", "b"].map { PanelDefinition(name: $0, sql: "SELECT 2") }
    let result = append(panels)
    guard case .failure(let failure) = result else {
      Issue.record("it was written")
      return
    }
    #expect(failure.message.contains("has another panel b already"))
    #expect(try folder.text("d.sql") == before)
  }

  @Test func `what would be no dashboard is not written`() throws {
    let panel = PanelDefinition(name: "a", sql: "SELECT 1\n-- name: b\n, 2")
    #expect(message(append(panel)).contains("would be no dashboard"))
    #expect(try folder.text("d.sql") == "")
  }

  @Test func `standard input and pipes are refused, and nobody waits for them`() {
    let panel = PanelDefinition(name: "a", sql: "SELECT 1")
    let input = Result { () throws(Failure) in try SavedDashboard(path: "-").append([panel]).count }
    #expect(message(input).hasPrefix("- is standard input"))
    #expect(mkfifo(folder.path("pipe.sql"), 0o600) == 0)
    #expect(message(append(panel, to: "pipe.sql")).hasSuffix("pipe.sql is not a regular file"))
  }

  @Test func `a file that another program has locked is not waited for`() throws {
    let path = try folder.write("", to: "d.sql")
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
    let panel = PanelDefinition(name: "a", sql: "SELECT 1")
    #expect(message(append(panel)).contains("another program has locked it"))
    flock(descriptor, LOCK_UN)
    #expect(try append(panel).get() == 1)
  }

  @Test(arguments: ["nowhere/d.sql", "link.sql", "."])
  func `where it cannot be written is said`(_ name: String) {
    #expect(symlinkOver(folder.path("link.sql"), to: folder.path("other.sql")))
    #expect(message(append(PanelDefinition(name: "a", sql: "SELECT 1"), to: name)).isEmpty == false)
  }
}
