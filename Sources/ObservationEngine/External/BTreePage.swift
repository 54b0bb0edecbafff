/// A page of a b-tree: its place in the tree, and its cells.
///
/// Nothing of the page is trusted: whatever it says, no read leaves it.
///
/// Source: https://www.sqlite.org/fileformat2.html#b_tree_pages
struct BTreePage {
  enum Kind: UInt8 {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13

    var isInterior: Bool { self == .indexInterior || self == .tableInterior }
    var isIndex: Bool { self == .indexInterior || self == .indexLeaf }
  }

  let kind: Kind
  private let bytes: UnsafeRawBufferPointer
  private let usableSize: Int
  private let cellCount: Int
  /// Where the array of pointers to the cells begins.
  private let pointers: Int
  private let header: Int

  /// - Returns: `nil` when the bytes aren't a page of a b-tree.
  init?(_ bytes: UnsafeRawBufferPointer, number: UInt32, usableSize: Int) {
    header = number == 1 ? 100 : 0
    guard bytes.count >= usableSize, usableSize >= header + 12,
      let kind = Kind(rawValue: bytes[header])
    else { return nil }
    self.kind = kind
    self.bytes = bytes
    self.usableSize = usableSize
    cellCount = Int(bytes.bigEndian16(at: header + 3))
    pointers = header + (kind.isInterior ? 12 : 8)
    guard pointers + 2 * cellCount <= usableSize else { return nil }
  }

  /// The pages below an interior page, from left to right; `nil` when they cannot be read.
  ///
  /// - Complexity: O(cells).
  func children(pageCount: UInt32) -> [UInt32]? {
    guard kind.isInterior else { return nil }
    var isSound = true
    let children = [UInt32](unsafeUninitializedCapacity: cellCount + 1) { buffer, count in
      while count <= cellCount {
        let place = count < cellCount ? cell(count) : header + 8
        let child = place + 4 <= usableSize ? bytes.bigEndian32(at: place) : 0
        // Page 1 is the root of the schema, and never a child.
        guard child >= 2, child <= pageCount else {
          isSound = false
          return
        }
        buffer[count] = child
        count += 1
      }
    }
    return isSound ? children : nil
  }

  private func cell(_ index: Int) -> Int { Int(bytes.bigEndian16(at: pointers + 2 * index)) }

  /// A cell with content: a row of a table, or an entry of an index.
  struct Cell {
    /// The key in a table; 0 in an index.
    var rowid: Int64 = 0
    /// How long the content is.
    let size: Int
    /// Where its first part stands in the page, and how long that is.
    let start: Int
    let count: Int
    /// The first page of the rest; 0 for none.
    let overflow: UInt32
  }

  /// How many cells the page says it has.
  var count: Int { cellCount }

  /// Whether cells have content: interior pages of a table hold keys alone.
  var hasContent: Bool { kind != .tableInterior }

  /// The cell at a place in the order of the keys; `nil` when it can't be read.
  func cell(at index: Int) -> Cell? {
    var place = cell(index) + (kind == .indexInterior ? 4 : 0)
    guard let payload = varint(at: &place), payload <= UInt64(UInt32.max) else { return nil }
    var rowid: Int64 = 0
    if kind == .tableLeaf {
      guard let key = varint(at: &place) else { return nil }
      rowid = Int64(bitPattern: key)
    }
    let size = Int(payload)
    let largest = kind == .tableLeaf ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
    if size <= largest {
      guard place + size <= usableSize else { return nil }
      return Cell(rowid: rowid, size: size, start: place, count: size, overflow: 0)
    }
    let least = (usableSize - 12) * 32 / 255 - 23
    let fitted = least + (size - least) % (usableSize - 4)
    let count = fitted <= largest ? fitted : least
    guard place + count + 4 <= usableSize else { return nil }
    return Cell(
      rowid: rowid, size: size, start: place, count: count,
      overflow: bytes.bigEndian32(at: place + count))
  }

  /// Calls `body` with the first page of each payload that does not fit into its cell.
  ///
  /// - Returns: Whether all cells could be read.
  /// - Complexity: O(cells).
  func forEachOverflow(_ body: (UInt32) -> Void) -> Bool {
    guard hasContent else { return true }
    var isSound = true
    for index in 0..<cellCount {
      guard let cell = cell(at: index) else {
        isSound = false
        continue
      }
      if cell.size > cell.count { body(cell.overflow) }
    }
    return isSound
  }

  private func varint(at place: inout Int) -> UInt64? { bytes.varint(at: &place, end: usableSize) }
}

extension UnsafeRawBufferPointer {
  /// The integer at `offset`, with its most significant byte first, as files of SQLite have them.
  func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// The integer at `offset`, with its most significant byte first.
  func bigEndian16(at offset: Int) -> UInt16 {
    UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// Reads an integer of one to nine bytes, seven bits of each and all eight of the ninth; `nil` when it
  /// doesn't end before `end`.
  func varint(at place: inout Int, end: Int) -> UInt64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard place < end else { return nil }
      let byte = self[place]
      place += 1
      if index == 8 { return value << 8 | UInt64(byte) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return value }
    }
    return value
  }
}
