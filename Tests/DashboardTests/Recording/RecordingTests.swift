import ObservationEngine
import TestSupport
import Testing

@testable import Dashboard

@Suite struct RecordingTests {
  private static let header = RecordingFormat.Header(
    program: "livequery 0.1.0", started: Sample.moment().civil, utcOffsetSeconds: 3600,
    databaseName: "app.db", isReadOnly: true,
    dashboardName: "d.sql", preset: "one",
    definition: DashboardDefinition(
      title: "two",
      panels: [
        PanelDefinition(
          name: "a", title: "A", sql: "SELECT \"1\"", view: .table, key: ["x", "y"], rank: "z"),
        PanelDefinition(name: "b", sql: "SELECT 2"),
      ], layout: [["a", "b"]],
      presets: [PresetDefinition(name: "one", panels: ["b"], layout: [["b"]])]))

  private static let refresh = Refresh(
    results: [
      0: .success(
        RowSet(
          columns: ["x", "x", "é\n"],
          rows: [
            [.integer(.max), .real(-0.5), .text("a \"b\" \\ \u{1}\u{1F600}")],
            [.real(.infinity), nil, .blob([0, 255, 16, 7])], [.real(0.1), .integer(.min), ""],
            [.real(1), .real(-.infinity), .blob([])],
          ])),
      1: .failure(DatabaseError(code: .busy, message: "locked", sql: "SELECT", offset: 3)),
    ], recomputed: [0: .microseconds(1250), 1: .seconds(2)],
    stale: [1: Staleness(since: Sample.moment().civil, reason: "slow")],
    events: [
      Sample.commit(7, rows: Commit.RowCounts(inserted: 1, updated: 2, deleted: 3)),
      .commit(
        Commit(
          ordinal: 8, origin: .own, kind: .schema, tables: .all(reason: "DDL"), count: 3,
          time: Sample.moment(1).civil)),
      .rollback(Sample.moment(2).civil), .fileMissing(Sample.moment(3).civil),
      .notice("polls", Sample.moment(4).civil),
    ], droppedEvents: 2, ordinal: 8, duration: .milliseconds(4))

  private static func text(_ entries: [(RecordingFormat.Entry, UInt64)]) -> String {
    let writer = RecordingWriter(start: 5_000)
    return writer.line(header) + entries.map { writer.line($0.0, at: $0.1) }.joined()
  }

  @Test func `the limit that the program gave a panel is kept`() throws {
    let definition = AutomaticDashboard.definition(tables: [("t", "rowid")])
    let value = try JSONReader.read(Array(RecordedDefinition.object(of: definition).text.utf8))
    #expect(try RecordedDefinition.definition(value, views: ViewKind.allCases) == definition)
  }

  @Test func `a header reads as it was written`() throws {
    let reader = try RecordingReader(Array(Self.text([]).utf8))
    #expect(reader.header == Self.header)
  }

  @Test func `a layout keeps its panes and its free cells`() throws {
    var header = Self.header
    header.definition.layout = [["a", ".", "console"], ["b", "transactions", "schema"]]
    header.definition.presets = [
      PresetDefinition(name: "one", panels: ["b"], layout: [["b", "transactions"], ["b", "."]])
    ]
    let text = RecordingWriter(start: 0).line(header)
    #expect(try RecordingReader(Array(text.utf8)).header == header)
  }

  @Test(arguments: [[["a", "c"]], [["a"], ["a", "b"]], [["a", ""]]])
  func `a layout that makes no sense is left out`(_ layout: [[String]]) throws {
    var header = Self.header
    header.definition.layout = layout
    let text = RecordingWriter(start: 0).line(header)
    #expect(try RecordingReader(Array(text.utf8)).header.definition.layout == [])
  }

  @Test func `some rows of a long result say where they lie`() throws {
    let rows = RowSet(
      columns: ["n"], rows: [[5], [6]], part: RowSet.Part(first: 4, total: 20, all: 50_000))
    let refresh = Refresh(results: [0: .success(rows)], ordinal: 1)
    let text = Self.text([(.refresh(refresh), 5_000)])
    #expect(text.contains(#""part":{"first":4,"total":20,"all":50000}"#))
    var reader = try RecordingReader(Array(text.utf8))
    guard case .refresh(let read, _)? = try reader.next()?.entry else {
      Issue.record("no refresh")
      return
    }
    #expect(read.results == refresh.results)
  }

  @Test func `rows that were filtered and sorted say by what`() throws {
    let rows = RowSet(
      columns: ["n", "m"], rows: [[5, 1]], part: RowSet.Part(first: 0, total: 20, all: 50_000))
    let look = RowRequest.Look(
      filter: "a \"b\"", sort: RowSort(column: 1, isDescending: true))
    let refresh = Refresh(results: [0: .success(rows), 1: .success(rows)], ordinal: 1)
    let text = Self.text([(.refresh(refresh, looks: [1: look]), 5_000)])
    let part = #""part":{"first":0,"total":20,"all":50000"#
    #expect(text.contains(part + "}"))
    #expect(text.contains(part + #","filter":"a \"b\"","sort":1,"descending":true}"#))
    var reader = try RecordingReader(Array(text.utf8))
    guard case .refresh(let read, let looks)? = try reader.next()?.entry else {
      Issue.record("no refresh")
      return
    }
    #expect(read.results == refresh.results)
    #expect(looks == [1: look])
  }

  @Test(arguments: ["2", "-1", "9223372036854775807"])
  func `an order by no column is refused`(_ column: String) throws {
    let line =
      #"{"t":0,"tx":1,"panels":{"0":{"columns":["n","m"],"rows":[],"part":"#
      + #"{"first":0,"total":0,"all":9,"sort":"# + column + "}}}}\n"
    var reader = try RecordingReader(Array((Self.text([]) + line).utf8))
    let error = #expect(throws: RecordingReader.Failure.self) { _ = try reader.next() }
    #expect(error?.message == "a part is sorted by a column that it does not have")
  }

  @Test(
    arguments: [
      #"{"first":19,"total":20,"all":20}"#, #"{"first":-1,"total":20,"all":20}"#,
      #"{"first":0,"total":20,"all":19}"#, #"{"first":0,"total":1,"all":19}"#,
      #"{"first":9223372036854775807,"total":9223372036854775807,"all":9223372036854775807}"#,
      #"{"total":20,"all":20}"#, "3",
    ])
  func `rows that do not lie within their result are refused`(_ part: String) throws {
    let line =
      #"{"t":0,"tx":1,"panels":{"0":{"columns":["n"],"rows":[[1],[2]],"part":"# + part + "}}}\n"
    var reader = try RecordingReader(Array((Self.text([]) + line).utf8))
    let error = #expect(throws: RecordingReader.Failure.self) { _ = try reader.next() }
    #expect(error?.message == "a part does not lie within its result")
  }

  @Test func `a recording of the first version plays`() throws {
    let line = #"{"t":0,"tx":1,"panels":{"0":{"columns":["n"],"rows":[[1]]}}}"# + "\n"
    let text = Self.text([]).replacing("\"version\":2", with: "\"version\":1") + line
    var reader = try RecordingReader(Array(text.utf8))
    guard case .refresh(let read, _)? = try reader.next()?.entry else {
      Issue.record("no refresh")
      return
    }
    #expect(read.results[0] == .success(RowSet(columns: ["n"], rows: [[1]])))
  }

  @Test func `what a file says of a panel is kept`() throws {
    let file = """
      -- name: f
      -- title: a "b"
      -- view: number
      -- alert: n > 5 until n < 4
      -- on-alert: ./notify.sh 'a b'
      SELECT 1 AS n;

      -- name: g
      -- key: a, b
      -- rank: c
      SELECT 2 AS a;
      """
    var header = Self.header
    header.definition = DashboardParser.parse(file).definition
    header.preset = nil
    let line = RecordingWriter(start: 0).line(header)
    var read = try RecordingReader(Array(line.utf8)).header
    #expect(read.definition.panels.map(\.alert?.text) == ["n > 5 until n < 4", nil])
    #expect(read.definition.panels.map(\.onAlert?.words) == [["./notify.sh", "a b"], nil])
    // Where it stood in the file is not kept.
    for index in read.definition.panels.indices {
      read.definition.panels[index].source = header.definition.panels[index].source
    }
    #expect(read == header)
  }

  @Test func `panels that are replaced number the results behind them`() throws {
    let definition = DashboardDefinition(panels: [PanelDefinition(name: "c", sql: "SELECT 3")])
    let good = Refresh(results: [0: .success(Sample.value(1))])
    let text = Self.text([(.panels(definition), 6_000), (.refresh(good), 7_000)])
    var reader = try RecordingReader(Array(text.utf8))
    guard case .panels(let read)? = try reader.next()?.entry else {
      Issue.record("no panels")
      return
    }
    #expect(read == definition)
    #expect(try reader.next() != nil)
    let bad = Self.text([(.panels(definition), 6_000), (.refresh(Self.refresh), 7_000)])
    var badReader = try RecordingReader(Array(bad.utf8))
    _ = try badReader.next()
    #expect(throws: RecordingReader.Failure.self) { _ = try badReader.next() }
  }

  @Test func `a refresh reads as it was written`() throws {
    let info = DatabaseInfo(journalMode: "wal", fileBytes: 4096, walBytes: 0, watch: "inotify")
    let text = Self.text([(.refresh(Self.refresh), 5_000), (.info(info), 2_005_999)])
    var reader = try RecordingReader(Array(text.utf8))
    let first = try #require(try reader.next())
    #expect(first.time == 0)
    guard case .refresh(let read, _) = first.entry else {
      Issue.record("no refresh")
      return
    }
    #expect(read.results.keys.sorted() == [0, 1])
    #expect(try read.results[0]?.get() == (try Self.refresh.results[0]?.get()))
    #expect(read.results[1] == Self.refresh.results[1])
    #expect(read.recomputed == Self.refresh.recomputed)
    #expect(read.stale == Self.refresh.stale)
    #expect(read.events == Self.refresh.events)
    #expect(read.droppedEvents == 2)
    #expect(read.ordinal == 8)
    #expect(read.duration == .milliseconds(4))
    let second = try #require(try reader.next())
    #expect(second.time == 2000)
    guard case .info(let readInfo) = second.entry else {
      Issue.record("no info")
      return
    }
    #expect(readInfo == info)
    #expect(try reader.next() == nil)
    #expect(!reader.wasCutOff)
  }

  @Test(
    arguments: [
      ("", "1: the file is empty; is it a recording?"),
      (
        "SELECT 1;\n",
        "1:1: expected a value; a recording begins with {\"livequery\":\"recording\",…"
      ),
      (
        "{\"a\":1}\n",
        "1: this is not a recording: it does not begin with {\"livequery\":\"recording\",…"
      ),
      ("{\"livequery\":\"recording\"}\n", "1: the version is missing"),
      (
        "{\"livequery\":\"recording\",\"version\":3}\n",
        "1: version 3 of the format; this program reads version 2: a newer livequery plays it"
      ),
      (
        "{\"livequery\":\"recording\",\"version\":1}\n",
        "1: \"started\" or \"definition\" is missing"
      ),
      (
        "{\"livequery\":\"recording\",\"version\":1,\"started\":0,\"definition\":{\"panels\":[]}}\n",
        "1: there is no panel in it"
      ),
      (
        "{\"livequery\":\"recording\",\"version\":1,\"started\":0,\"definition\":{\"panels\":[{}]}}\n",
        "1: a panel needs \"name\" and \"sql\""
      ),
    ])
  func `a file that is no recording is told apart`(_ text: String, _ message: String) {
    let error = #expect(throws: RecordingReader.Failure.self) {
      _ = try RecordingReader(Array(text.utf8))
    }
    #expect(error?.description == message)
  }

  @Test(
    arguments: [
      ("{\"t\":0,\"tx\":1,\"panels\":{}", "2:26: expected \",\" or \"}\""),
      ("{}", "2: the line has no time \"t\""),
      ("{\"t\":-1}", "2: the line has no time \"t\""),
      ("{\"t\":1e300}", "2: the line has no time \"t\""),
      ("{\"t\":0}", "2: neither a refresh (\"tx\" and \"panels\") nor \"info\" or \"definition\""),
      (
        "{\"t\":0,\"tx\":1,\"panels\":{\"2\":{}}}",
        "2: there is no panel 2: panels are numbered 0 to 1"
      ),
      (
        "{\"t\":0,\"tx\":1,\"panels\":{\"0\":{}}}",
        "2: panel 0 has neither \"columns\" and \"rows\" nor an \"error\""
      ),
      (
        "{\"t\":0,\"tx\":1,\"panels\":{\"0\":{\"columns\":[\"a\"],\"rows\":[[1,2]]}}}",
        "2: a row of panel 0 is not as long as its columns"
      ),
      (
        "{\"t\":0,\"tx\":1,\"panels\":{\"0\":{\"columns\":[\"a\"],\"rows\":[[true]]}}}",
        "2: a value that SQLite does not have"
      ),
      (
        "{\"t\":0,\"tx\":1,\"panels\":{\"0\":{\"columns\":[\"a\"],\"rows\":[[{\"$blob\":\"?\"}]]}}}",
        "2: a value that SQLite does not have"
      ),
      (
        "{\"t\":0,\"tx\":1,\"panels\":{},\"events\":[{\"x\":1}]}",
        "2: an event of a kind that is not known"
      ),
    ])
  func `a line that cannot be played is told with its number`(_ line: String, _ message: String) {
    let error = #expect(throws: RecordingReader.Failure.self) {
      var reader = try RecordingReader(Array((Self.text([]) + line + "\n").utf8))
      while try reader.next() != nil {}
    }
    #expect(error?.description == message)
  }

  @Test func `a last line that was cut off ends the recording`() throws {
    let text = Self.text([(.refresh(Self.refresh), 5_000), (.refresh(Self.refresh), 6_000)])
    var reader = try RecordingReader(Array(text.utf8.dropLast(40)))
    #expect(try reader.next() != nil)
    #expect(try reader.next() == nil)
    #expect(reader.wasCutOff)
  }

  @Test func `bytes turned at random are read or refused`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let original = Array(Self.text([(.refresh(Self.refresh), 5_000)]).utf8)
    for _ in 0..<3_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        bytes[index] = UInt8.random(in: 0...255, using: &random)
      }
      do throws(RecordingReader.Failure) {
        var reader = try RecordingReader(bytes)
        var state = DashboardState(
          definition: reader.header.definition, databaseName: "a",
          source: .database(hasConsole: false))
        while let (_, entry) = try reader.next() {
          guard case .refresh(let refresh, let looks) = entry else { continue }
          _ = reduce(&state, .refreshed(refresh, looks: looks, at: Sample.moment()))
          _ = render(state, size: Size(width: 80, height: 24), moment: Sample.moment())
        }
      } catch {
        #expect(error.line >= 1, "seed \(seed)")
      }
    }
  }
}
