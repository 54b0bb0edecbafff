/// Reads one whole record.
///
///     tot_len₄ xid₄ prev₈ info₁ rmid₁ 0₂ crc₄ │ block headers … │ main header │ images, data … │ main data
///
/// See src/include/access/xlogrecord.h, and xactdesc.c for commits. Nothing beyond the record is read, whatever its
/// bytes are.
struct WALRecordReader {
  private let bytes: ArraySlice<UInt8>
  private let version: WALVersion
  private var position: Int

  /// The bytes of the part that each record begins with.
  static let headerBytes = 24

  /// The resource managers whose records matter.
  private enum Manager {
    static let transactions: UInt8 = 1
    static let standby: UInt8 = 8
    static let heap2: UInt8 = 9
    static let heap: UInt8 = 10
    static let sequences: UInt8 = 15
    /// From here on they belong to extensions.
    static let firstCustom: UInt8 = 128
  }

  /// Whether records of a resource manager say something about changed rows; if not, they need not be read.
  static func matters(manager: UInt8) -> Bool {
    switch manager {
    case Manager.transactions, Manager.standby, Manager.heap2, Manager.heap, Manager.sequences,
      Manager.firstCustom...:
      true
    default: false
    }
  }

  /// - Parameter bytes: The record, at least its header.
  init(_ bytes: ArraySlice<UInt8>, _ version: WALVersion) {
    self.bytes = bytes
    self.version = version
    position = bytes.startIndex + Self.headerBytes
  }

  /// What the record says.
  ///
  /// - Throws: ``Damage`` when it isn't a record of this version.
  mutating func read() throws(Damage) -> WALRecord {
    let start = bytes.startIndex
    let xid = try uint32(at: start + 4)
    let information = bytes[start + 16]
    let manager = bytes[start + 17]
    let operation = information & 0x70
    switch manager {
    case Manager.transactions:
      return try transaction(xid, operation, hasInfo: information & 0x80 != 0)
    case Manager.heap:
      // Not LOCK; those of catalogs in place (0x70) have no transaction.
      guard xid != 0, operation <= 0x50 else { return .other }
      return .rows(xid: xid, files: try blocks().files)
    case Manager.heap2:
      // MULTI_INSERT alone changes rows; the others tidy up.
      guard xid != 0, operation == 0x50 else { return .other }
      return .rows(xid: xid, files: try blocks().files)
    case Manager.standby:
      // RUNNING_XACTS: two counts and a flag, of four bytes each, come before it.
      guard operation == 0x10 else { return .other }
      let main = try blocks().main
      return .running(next: try uint32(at: main + 12))
    case Manager.sequences:
      return try blocks().files.first.map { .sequence($0) } ?? .other
    case Manager.firstCustom...: throw Damage.unknownManager
    default: return .other
    }
  }

  enum Damage: Error, Equatable {
    case truncated
    /// An extension writes records of its own, and what they change is unknown.
    case unknownManager
  }

  // MARK: - Blocks

  /// Reads the headers of the blocks.
  ///
  /// - Returns: The files of their main forks, and where the main data begins.
  private mutating func blocks() throws(Damage) -> (files: [WALRecord.RelationFile], main: Int) {
    var files: [WALRecord.RelationFile] = []
    var last: WALRecord.RelationFile?
    // What the headers announce; they end where all that is left is announced.
    var announced = 0
    var main = bytes.endIndex
    while bytes.endIndex - position > announced {
      let id = try uint8()
      switch id {
      case 255, 254:
        let length = id == 255 ? Int(try uint8()) : Int(try uint32())
        announced += length
        main = bytes.endIndex - length
        guard main >= position else { throw .truncated }
      case 253: try skip(2)  // the origin
      case 252: try skip(4)  // the transaction of a subtransaction
      case 0...32:
        let flags = try uint8()
        announced += Int(try uint16())
        if flags & 0x10 != 0 { announced += try imageLength() }
        if flags & 0x80 == 0 {
          try skip(4)  // the tablespace
          last = WALRecord.RelationFile(database: try uint32(), number: try uint32())
        }
        try skip(4)  // the number of the block
        if flags & 0x0F == 0, let last, !files.contains(last) { files.append(last) }
      default: throw .truncated
      }
    }
    return (files, main)
  }

  private mutating func imageLength() throws(Damage) -> Int {
    let length = Int(try uint16())
    try skip(2)
    let information = try uint8()
    // A compressed image with a hole says how long the hole is.
    if information & 0x01 != 0, information & 0x1C != 0 { try skip(2) }
    return length
  }

  // MARK: - Transactions

  private mutating func transaction(
    _ xid: UInt32, _ operation: UInt8, hasInfo: Bool
  ) throws(Damage) -> WALRecord {
    // COMMIT, ABORT, COMMIT PREPARED, ABORT PREPARED.
    guard [0x00, 0x20, 0x30, 0x40].contains(operation) else { return .other }
    position = try blocks().main
    var commit = WALRecord.Commit(xid: xid)
    commit.time = Int64(bitPattern: try uint64())
    if hasInfo { try readInfo(&commit) }
    return operation == 0x20 || operation == 0x40
      ? .abort(xids: [commit.xid] + commit.subtransactions) : .commit(commit)
  }

  private mutating func readInfo(_ commit: inout WALRecord.Commit) throws(Damage) {
    let info = try uint32()
    func has(_ bit: Int) -> Bool { info & (1 << UInt32(bit)) != 0 }
    if has(0) { try skip(8) }
    if has(1) {
      for _ in 0..<(try count(of: 4)) { commit.subtransactions.append(try uint32()) }
    }
    if has(2) {
      for _ in 0..<(try count(of: 12)) {
        try skip(4)
        commit.dropped.append(
          WALRecord.RelationFile(database: try uint32(), number: try uint32()))
      }
    }
    if has(8) {
      try skip(try count(of: version.droppedStatisticBytes) * version.droppedStatisticBytes)
    }
    if has(3) { try skip(try count(of: 16) * 16) }
    // The record of a prepared transaction's end is written by another one.
    if has(4) { commit.xid = try uint32() }
  }

  /// A number of elements that the record has room for.
  private mutating func count(of size: Int) throws(Damage) -> Int {
    let count = Int(try uint32())
    guard count <= (bytes.endIndex - position) / size else { throw .truncated }
    return count
  }

  // MARK: - Bytes

  private mutating func skip(_ count: Int) throws(Damage) {
    guard bytes.endIndex - position >= count else { throw .truncated }
    position += count
  }

  private mutating func uint8() throws(Damage) -> UInt8 {
    try skip(1)
    return bytes[position - 1]
  }

  private mutating func uint16() throws(Damage) -> UInt16 {
    try skip(2)
    return UInt16(bytes[position - 2]) | UInt16(bytes[position - 1]) << 8
  }

  private mutating func uint32() throws(Damage) -> UInt32 {
    try skip(4)
    return try uint32(at: position - 4)
  }

  private mutating func uint64() throws(Damage) -> UInt64 {
    UInt64(try uint32()) | UInt64(try uint32()) << 32
  }

  private func uint32(at start: Int) throws(Damage) -> UInt32 {
    guard start >= bytes.startIndex, bytes.endIndex - start >= 4 else { throw .truncated }
    return UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]) << 16
      | UInt32(bytes[start + 3]) << 24
  }
}
