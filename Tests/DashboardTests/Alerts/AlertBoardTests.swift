import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct AlertBoardTests {
  private static func panel(
    _ name: String = "errors", _ rule: String = "n > 5 until n < 4", key: [String] = []
  ) throws -> PanelDefinition {
    var panel = Sample.panel(name, key: key)
    panel.alert = try AlertRule(rule)
    return panel
  }

  private static func refresh(_ number: Int64, _ ordinal: Int) -> Refresh {
    Refresh(results: [0: .success(Sample.value(.integer(number)))], ordinal: ordinal)
  }

  @Test func `an alert is told at its edges alone`() throws {
    let panel = try Self.panel()
    var board = AlertBoard()
    let told = [3, 6, 7, 5, 6, 3, 2, 9].enumerated().map { ordinal, number in
      board.receive(
        Self.refresh(Int64(number), ordinal), panels: [panel], at: Sample.moment().civil
      )
      .map(\.isRaised)
    }
    #expect(told == [[], [true], [], [], [], [false], [], [true]])
    #expect(board.raisedCount == 2)
  }

  @Test func `the first result can raise an alert`() throws {
    var board = AlertBoard()
    let changes = board.receive(
      Self.refresh(9, 0), panels: [try Self.panel()], at: Sample.moment().civil)
    #expect(changes.map(\.isRaised) == [true])
    #expect(board["errors"].raisedAt == Sample.moment().civil)
    #expect(!board["errors"].isAcknowledged)
  }

  @Test func `an error leaves an alert as it was`() throws {
    let panel = try Self.panel()
    var board = AlertBoard()
    _ = board.receive(Self.refresh(9, 0), panels: [panel], at: Sample.moment().civil)
    let error = Refresh(results: [0: .failure(DatabaseError(code: .busy, message: "locked"))])
    #expect(board.receive(error, panels: [panel], at: Sample.moment(1).civil) == [])
    #expect(board["errors"].isRaised)
  }

  @Test func `a column that is gone leaves an alert as it was, and is told`() throws {
    let panel = try Self.panel()
    var board = AlertBoard()
    _ = board.receive(Self.refresh(9, 0), panels: [panel], at: Sample.moment().civil)
    let other = Refresh(results: [0: .success(RowSet(columns: ["x"], rows: [[1]]))])
    #expect(board.receive(other, panels: [panel], at: Sample.moment(1).civil) == [])
    #expect(board["errors"].isRaised)
    #expect(board["errors"].problem == "no column n")
  }

  @Test func `an acknowledged alert that comes again is to be seen again`() throws {
    let panel = try Self.panel()
    var board = AlertBoard()
    func receive(_ number: Int64) {
      _ = board.receive(Self.refresh(number, 1), panels: [panel], at: Sample.moment().civil)
    }
    receive(9)
    board.acknowledge("errors")
    receive(8)
    #expect(board["errors"].isAcknowledged)
    receive(1)
    receive(9)
    #expect(!board["errors"].isAcknowledged)
  }

  @Test func `the report of an alert is one line of JSON`() throws {
    var panel = try Self.panel()
    panel.title = "Error \"rate\""
    var board = AlertBoard()
    _ = board.receive(Self.refresh(1, 6), panels: [panel], at: Sample.moment().civil)
    let change = try #require(
      board.receive(Self.refresh(9, 7), panels: [panel], at: Sample.moment().civil).first)
    #expect(
      change.json(databaseName: "app.db") == """
        {"alert":"raised","panel":"errors","title":"Error \\"rate\\"","condition":"n > 5","tx":7,\
        "ts":"2026-11-20T12:04:31.204000Z","database":"app.db","rows":1,"matching":1,\
        "old":{"n":1},"new":{"n":9}}

        """)
  }

  @Test func `the report names the row that crossed, as it was before by its key`() throws {
    let panel = try Self.panel("q", "score > 5", key: ["player"])
    var board = AlertBoard()
    func receive(_ rows: RowSet) -> [AlertChange] {
      board.receive(
        Refresh(results: [0: .success(rows)], ordinal: 2), panels: [panel],
        at: Sample.moment().civil)
    }
    _ = receive(Sample.scores(["ada": 1, "bob": 2]))
    let change = try #require(receive(Sample.scores(["eve": 3, "bob": 8, "ada": 9])).first)
    let text = change.json(databaseName: "a")
    #expect(text.contains(#""rows":3,"matching":2,"old":{"player":"bob","score":2},"#))
    #expect(text.hasSuffix(#""new":{"player":"bob","score":8}}"# + "\n"))
  }

  @Test func `the newest alert that nobody has seen comes first`() throws {
    let panels = [try Self.panel("a"), try Self.panel("b"), try Self.panel("c")]
    var board = AlertBoard()
    for (index, seconds) in [(1, 1.0), (0, 2.0), (2, 2.0)] {
      let refresh = Refresh(results: [index: .success(Sample.value(9))])
      _ = board.receive(refresh, panels: panels, at: Sample.moment(seconds).civil)
    }
    #expect(board.unseen(among: ["a", "b", "c"]) == [0, 2, 1])
    board.acknowledge("a")
    #expect(board.unseen(among: ["a", "b", "c"]) == [2, 1])
  }
}
