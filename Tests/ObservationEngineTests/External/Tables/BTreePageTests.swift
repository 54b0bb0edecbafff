import TestSupport
import Testing

@testable import ObservationEngine

/// What is read of a page of a b-tree.
@Suite
struct BTreePageTests {
  private func parse(_ bytes: [UInt8], number: UInt32 = 2, _ body: (BTreePage?) throws -> Void)
    rethrows
  {
    try bytes.withUnsafeBytes { try body(BTreePage($0, number: number, usableSize: bytes.count)) }
  }

  /// A page with cells at the places that are given.
  private func page(
    kind: UInt8, cells: [(place: Int, bytes: [UInt8])], right: UInt32 = 0, size: Int = 512
  ) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: size)
    page[0] = kind
    page[4] = UInt8(cells.count)
    let isInterior = kind == 2 || kind == 5
    if isInterior { page.replaceSubrange(8..<12, with: bytes(right)) }
    for (index, cell) in cells.enumerated() {
      let pointer = (isInterior ? 12 : 8) + 2 * index
      page[pointer] = UInt8(cell.place >> 8)
      page[pointer + 1] = UInt8(cell.place & 255)
      let end = min(size, cell.place + cell.bytes.count)
      if cell.place < end {
        page.replaceSubrange(cell.place..<end, with: cell.bytes.prefix(end - cell.place))
      }
    }
    return page
  }

  private func bytes(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }

  @Test
  func `an interior page names its children from left to right`() {
    for kind in [2, 5] as [UInt8] {
      let page = page(
        kind: kind, cells: [(300, bytes(7) + [1]), (200, bytes(5) + [2])], right: 9)
      parse(page) { #expect($0?.children(pageCount: 10) == [7, 5, 9]) }
      parse(page) { #expect($0?.children(pageCount: 8) == nil, "9 is beyond the file") }
    }
  }

  @Test
  func `a leaf has no children, and other bytes are no page`() {
    parse(page(kind: 13, cells: [])) {
      #expect($0?.kind == .tableLeaf)
      #expect($0?.children(pageCount: 10) == nil)
    }
    for kind in [0, 1, 3, 6, 14, 255] as [UInt8] {
      parse(page(kind: kind, cells: [])) { #expect($0 == nil) }
    }
  }

  @Test
  func `page 1 begins after the header of the file`() {
    var first = [UInt8](repeating: 0xaa, count: 100) + page(kind: 13, cells: [])
    first.removeLast(100)
    parse(first, number: 1) { #expect($0?.kind == .tableLeaf) }
    parse(first, number: 2) { #expect($0 == nil) }
  }

  @Test
  func `more cells than a page has room for are no page`() {
    var page = page(kind: 13, cells: [])
    page[3] = 0xff
    parse(page) { #expect($0 == nil) }
  }

  @Test
  func `cells outside of the page are refused`() {
    for place in [509, 511, 512, 60_000] {
      parse(page(kind: 5, cells: [(place, bytes(3))], right: 4)) {
        #expect($0?.children(pageCount: 10) == nil)
      }
      parse(page(kind: 13, cells: [(place, [0xff, 0xff, 0xff, 0xff])])) {
        #expect($0?.forEachOverflow { _ in } == false)
      }
    }
  }

  @Test
  func `a length of nine bytes is read, and one that is larger than any file refused`() {
    let length = [UInt8](repeating: 0xff, count: 9)
    parse(page(kind: 13, cells: [(100, length + [1])])) {
      #expect($0?.forEachOverflow { _ in } == false)
    }
  }

  @Test(arguments: [512, 1024, 4096, 65_536], [0, 17])
  func `the first pages of long rows are those that dbstat finds`(
    _ size: Int, reserved: Int
  ) throws {
    let folder = try TemporaryFolder()
    let plain = try PlainConnection(folder.path("long.db"))
    plain.reserve(reserved)
    try plain.run(
      """
      PRAGMA page_size = \(size); PRAGMA auto_vacuum = 0;
      CREATE TABLE a (id INTEGER PRIMARY KEY, body BLOB); CREATE INDEX i ON a (body);
      """)
    // Lengths about which it is decided whether a row fits.
    let usable = size - reserved
    let index = (usable - 12) * 64 / 255 - 23
    for length in [index, usable - 35, usable, 3 * usable] {
      for near in -4...4 {
        try plain.run("INSERT INTO a (body) VALUES (zeroblob(\(length + near)))")
      }
    }
    let pages = try plain.texts(
      "SELECT pageno FROM dbstat WHERE pagetype IN ('leaf', 'internal') ORDER BY pageno"
    ).compactMap { Int($0) }
    // The path of an overflow page ends with its place in the chain.
    let expected = try plain.texts(
      "SELECT pageno FROM dbstat WHERE pagetype = 'overflow' AND path LIKE '%+000000' ORDER BY 1"
    ).compactMap { UInt32($0) }
    plain.close()
    let file = try folder.bytes("long.db")
    var found: [UInt32] = []
    for number in pages {
      let bytes = Array(file[(number - 1) * size..<number * size])
      try bytes.withUnsafeBytes {
        let page = try #require(BTreePage($0, number: UInt32(number), usableSize: usable))
        #expect(page.forEachOverflow { found.append($0) })
      }
    }
    #expect(found.sorted() == expected)
    #expect(!expected.isEmpty)
  }
}
