import Testing

@testable import Dashboard

@Suite struct AutomaticDashboardTests {
  @Test func `a table has a count and its newest rows`() {
    let definition = AutomaticDashboard.definition(
      tables: [("players", "rowid"), ("odd \"one\"", nil)], keys: ["players": ["id"]])
    var expected = [
      PanelDefinition(
        name: "players count", title: "players rows", sql: "SELECT count(*) FROM \"players\"",
        view: .number),
      PanelDefinition(
        name: "players", sql: "SELECT * FROM \"players\" ORDER BY rowid DESC LIMIT 100",
        view: .table, key: ["id"]),
      PanelDefinition(
        name: "odd \"one\" count", title: "odd \"one\" rows",
        sql: "SELECT count(*) FROM \"odd \"\"one\"\"\"", view: .number),
      PanelDefinition(
        name: "odd \"one\"", sql: "SELECT * FROM \"odd \"\"one\"\"\" LIMIT 100", view: .table),
    ]
    for index in [1, 3] { expected[index].rowLimit = 100 }
    #expect(definition.panels == expected)
    #expect(
      definition.layout == [
        ["players count", "players", "players", "players"],
        ["odd \"one\" count", "odd \"one\"", "odd \"one\"", "odd \"one\""],
      ])
  }

  @Test func `a database without tables shows its schema`() {
    let definition = AutomaticDashboard.definition(tables: [])
    #expect(definition.panels.map(\.name) == ["schema"])
  }

  @Test(arguments: [1, 2, 3, 4, 5, 99, 100, 101, 1000])
  func `any number of tables gives a sound dashboard`(_ count: Int) {
    // A table that is called as another one's count would be must not clash.
    let tables = (0..<count).map { (name: $0 == 1 ? "t0 count" : "t\($0)", rowOrder: "rowid") }
    let definition = AutomaticDashboard.definition(tables: tables)
    let names = definition.panels.map(\.name)
    #expect(names.count == 2 * min(count, 100))
    #expect(Set(names).count == names.count)
    if count > 3 {
      #expect(definition.presets.map(\.name) == ["rows", "counts"])
      #expect(definition.presets.flatMap(\.panels) == names)
    } else {
      #expect(Set(definition.layout.joined()) == Set(names))
      #expect(Set(definition.layout.map(\.count)).count == 1)
    }
    #expect((definition.title == nil) == (count <= 100))
  }
}
