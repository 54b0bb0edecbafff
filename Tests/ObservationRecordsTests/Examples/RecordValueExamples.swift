import ObservationEngine
import ObservationRecords
import Testing

/// The examples of the values of records.
struct RecordValueExamples {
  struct Player: Record {
    var id: Int64?
    var name: String
    var score: Int
  }

  @Test func `the values of a record`() throws {
    let database = try memory(Player.self)
    let player = Player(id: 7, name: "ada", score: 41)
    let read = try database.readWaiting { db in
      let row = try db.values(of: player)  // ["id": 7, "name": "ada", "score": 41]
      return row
    }
    #expect(read == ["id": 7, "name": "ada", "score": 41])
    let row = try database.values(of: player)
    #expect(row == read)
  }
}
