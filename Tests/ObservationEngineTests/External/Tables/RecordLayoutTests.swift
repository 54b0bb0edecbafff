import TestSupport
import Testing

@testable import ObservationEngine

/// What is read of records, and what of records that are none.
@Suite
struct RecordLayoutTests {
  private let layout = RecordLayout(
    columns: [
      RecordLayout.Column(name: "a", foldedName: "a"),
      RecordLayout.Column(name: "R", foldedName: "r", isReal: true),
      RecordLayout.Column(name: "b", foldedName: "b", whenMissing: "default"),
    ], fields: [0, 1, 2], encoding: .utf8)

  private func record(_ types: [UInt8], _ body: [UInt8] = []) -> [UInt8] {
    [UInt8(types.count + 1)] + types + body
  }

  private func values(_ record: [UInt8]) throws -> [Value] {
    try layout.values(rowid: 5, record)
  }

  @Test
  func `integers of every length are read with their sign`() throws {
    let lengths: [UInt8: Int] = [1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8]
    for (type, count) in lengths {
      let ones = [UInt8](repeating: 0xff, count: count - 1)
      #expect(try values(record([type, 0, 0], ones + [0xfe]))[0] == .integer(-2))
      let top = [0x7f] + ones
      let expected = Int64.max >> (64 - 8 * Int64(count))
      #expect(try values(record([type, 0, 0], top))[0] == .integer(expected))
    }
    #expect(try values(record([8, 0, 0]))[0] == .integer(0))
    #expect(try values(record([9, 0, 0]))[0] == .integer(1))
  }

  @Test
  func `whole numbers of a column of reals are reals, and NaN is NULL`() throws {
    func bytes(_ number: Double) -> [UInt8] {
      withUnsafeBytes(of: number.bitPattern.bigEndian) { Array($0) }
    }
    #expect(try values(record([9, 9, 0])) == [1, 1.0, nil])
    #expect(try values(record([0, 1, 0], [0xfb])) == [nil, -5.0, nil])
    #expect(try values(record([0, 7, 0], bytes(-0.0)))[1] == .real(-0.0))
    #expect(try values(record([7, 0, 0], bytes(.nan)))[0] == .null)
    #expect(try values(record([7, 0, 0], bytes(.infinity)))[0] == .real(.infinity))
  }

  @Test
  func `texts that are no UTF-8 read as they do in results`() throws {
    #expect(try values(record([17, 0, 0], [0x61, 0xff]))[0] == .text("a\u{fffd}"))
    #expect(try values(record([13, 0, 12])) == ["", nil, .blob([])])
  }

  @Test
  func `a record that ends early has what its columns have by default`() throws {
    #expect(try values(record([9])) == [1, nil, "default"])
    #expect(try values(record([9, 9, 0])) == [1, 1.0, nil])
    let unknown = RecordLayout(
      columns: [RecordLayout.Column(name: "a", foldedName: "a", whenMissing: nil)], fields: [0],
      encoding: .utf8)
    #expect(throws: RowsUnknown.self) { try unknown.values(rowid: 1, [1]) }
  }

  @Test
  func `what is no record is refused`() {
    let broken: [[UInt8]] = [
      [], [0], [9, 1], [4, 10, 0, 0], [4, 11, 0, 0], record([6, 0, 0], [1, 2, 3]),
      record([0x81, 0x81]), record([0x81]), record([255, 255]), [255, 255, 255],
      // A text of nearly 2^63 bytes.
      [10, 255, 255, 255, 255, 255, 255, 255, 255, 255],
    ]
    for bytes in broken {
      #expect(throws: RowsUnknown.self, "\(bytes)") { try values(bytes) }
    }
  }

  @Test
  func `random bytes are a record or none, and nothing is read beyond them`() {
    var random = SeededRandom(seed: Soak.seed)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...40, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      // What it is doesn't matter: a read beyond the end would trap.
      _ = try? layout.values(rowid: 1, bytes)
    }
  }
}
