import Foundation
import TestSupport
import Testing

@testable import ObservationPostgres

/// The log that PostgreSQL 15 wrote for a few transactions, in two parts: up to a switch of segments, and after it.
private enum Captured {
  static let start: UInt64 = 0x279_C000
  /// Where the part after the switch begins.
  static let second: UInt64 = 0x300_0000
  static let secondBytes = 0x4000

  static let bytes: [UInt8] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let file = folder.appending(path: "Fixtures/wal-15.bin")
    guard let data = try? Data(contentsOf: file) else { preconditionFailure("\(file) is missing") }
    return Array(data)
  }()

  static var first: ArraySlice<UInt8> { bytes.dropLast(secondBytes) }

  /// All of it as the server would send it: the rest of a segment after a switch is empty.
  static let stream: [UInt8] = {
    let gap = Int(second - start) - (bytes.count - secondBytes)
    return Array(first) + [UInt8](repeating: 0, count: gap) + bytes.suffix(secondBytes)
  }()
}

@Suite struct WALParserTests {
  /// The transactions that end in the captured log, as `pg_waldump` lists them.
  private static let commits: [UInt32] = [812, 813, 818, 819, 820, 821, 822, 823]

  /// The records of the captured log, up to where it has not been written.
  private static func ended(
    _ pieces: (Int) -> Int
  ) -> (ended: [ReportedTransactions.Ended], failure: WALParser.Failure?) {
    var parser = WALParser(at: Captured.start)
    var transactions = ReportedTransactions()
    var ended: [ReportedTransactions.Ended] = []
    var position = 0
    while position < Captured.stream.count {
      let count = min(pieces(position), Captured.stream.count - position)
      let piece = Captured.stream[position..<position + count]
      do throws(WALParser.Failure) {
        for (record, _) in try parser.take(piece, at: Captured.start + UInt64(position)) {
          if let end = transactions.take(record) { ended.append(end) }
        }
      } catch { return (ended, error) }
      position += count
    }
    return (ended, nil)
  }

  @Test func `commits and aborts are those that pg_waldump lists`() {
    let (ended, _) = Self.ended { _ in 8192 }
    let own = ended.filter { $0.xid >= 812 && $0.xid <= 823 }
    #expect(own.filter(\.isCommit).map(\.xid) == Self.commits)
    #expect(own.filter { !$0.isCommit }.map(\.xid) == [815, 817])
    #expect(own.first { $0.xid == 813 }?.subtransactions == [814, 816])
  }

  @Test func `a commit has the files of its transaction and its subtransactions`() throws {
    let (ended, _) = Self.ended { _ in 8192 }
    func files(_ xid: UInt32) -> Set<WALRecord.RelationFile> {
      ended.first { $0.xid == xid && $0.isCommit }?.files ?? []
    }
    let table = files(812)
    #expect(table.count == 1)
    #expect(try #require(table.first).database == 16452)
    #expect(files(813) == table)
    #expect(files(820) == table)
    // TRUNCATE: its old file is gone, and a catalog has changed.
    #expect(files(821).isSuperset(of: table))
    #expect(files(822).count == 1 && files(822).isDisjoint(with: table))
    #expect(files(823) == files(822))
    #expect(ended.contains { $0.xid == 0 && !$0.files.isEmpty }, "the sequence moved")
  }

  @Test func `the log names the next number, which is above all that ended`() throws {
    var parser = WALParser(at: Captured.start)
    var transactions = ReportedTransactions()
    var (newest, next): (UInt32, [UInt32]) = (0, [])
    // What comes after it has not been written.
    for start in stride(from: 0, to: Captured.stream.count, by: 8_192) {
      let page = Captured.stream[start..<min(start + 8_192, Captured.stream.count)]
      guard let records = try? parser.take(page, at: Captured.start + UInt64(start)) else { break }
      for (record, _) in records {
        if case .running(let number) = record {
          #expect(number > newest)
          next.append(number)
        }
        newest = max(newest, transactions.take(record)?.xid ?? 0)
      }
    }
    #expect(next.contains { (812...824).contains($0) }, "\(next)")
  }

  @Test(arguments: [1, 3, 7, 24, 40, 100, 8191, 8193])
  func `it does not matter in which pieces the log comes`(_ size: Int) {
    // The empty rest of a segment in one piece: byte by byte it would take minutes.
    let gap = Captured.first.count
    let (ended, failure) = Self.ended { position in
      position >= gap && position < Captured.stream.count - Captured.secondBytes
        ? Captured.stream.count - Captured.secondBytes - position : size
    }
    let whole = Self.ended { _ in 8192 }
    #expect(ended == whole.ended)
    #expect(failure == whole.failure)
  }

  @Test func `an unknown version is not guessed at`() {
    var page = Array(Captured.first.prefix(8192))
    page[0] = 0x99
    var parser = WALParser(at: Captured.start)
    #expect(throws: WALParser.Failure.unknownVersion(0xD199)) {
      try parser.take(page[...], at: Captured.start)
    }
  }

  @Test func `bytes that are not the next ones are a gap`() throws {
    var parser = WALParser(at: Captured.start)
    _ = try parser.take(Captured.first.prefix(100), at: Captured.start)
    #expect(throws: WALParser.Failure.gap(at: Captured.start + 200)) {
      try parser.take(Captured.first.dropFirst(200), at: Captured.start + 200)
    }
  }

  @Test func `a damaged log ends in an error, or is read, but never crashes`() {
    var random = SeededRandom(seed: 20_261_124)
    for _ in 0..<2_000 {
      var bytes = Array(Captured.first)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      var parser = WALParser(at: Captured.start)
      var transactions = ReportedTransactions()
      for (record, _) in (try? parser.take(bytes[...], at: Captured.start)) ?? [] {
        _ = transactions.take(record)
      }
    }
  }

  @Test func `records of an extension end the reading`() throws {
    var record = [UInt8](repeating: 0, count: 24)
    record[0] = 24
    record[17] = 130
    var reader = WALRecordReader(record[...], .v15)
    #expect(throws: WALRecordReader.Damage.unknownManager) { try reader.read() }
  }
}
