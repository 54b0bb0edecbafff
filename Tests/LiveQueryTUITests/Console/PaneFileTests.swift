import Dashboard
import TestSupport
import Testing

@testable import LiveQueryTUI

@Suite struct PaneFileTests {
  private func file(in folder: TemporaryFolder) throws -> PaneFile {
    try #require(PaneFile { $0 == "XDG_STATE_HOME" ? folder.path : nil })
  }

  @Test func `the last choice of a dashboard holds, whatever is in its path`() throws {
    let folder = try TemporaryFolder()
    let file = try file(in: folder)
    let path = "/home/me/my\tpanels\nand \\more.sql"
    #expect(file.choices(for: path) == PaneChoices())
    try file.keep(PaneChoices(panes: [.console: true]), for: path)
    try file.keep(PaneChoices(hiddenPanels: ["fame"]), for: "/other.sql")
    let last = PaneChoices(panes: [.console: false, .feed: true])
    try file.keep(last, for: path)
    #expect(try self.file(in: folder).choices(for: path) == last)
    #expect(file.choices(for: "/other.sql") == PaneChoices(hiddenPanels: ["fame"]))
    try file.keep(PaneChoices(), for: path)
    #expect(file.choices(for: path) == PaneChoices())
    #expect(file.path == folder.path("livequery/panes"))
  }

  @Test func `the command line wins over what was remembered, and that over the configuration`()
    throws
  {
    let folder = try TemporaryFolder()
    let file = try file(in: folder)
    try file.keep(PaneChoices(panes: [.console: false, .feed: true]), for: "ops.sql")
    var arguments = try Arguments(parsing: ["--panes", "schema", "app.db"])
    arguments.usualPanes = PaneChoices(panes: [.console: true])
    let dashboard = LoadedDashboard(reading: "-- name: a\nSELECT 1;", named: "ops.sql")
    var panes = SessionPanes(file, dashboard, database: "/app.db", isReplay: false)
    var choices = panes.choices(arguments)
    #expect(choices.panes == [.console: false, .feed: false, .schema: true])
    // What the command line says holds for this session.
    choices.panes[.console] = true
    #expect(panes.keep(choices) == nil)
    #expect(file.choices(for: "ops.sql").panes == [.console: true, .feed: true])
    // A recording's panels may have other meanings.
    var replay = SessionPanes(file, dashboard, database: "/app.db", isReplay: true)
    #expect(
      replay.choices(arguments).panes == [.console: false, .feed: false, .schema: true])
  }

  @Test func `panes are named in a list`() throws {
    #expect(
      try Arguments(parsing: ["--panes", "console,transactions", "a.db"]).panes
        == PaneChoices(panes: [.console: true, .feed: true, .schema: false]))
    #expect(
      try Arguments(parsing: ["--panes=none", "a.db"]).panes.panes.values.contains(true) == false)
    #expect(throws: ArgumentError.self) { try Arguments(parsing: ["--panes", "fed", "a.db"]) }
    #expect(throws: ArgumentError.self) { try Arguments(parsing: ["--panes", "", "a.db"]) }
    #expect(
      ConfigurationFile.parse("panes = console feed").arguments.usualPanes
        == PaneChoices(panes: [.console: true, .feed: true, .schema: false]))
  }
}
