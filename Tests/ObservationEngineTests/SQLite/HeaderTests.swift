import Testing

@testable import ObservationEngine

/// What is read of the files of a database without SQLite.
struct HeaderTests {
  /// One copy of a wal-index header, in the machine's byte order.
  private func copy(change: UInt32 = 7, lastFrame: UInt32 = 9, isInit: UInt8 = 1) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 48)
    func put(_ value: UInt32, at offset: Int) {
      withUnsafeBytes(of: value) { bytes.replaceSubrange(offset..<offset + 4, with: $0) }
    }
    put(3_007_000, at: 0)
    put(change, at: 8)
    bytes[12] = isInit
    put(lastFrame, at: 16)
    put(21, at: 20)
    for index in 32..<40 { bytes[index] = UInt8(index) }
    return bytes.withWALIndexChecksum
  }

  @Test
  func `a wal-index header is read from two equal copies`() throws {
    let header = try #require(WALIndexHeader(copies: copy() + copy()))
    #expect(header.change == 7)
    #expect(header.lastFrame == 9)
    #expect(header.pageCount == 21)
    #expect(
      withUnsafeBytes(of: header.salts) { Array($0) } == Array(32..<40),
      "salts are raw bytes, whatever the machine's order")
    #expect(WALIndexHeader(copies: copy() + copy() + [1, 2, 3]) == header)
  }

  @Test
  func `a header whose copies differ in any byte is torn`() {
    for index in 0..<96 {
      var bytes = copy() + copy()
      bytes[index] ^= 1
      #expect(WALIndexHeader(copies: bytes) == nil, "byte \(index)")
    }
  }

  @Test
  func `a header that is not what its checksum says is torn`() {
    for index in 0..<48 {
      var bytes = copy()
      bytes[index] ^= 1
      #expect(WALIndexHeader(copies: bytes + bytes) == nil, "byte \(index)")
    }
  }

  @Test
  func `a header that was never written, or is cut off, is none`() {
    #expect(WALIndexHeader(copies: copy(isInit: 0) + copy(isInit: 0)) == nil)
    #expect(WALIndexHeader(copies: [UInt8](repeating: 0, count: 96)) == nil)
    #expect(WALIndexHeader(copies: Array((copy() + copy()).dropLast())) == nil)
    #expect(WALIndexHeader(copies: []) == nil)
  }

  @Test
  func `a database header tells the change counter and the journal mode`() {
    var bytes = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 84)
    bytes[18] = 1
    bytes[19] = 1
    bytes.replaceSubrange(24..<28, with: [0x01, 0x02, 0x03, 0x04])
    var header = FileHeader(bytes: bytes)
    #expect(header.changeCounter == 0x0102_0304)
    #expect(!header.isWAL)
    #expect(header.hasMagic)
    bytes[18] = 2
    bytes[19] = 2
    header = FileHeader(bytes: bytes)
    #expect(header.isWAL)
    bytes[0] = 0x41
    #expect(!FileHeader(bytes: bytes).hasMagic)
  }

  @Test
  func `an empty file is a database before its first commit`() {
    let header = FileHeader(bytes: [UInt8](repeating: 0, count: 100))
    #expect(header.hasMagic)
    #expect(header.changeCounter == 0)
    #expect(!header.isWAL)
  }
}

extension [UInt8] {
  /// A copy of the wal-index header with its checksum, as SQLite computes it: two sums over pairs of
  /// words.
  var withWALIndexChecksum: [UInt8] {
    var (bytes, first, second): ([UInt8], UInt32, UInt32) = (self, 0, 0)
    func word(_ offset: Int) -> UInt32 {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }
    for pair in 0..<5 {
      first = first &+ word(8 * pair) &+ second
      second = second &+ word(8 * pair + 4) &+ first
    }
    Swift.withUnsafeBytes(of: (first, second)) { bytes.replaceSubrange(40..<48, with: $0) }
    return bytes
  }
}
