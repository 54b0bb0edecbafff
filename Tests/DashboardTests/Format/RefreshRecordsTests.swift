import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct RefreshRecordsTests {
  @Test func `an error with which a panel begins is its current state`() {
    let time = Timestamp(microseconds: 1_795_197_600_123_456)
    var records = RefreshRecords(panels: [PanelDefinition(name: "fame", sql: "")], at: time)
    func lines(_ result: Result<RowSet, DatabaseError>) -> [String] {
      let refresh = Refresh(results: [0: result])
      _ = records.write(refresh, at: time) { _ in }
      return records.turns(refresh).map(\.line)
    }
    func line(_ source: String, _ rest: String) -> String {
      #"{"tx":0,"ts":"2026-11-20T18:00:00.123456Z","src":""# + source
        + #"","panel":"fame","op":"# + rest + "}\n"
    }
    let overflow = DatabaseError(code: .error, message: "integer overflow")
    let stale = #""stale","why":"integer overflow""#
    #expect(lines(.failure(overflow)) == [line("open", stale)])
    #expect(lines(.success(RowSet(columns: ["a"], rows: [[1]]))) == [line("ext", #""fresh""#)])
    #expect(lines(.failure(overflow)) == [line("ext", stale)])
  }
}
