/// Cuts a stream of the write-ahead log into records.
///
///     page 0 (8192 bytes)          page 1
///     ├─header─┬─rec─┬─rec─┬─re │  ├─header─┬─c, the rest─┬─rec─ …     records begin at multiples of 8
///
/// It is a pure machine: bytes in, in pieces of any size, records out. It begins at the start of a page, whose header
/// says how much of a record that began earlier comes first; that one is skipped.
///
/// ## Limits
/// - Bytes that aren't a log of a known version, or a record of an unknown kind, end it with an error: the caller then
///   takes another way to notice commits, and all panels run.
struct WALParser {
  enum Failure: Error, Equatable {
    /// The version isn't known: the number is not in ``WALVersion``.
    case unknownVersion(UInt16)
    /// The bytes contradict the format.
    case damaged(at: UInt64)
    /// Records of an extension: what they change is unknown.
    case unknownManager
    /// The next bytes aren't those after the last ones.
    case gap(at: UInt64)
  }

  static let pageBytes: UInt64 = 8192
  /// More than any record has, by far.
  private static let maximumRecord = 1 << 30

  /// The position in the log up to which bytes were taken.
  private(set) var position: UInt64
  private var version: WALVersion?
  private var segmentBytes: UInt64
  /// The bytes of the header of this page that came so far.
  private var header: [UInt8] = []
  private var isInHeader = true
  /// The bytes of the current record that came so far, and where it began.
  private var record: [UInt8] = []
  private var recordStart: UInt64 = 0
  /// How many bytes are to be skipped: of a record that began before the stream, or between two.
  private var skipped = 0
  private var isFirstPage = true
  /// The rest of this segment is empty.
  private var switchesTo: UInt64?

  /// - Parameters:
  ///   - position: Where the bytes begin; a multiple of ``pageBytes``.
  ///   - segmentBytes: `wal_segment_size` of the server.
  init(at position: UInt64, segmentBytes: UInt64 = 16 << 20) {
    precondition(position % Self.pageBytes == 0, "the log is read from the start of a page")
    self.position = position
    self.segmentBytes = segmentBytes
  }

  /// Takes the bytes at a position, and returns the records that are whole now, each with the position of its end.
  ///
  /// - Complexity: O(length).
  mutating func take(
    _ bytes: ArraySlice<UInt8>, at start: UInt64
  ) throws(Failure) -> [(record: WALRecord, end: UInt64)] {
    guard start == position else { throw .gap(at: start) }
    var records: [(record: WALRecord, end: UInt64)] = []
    var rest = bytes
    while !rest.isEmpty {
      if let target = switchesTo {
        let count = Int(min(UInt64(rest.count), target - position))
        rest = rest.dropFirst(count)
        position += UInt64(count)
        if position == target { (switchesTo, isInHeader) = (nil, true) }
        continue
      }
      if isInHeader {
        try takeHeader(&rest)
        continue
      }
      let pageLeft = Int(Self.pageBytes - position % Self.pageBytes)
      if skipped > 0 {
        let count = min(skipped, pageLeft, rest.count)
        advance(&rest, count)
        skipped -= count
        // After the record come zeros up to the next multiple of 8.
        if skipped == 0, !isInHeader { skipped = padding }
        continue
      }
      if record.isEmpty { recordStart = position }
      // Its header first: most large records are of no interest, and are not kept.
      let wanted =
        record.count < WALRecordReader.headerBytes
        ? WALRecordReader.headerBytes - record.count : recordBytes! - record.count
      let count = min(wanted, pageLeft, rest.count)
      record += rest.prefix(count)
      advance(&rest, count)
      guard let total = recordBytes else { continue }
      // A length of zero: the log has not been written here.
      guard total >= WALRecordReader.headerBytes, total <= Self.maximumRecord else {
        throw .damaged(at: recordStart)
      }
      if record.count == WALRecordReader.headerBytes, total > record.count,
        !WALRecordReader.matters(manager: record[17])
      {
        skipped = total - record.count
        record.removeAll(keepingCapacity: true)
        continue
      }
      if record.count == total {
        records.append((try finishRecord(), position))
      }
    }
    return records
  }

  private mutating func advance(_ rest: inout ArraySlice<UInt8>, _ count: Int) {
    rest = rest.dropFirst(count)
    position += UInt64(count)
    if position % Self.pageBytes == 0 { isInHeader = true }
  }

  /// The bytes up to the next multiple of 8.
  private var padding: Int { Int((8 - position % 8) % 8) }

  /// The length of the current record, once it is known.
  private var recordBytes: Int? {
    guard record.count >= 4 else { return nil }
    return Int(record[0]) | Int(record[1]) << 8 | Int(record[2]) << 16 | Int(record[3]) << 24
  }

  private mutating func finishRecord() throws(Failure) -> WALRecord {
    // An image of many pages comes once.
    defer { record.removeAll(keepingCapacity: record.count < 1 << 16) }
    guard let version else { throw .damaged(at: recordStart) }
    // XLOG_SWITCH: the rest of the segment is left empty.
    if record[17] == 0, record[16] & 0xF0 == 0x40 {
      let target = (position + segmentBytes - 1) / segmentBytes * segmentBytes
      if target > position { switchesTo = target }
      return .other
    }
    skipped = isInHeader ? 0 : padding
    var reader = WALRecordReader(record[...], version)
    do { return try reader.read() } catch {
      switch error {
      case .truncated: throw .damaged(at: recordStart)
      case .unknownManager: throw .unknownManager
      }
    }
  }

  private mutating func takeHeader(_ rest: inout ArraySlice<UInt8>) throws(Failure) {
    let isLong = header.count >= 4 && header[2] & 0x02 != 0
    let length = isLong ? 40 : 24
    let count = min(rest.count, length - header.count)
    header += rest.prefix(count)
    rest = rest.dropFirst(count)
    position += UInt64(count)
    guard header.count == (header[safe: 2].map { $0 & 0x02 != 0 } == true ? 40 : 24) else { return }
    let magic = UInt16(header[0]) | UInt16(header[1]) << 8
    guard let version = WALVersion(rawValue: magic) else { throw .unknownVersion(magic) }
    self.version = version
    // It says where it is.
    let address = header[8..<16].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard address == position - UInt64(header.count) else {
      throw .damaged(at: position - UInt64(header.count))
    }
    let information = UInt16(header[2]) | UInt16(header[3]) << 8
    let remaining = header[16..<20].reversed().reduce(0) { $0 << 8 | Int($1) }
    if header.count == 40 {
      let size = header[32..<36].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      if size.nonzeroBitCount == 1, size >= 1 << 20 { segmentBytes = size }
    }
    header.removeAll(keepingCapacity: true)
    isInHeader = false
    if isFirstPage {
      isFirstPage = false
      // The rest of a record whose beginning is not in the stream. It may fill more than this page.
      if information & 0x01 != 0 { skipped = remaining }
    } else if information & 0x08 != 0 {
      // The server gave up a record after a crash, and began again.
      record.removeAll()
      skipped = 0
    }
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
