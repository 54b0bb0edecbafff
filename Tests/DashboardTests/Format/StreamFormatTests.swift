import ObservationEngine
import TestSupport
import Testing

@testable import Dashboard

@Suite struct StreamFormatTests {
  private static let fame = PanelDefinition(name: "fame", sql: "", key: ["player"])
  private static let time = Timestamp(microseconds: 1_795_197_600_123_456)
  private static let open = StreamFormat.Batch(ordinal: 0, time: time, source: .open)
  private static let seventh = StreamFormat.Batch(
    ordinal: 7, time: time, source: .commit(.external), tables: .named(["scores"]))

  private let before = RowSet(
    columns: ["player", "score"], rows: [["ada", 98], ["bob", 92], ["grace", 90]])

  @Test func `the first batch is the current state`() {
    let head = #"{"tx":0,"ts":"2026-11-20T18:00:00.123456Z","src":"open","panel":"fame","op":"#
    #expect(
      lines(from: nil, to: RowSet(columns: ["player", "score"], rows: [["ada", 98]])) == [
        head + #""+","key":["ada"],"new":{"player":"ada","score":98}}"#,
        head + #""end","how":"recomputed","tables":[],"ms":0.4}"#,
      ])
  }

  @Test func `a commit brings removals, changes, then insertions`() {
    let after = RowSet(
      columns: before.columns, rows: [["nihon", 99], ["ada", 98], ["grace", 97]])
    let head = #"{"tx":7,"ts":"2026-11-20T18:00:00.123456Z","src":"ext","panel":"fame","op":"#
    #expect(
      lines(from: before, to: after, Self.seventh) == [
        head + #""-","key":["bob"],"old":{"player":"bob","score":92}}"#,
        head + #""~","key":["grace"],"old":{"player":"grace","score":90},"#
          + #""new":{"player":"grace","score":97}}"#,
        head + #""+","key":["nihon"],"new":{"player":"nihon","score":99}}"#,
        head + #""end","how":"recomputed","tables":["scores"],"ms":0.4}"#,
      ])
  }

  @Test func `a commit that changes no row brings nothing, even if rows move`() {
    let after = RowSet(columns: before.columns, rows: before.rows.reversed())
    #expect(lines(from: before, to: after, Self.seventh) == [])
    #expect(lines(from: nil, to: .empty, Self.seventh) == [])
  }

  @Test func `an empty panel says at the beginning that it is complete`() {
    let records = lines(from: nil, to: RowSet(columns: ["player"], rows: []))
    #expect(records.count == 1)
    #expect(records.first?.contains(#""op":"end""#) == true)
  }

  @Test func `other columns bring other rows`() {
    let after = RowSet(columns: ["name"], rows: [["ada"]])
    let records = lines(from: before, to: after, Self.seventh)
    #expect(records.count == 5)
    #expect(records[0].hasSuffix(#""op":"-","key":["ada"],"old":{"player":"ada","score":98}}"#))
    #expect(records[3].hasSuffix(#""op":"+","key":["ada"],"new":{"name":"ada"}}"#))
  }

  @Test func `without a key the whole row is the key`() {
    let panel = PanelDefinition(name: "p", sql: "")
    let after = RowSet(columns: before.columns, rows: [["ada", 99]] + before.rows.dropFirst())
    let records = lines(panel: panel, from: before, to: after, Self.seventh)
    #expect(records.count == 3)
    #expect(
      records[0].hasSuffix(#""op":"-","key":["ada",98],"old":{"player":"ada","score":98}}"#))
    #expect(
      records[1].hasSuffix(#""op":"+","key":["ada",99],"new":{"player":"ada","score":99}}"#))
  }

  @Test func `without a key a single row changes, and so do rows that all do in their places`() {
    let number = PanelDefinition(name: "p", sql: "")
    let one = RowSet(columns: ["n"], rows: [[1]])
    let two = RowSet(columns: ["n"], rows: [[2]])
    let records = lines(panel: number, from: one, to: two, Self.seventh)
    #expect(records.count == 2)
    #expect(records[0].hasSuffix(#""op":"~","key":[1],"old":{"n":1},"new":{"n":2}}"#))
    func clocks(_ time: String) -> RowSet {
      RowSet(columns: ["name", "at"], rows: [["a", .text(time)], ["b", .text(time)]])
    }
    let ticks = lines(panel: number, from: clocks("12:00"), to: clocks("12:01"), Self.seventh)
    #expect(ticks.count == 3)
    #expect(ticks[1].contains(#""op":"~","key":["b","12:00"],"#))
  }

  @Test func `unknown tables are null, and repeated columns are told apart`() {
    let batch = StreamFormat.Batch(
      ordinal: 1, time: Self.time, source: .commit(.own), tables: .all(reason: "another process"),
      evidence: Commit.Evidence.none)
    let result = RowSet(columns: ["x", "x"], rows: [[1, 2]])
    let records = lines(
      panel: PanelDefinition(name: "p", sql: ""), from: nil, to: result, batch)
    #expect(
      records[0].hasSuffix(
        #""src":"me","panel":"p","op":"+","key":[1,2],"new":{"x":1,"x:1":2}}"#))
    #expect(
      records[1].hasSuffix(
        #""op":"end","how":"recomputed","tables":null,"why":"another process","by":"none","ms":0.4}"#
      ))
  }

  @Test func `how a panel was refreshed is said, and why its query ran`() {
    let after = RowSet(columns: before.columns, rows: [["ada", 98]])
    func end(_ method: RefreshMethod, _ batch: StreamFormat.Batch) -> String? {
      lines(from: before, to: after, batch, method: method).last
    }
    #expect(
      end(.maintained, Self.seventh)?.hasSuffix(
        #""op":"end","how":"maintained","tables":["scores"],"ms":0.4}"#) == true)
    #expect(
      end(.recomputed(reason: "it has a window"), Self.seventh)?.hasSuffix(
        #""how":"recomputed","tables":["scores"],"why":"it has a window","ms":0.4}"#) == true)
    let unknown = StreamFormat.Batch(
      ordinal: 8, time: Self.time, source: .commit(.external), tables: .all(reason: "VACUUM"))
    #expect(
      end(.recomputed(reason: "it has a window"), unknown)?.hasSuffix(
        #""how":"recomputed","tables":null,"why":"VACUUM","ms":0.4}"#) == true,
      "a reason comes once: that of the tables says more")
    #expect(
      end(.recomputed(reason: "it hasn't run often enough to decide"), Self.open)?.hasSuffix(
        #""how":"recomputed","tables":[],"ms":0.4}"#) == true)
  }

  @Test(arguments: [
    (Duration.zero, "0.0"), (.microseconds(7), "0.007"), (.milliseconds(12), "12.0"),
    (.microseconds(1_234_560), "1234.56"), (.nanoseconds(999), "0.0"), (.seconds(-1), "0.0"),
  ])
  func `durations are milliseconds`(_ duration: Duration, _ expected: String) {
    let records = lines(from: nil, to: .empty, duration: duration)
    #expect(records.last?.hasSuffix("\"ms\":\(expected)}") == true)
  }

  @Test(arguments: 0..<100)
  func `applying the records gives the exact rows`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let panel = PanelDefinition(name: "p", sql: "", key: seed % 2 == 0 ? ["k"] : [])
    var old: RowSet?
    var applied: [String: Int] = [:]
    for ordinal in 0..<6 {
      let new = RowSet.random(using: &random)
      let batch = StreamFormat.Batch(ordinal: ordinal, time: Self.time, source: .open)
      for record in lines(panel: panel, from: old, to: new, batch) {
        if let row = Self.object("old", of: record) {
          #expect(applied[row, default: 0] > 0)
          applied[row, default: 0] -= 1
        }
        if let row = Self.object("new", of: record) { applied[row, default: 0] += 1 }
      }
      var expected: [String: Int] = [:]
      for line in printed(.ndjson, [("p", new)]).split(separator: "\n") {
        expected[String(line), default: 0] += 1
      }
      #expect(applied.filter { $0.value != 0 } == expected)
      old = new
    }
  }

  /// The text of a flat object in a record.
  private static func object(_ name: String, of record: String) -> String? {
    guard let start = record.firstRange(of: ",\"\(name)\":") else { return nil }
    let object = record[start.upperBound...].prefix { $0 != "}" }
    return object + "}"
  }

  private func lines(
    panel: PanelDefinition = fame, from old: RowSet?, to new: RowSet,
    _ batch: StreamFormat.Batch = open, duration: Duration = .microseconds(400),
    method: RefreshMethod = .recomputed(reason: nil)
  ) -> [String] {
    var text = ""
    StreamFormat().write(
      panel: panel, from: old, to: new, batch: batch, duration: duration, method: method
    ) { text += $0 }
    return text.split(separator: "\n").map(String.init)
  }
}
