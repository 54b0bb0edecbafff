import DatabaseConsole
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
    tableFunctions: [
      .init(
        name: "json_each", kind: "function",
        columns: ["key", "value", "type", "path"].map { .init(name: $0) }),
      .init(name: "generate_series", kind: "function", columns: [.init(name: "value")]),
      .init(name: "pragma_page_count", kind: "function", columns: [.init(name: "page_count")]),
    ],
    functions: ["max", "min", "substr"], pragmas: ["encoding", "journal_mode", "page_count"])

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

  @Test(
    arguments: [
      // A query in FROM has the columns that it selects.
      (
        "select a.| from (select id, name as n, points * 2 as p2 from players) a",
        ["id", "n", "p2"]
      ),
      ("select | from (select id, max(name) best from players) a", ["id", "best"]),
      ("select a.| from (select * from scores) as a", ["player_id", "points"]),
      (
        "select a.| from (select s.*, 1 as one from scores s, players) a",
        ["player_id", "points", "one"]
      ),
      ("select a.| from (values (1, 2)) a", ["column1", "column2"]),
      ("select b.| from (select id from (select * from players) x) b", ["id"]),
      (
        "select a.| from (select case when 1 then 2 end as c, (select 3) d from players) a",
        ["c", "d"]
      ),
      ("select a.| from (select id from players union select points from scores) a", ["id"]),
      ("select x.| from (select id is distinct from name as y from players) x", ["y"]),
      // Common table expressions, with and without names for their columns.
      ("with c as (select id, name from players) select c.| from c", ["id", "name"]),
      ("with c(a, b) as (select 1, 2) select x.| from c x", ["a", "b"]),
      ("with c as (select 1 as a), d as (select * from c) select d.| from d", ["a"]),
      ("with recursive n(i) as (select 1 union all select n.| from n) select 1", ["i"]),
      ("with players as (select 7 as seven) select players.| from players", ["seven"]),
      ("with c as (select p.| from players p) select * from c", ["id", "name"]),
      (
        "with c as (select 1 as one) delete from scores where points in (select c.| from c)",
        ["one"]
      ),
      // A query within another sees that one's tables, but for those beside it in FROM.
      (
        "select * from players p where exists (select 1 from scores s where s.points > p.|)",
        ["id", "name"]
      ),
      ("select (select p.| from scores) from players p", ["id", "name"]),
      (
        "select * from scores s where points = (select max(s.|) from scores s2)",
        ["player_id", "points"]
      ),
      ("select * from (select s.| from scores s) a, players p", ["player_id", "points"]),
      ("select p.| from players s where exists (select 1 from scores p)", []),
      ("select * from (select q.| from scores) a, players q", []),
      // Parts of a compound have tables of their own.
      ("select s.| from players s union select 1 from scores s", ["id", "name"]),
      ("select 1 from players s union all select s.| from scores s", ["player_id", "points"]),
      // Statements that change rows.
      ("update players set name = | from scores", ["id", "name", "player_id", "points"]),
      ("update players set name = s.| from scores s where 1", ["player_id", "points"]),
      ("update or ignore players set |", ["id", "name"]),
      ("update players set name = '' from scores returning |", ["id", "name"]),
      ("delete from players where id = 1 returning |", ["id", "name"]),
      ("insert into scores values (1, 2) returning |", ["player_id", "points"]),
      ("insert into players select | from scores", ["player_id", "points"]),
      (
        "insert into players(id) values (1) on conflict do update set name = excluded.|",
        ["id", "name"]
      ),
      ("insert into players values ((select s.| from scores s))", ["player_id", "points"]),
      ("explain query plan select p.| from players p", ["id", "name"]),
      ("create view v as select p.| from players p", ["id", "name"]),
      ("create index i on players (|)", ["id", "name"]),
      // Functions in FROM.
      ("select j.| from json_each('[]') j, players", ["key", "value", "type", "path"]),
      ("select | from players, json_each(name)", ["id", "name", "key", "value", "type", "path"]),
      ("select json_each.| from json_each('[]')", ["key", "value", "type", "path"]),
      (
        "select * from players p, JSON_EACH(p.name) AS e where e.|",
        ["key", "value", "type", "path"]
      ),
      (
        "select * from json_each('[]') a where a.value in (select b.| from json_each(a.value) b)",
        ["key", "value", "type", "path"]
      ),
      ("select s.| from generate_series(1, 9) s", ["value"]),
      ("select | from pragma_page_count", ["page_count"]),
      ("select a.| from (select j.value from json_each('[]') j) a", ["value"]),
      ("with json_each as (select 1 as one) select | from json_each", ["one"]),
      ("select f.| from unknown(1) f", []),
      ("select * from players join (scores s cross join fame f) on s.|", ["player_id", "points"]),
    ] as [(String, [String])])
  func `columns in scope are offered, and no others`(_ text: String, _ names: [String]) {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
    let offer = Completer(Self.vocabulary).offer(
      in: Array(parts.joined()), at: parts[0].count, isAsked: true)
    let columns = offer?.candidates.filter { $0.kind == .column }.map(\.name) ?? []
    #expect(columns.sorted() == names.sorted())
  }

  /// A trigger of an event, with what follows the name of its table.
  private static func trigger(_ event: String, _ rest: String) -> String {
    "create trigger t after \(event) on players \(rest)"
  }

  @Test(
    arguments: [
      (trigger("insert", "begin insert into scores values (new.|"), ["id", "name"]),
      (trigger("insert", "begin insert into scores values (old.|"), []),
      (trigger("delete", "begin insert into scores values (OLD.|"), ["id", "name"]),
      (trigger("delete", "begin insert into scores values (new.|"), []),
      (trigger("update", "begin delete from scores where player_id = new.|"), ["id", "name"]),
      (trigger("update of name", "begin delete from scores where points = old.|"), ["id", "name"]),
      // Each statement has its own tables, and those of the one before are not among them.
      (
        trigger("insert", "begin delete from fame; update scores set |; end;"),
        ["player_id", "points"]
      ),
      (trigger("insert", "begin update scores set points = 1; select new.|; end"), ["id", "name"]),
      (
        trigger("insert", "begin update scores set points = case when | end; end;"),
        ["player_id", "points"]
      ),
      (
        trigger("insert", "begin select (select max(points) from scores where points > new.|"),
        ["id", "name"]
      ),
      (
        trigger("insert", "begin insert into scores (|) values (new.id); end"),
        ["player_id", "points"]
      ),
      (trigger("insert", "begin select n.| from scores n; end"), ["player_id", "points"]),
      (trigger("insert", "begin select new.| from scores new; end"), ["player_id", "points"]),
      // Nothing but NEW and OLD has columns in WHEN.
      (trigger("update", "for each row when new.| begin delete from scores; end"), ["id", "name"]),
      (trigger("update", "when | begin delete from scores; end"), []),
      (trigger("update", "when exists (select 1 from scores where |"), ["player_id", "points"]),
      (
        trigger("update", "when exists (select 1 from scores where points = old.|"), ["id", "name"]
      ),
      (trigger("update of name, |", ""), ["id"]),
      (
        "create temp trigger if not exists main.t instead of insert on fame begin select new.|",
        ["player"]
      ),
      (
        "create trigger \"insert\" before delete on main.scores begin select old.|",
        ["player_id", "points"]
      ),
      // What follows the trigger knows nothing of it.
      (trigger("insert", "begin delete from scores; end; select new.|"), []),
      ("select 1; " + trigger("insert", "begin select 1; select 2; select new.|"), ["id", "name"]),
      ("begin; update scores set points = new.|", []),
    ] as [(String, [String])])
  func `NEW and OLD have the columns of the trigger's table`(_ text: String, _ names: [String]) {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
    let offer = Completer(Self.vocabulary).offer(
      in: Array(parts.joined()), at: parts[0].count, isAsked: true)
    let columns = offer?.candidates.filter { $0.kind == .column }.map(\.name) ?? []
    #expect(columns.sorted() == names.sorted())
  }

  @Test(
    arguments: [
      (trigger("insert", "begin insert into scores values (ne|"), ["new"]),
      (trigger("insert", "begin insert into scores values (ol|"), nil),
      (trigger("delete", "begin select OL|; END"), ["OLD"]),
      (trigger("delete", "begin select NE|; END"), nil),
      (trigger("update", "when ne| begin"), ["new"]),
      (trigger("update", "when OL| begin"), ["OLD"]),
      (trigger("insert", "begin up|"), ["update"]),
      (trigger("insert", "begin delete from scores; in|"), ["insert"]),
      (trigger("insert", "begin insert into ne|"), nil),
      ("create trigger t after insert on pl|", ["players"]),
      ("select ne|", nil),
    ] as [(String, [String]?)])
  func `NEW and OLD are offered where the event has them`(_ text: String, _ names: [String]?) {
    #expect(offered(text) == names)
  }

  @Test(
    arguments: [
      ("insert into players (|", ["id", "name"]),
      ("insert into players (id, |", ["name"]),
      ("insert into players (na|", ["name"]),
      ("with c as (select 1) insert into players (i|) values (1)", ["id"]),
      ("select * from players p, | where 1", places),
      ("select * from (select 1) a, |", places), ("insert into |", tables),
      ("with top as (select 1) select * from to|", ["top"]),
      ("with top as (select 1), b as (select * from to|", ["top"]),
      ("select count(*) as total from players order by tot|", ["total"]),
      ("select * from players where id is distinct from poi|", nil),
    ] as [(String, [String]?)])
  func `lists of columns and of tables have nothing else`(_ text: String, _ names: [String]?) {
    #expect(offered(text, isAsked: true) == names)
  }

  private static let tables = ["fame", "order→\"order\"", "players", "scores"]
  /// What can stand in FROM.
  private static let places =
    tables + ["json_each→json_each(", "generate_series→generate_series("]

  @Test(
    arguments: [
      ("select * from js|", ["json_each→json_each("]),
      ("select * from players p, js|", ["json_each→json_each("]),
      ("select * from players join gen|", ["generate_series→generate_series("]),
      ("select * from pragma_p|", ["pragma_page_count→pragma_page_count("]),
      ("insert into js|", nil), ("update js|", nil), ("drop table js|", nil),
      ("select * from p|", ["players"]),
    ] as [(String, [String]?)])
  func `what can be called in FROM is offered there`(_ text: String, _ names: [String]?) {
    #expect(offered(text, isAsked: true) == names)
  }

  @Test(
    arguments: [
      ("select * from \"pl|", ["players→\"players\""], 14..<17),
      ("select * from [pl|", ["players→[players]"], 14..<17),
      ("select * from `pl|", ["players→`players`"], 14..<17),
      // Blanks are a part of it, and so is the quote that ends it.
      ("select \"two w| from \"order\"", ["two words→\"two words\""], 7..<13),
      ("select \"two w|\" from \"order\"", ["two words→\"two words\""], 7..<14),
      ("select p.\"na| from players p", ["name→\"name\""], 9..<12),
      ("select \"players\".[na|] from players", ["name→[name]"], 17..<21),
      ("insert into players (`i|", ["id→`id`"], 21..<23),
    ] as [(String, [String], Range<Int>)])
  func `a name that is begun with a quote ends with it`(
    _ text: String, _ names: [String], _ range: Range<Int>
  ) {
    #expect(offered(text) == names)
    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
    let offer = Completer(Self.vocabulary).offer(in: Array(parts.joined()), at: parts[0].count)
    #expect(offer?.range == range)
  }

  private static let modes = ["delete", "truncate", "persist", "memory", "wal", "off"]

  @Test(
    arguments: [
      ("pragma journal_mode=|", modes), ("pragma journal_mode = |", modes),
      ("PRAGMA main.journal_mode(|", modes), ("pragma journal_mode=w|", ["wal"]),
      ("pragma journal_mode=W|", ["wal→WAL"]), ("pragma journal_mode=wal|", nil),
      ("pragma synchronous=|", ["off", "normal", "full", "extra"]),
      ("pragma foreign_keys=|", ["on", "off"]), ("pragma temp_store=f|", ["file"]),
      ("pragma locking_mode=|", ["normal", "exclusive"]),
      ("pragma auto_vacuum=|", ["none", "full", "incremental"]),
      ("pragma encoding=utf-|", nil),
      (
        "pragma encoding=UTF|", ["UTF-8", "UTF-16", "UTF-16le", "UTF-16be"].map { "\($0)→'\($0)'" }
      ),
      ("pragma user_version=|", nil), ("pragma user_version=p|", nil),
      ("pragma journal_mode |", nil), ("pragma table_info(pl|", ["players"]),
      ("pragma table_info(\"ord|", ["order→\"order\""]), ("pragma main.jo|", ["journal_mode"]),
    ] as [(String, [String]?)])
  func `a pragma is offered what it can be set to`(_ text: String, _ names: [String]?) {
    #expect(offered(text) == names)
  }

  @Test func `a statement without an end to its parentheses is read to its end`() {
    #expect(
      offered("select * from players p where id in (select player_id from scores where p.na|")
        == ["name"])
    let deep = String(repeating: "(select ", count: 400) + "pl"
    let offer = Completer(Self.vocabulary).offer(in: Array("select " + deep), at: deep.count + 7)
    #expect(offer?.candidates.first?.name == "players")
  }

  @Test(arguments: [
    "select 'pl|", "select 'it \"pl|", "-- \"pl|", "-- pl|", "select \"su|", "\"|",
    "select 1 -- pl|", "/* pl|", "select 12|", "|",
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
    #expect(offered("select * from |", isAsked: true) == Self.places)
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
