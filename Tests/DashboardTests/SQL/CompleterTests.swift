import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct CompleterTests {
  static let vocabulary = SQLVocabulary(
    tables: [
      .init(name: "fame", kind: "view", columns: [.init(name: "player")]),
      .init(
        name: "order", columns: [.init(name: "two words")], rows: .estimate(1_000_000)),
      .init(
        name: "players",
        columns: [.init(name: "id", type: "INTEGER"), .init(name: "name", type: "TEXT")],
        rows: .exact(1_204)),
      .init(
        name: "scores",
        columns: [.init(name: "player_id", type: "INT"), .init(name: "points", type: "INT")],
        rows: .exact(48_120)),
      .init(name: "search_data", kind: "shadow"),
    ],
    functions: ["max", "min", "substr"], pragmas: ["journal_mode", "page_count"])

  /// What is offered at the `|` of a text, as `name` or `name→text`.
  private func offered(_ marked: String, isAsked: Bool = false) -> [String]? {
    let parts = marked.split(separator: "|", omittingEmptySubsequences: false)
    let cursor = parts[0].count
    let offer = Completer(Self.vocabulary).offer(
      in: Array(parts.joined()), at: cursor, isAsked: isAsked)
    return offer?.candidates.map { $0.text == $0.name ? $0.name : "\($0.name)→\($0.text)" }
  }

  @Test(
    arguments: [
      ("se|", ["select"]), ("SE|", ["SELECT"]), ("select 1; up|", ["update"]),
      ("select pl|", ["players"]), ("select * from sc|", ["scores"]),
      ("insert into sc|", ["scores"]), ("select * from players, sc|", ["scores"]),
      ("select na| from players", ["name", "natural"]),
      (
        "select p| from scores where 1", ["player_id", "points", "players", "partition", "primary"]
      ),
      ("select s.po| from scores s", ["points"]),
      ("select s.| from scores as s", ["player_id", "points"]),
      ("select scores.po|", ["points"]), ("select su|", ["substr→substr("]),
      ("pragma jo|", ["journal_mode"]), ("select * from fa|", ["fame"]),
      ("select * from ord|", ["order→\"order\""]),
      ("select tw| from \"order\"", ["two words→\"two words\""]),
      ("select * from players where nam|", ["name"]), ("explain q|", ["query"]),
      ("select 1 order b|", ["by", "between"]), ("SELECT 1 FROM players WHE|", ["WHERE", "WHEN"]),
      ("select 1 wher|", ["where"]), ("with x as (sel|", ["select"]),
      ("select main.pl|", ["players"]),
    ] as [(String, [String])])
  func `what can stand there is offered`(_ text: String, _ names: [String]) {
    #expect(offered(text).map(Set.init) == Set(names))
  }

  @Test(arguments: [
    "select 'pl|", "select \"pl|", "-- pl|", "select 1 -- pl|", "/* pl|", "select 12|", "|",
    "select |", "select zzz|", "select * from players as pl|", "select players|",
    "select :pl|",
  ])
  func `nothing is offered where nothing helps`(_ text: String) {
    #expect(offered(text) == nil)
  }

  @Test func `columns come before tables, and tables before keywords`() {
    #expect(offered("select p| from scores")?.prefix(3) == ["player_id", "points", "players"])
  }

  @Test func `an empty word is completed when it is asked for`() {
    #expect(
      offered("select * from |", isAsked: true) == ["fame", "order→\"order\"", "players", "scores"])
  }

  @Test func `a comment that has ended is no comment`() {
    #expect(offered("/* x */ select pl|") == ["players"])
    #expect(offered("-- x\nselect pl|") == ["players"])
  }

  @Test func `a candidate says what it is`() {
    let text = Array("select pla")
    let offer = Completer(Self.vocabulary).offer(in: text, at: text.count)
    #expect(offer?.range == 7..<10)
    #expect(offer?.candidates.first?.kind == .table)
    #expect(offer?.candidates.first?.detail == "1 204")
  }
}
