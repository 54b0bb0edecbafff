/// The list of free pages: a chain of pages (trunks) that each list some others.
///
/// Source: https://www.sqlite.org/fileformat2.html#the_freelist
enum FreeList {
  /// Where it starts, according to page 1.
  struct Head: Equatable {
    let firstTrunk: UInt32
    let count: UInt32

    /// - Parameter bytes: Page 1, or its first 100 bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
      firstTrunk = bytes.bigEndian32(at: 32)
      count = bytes.bigEndian32(at: 36)
    }
  }

  /// One trunk.
  struct Trunk {
    let next: UInt32
    let pages: [UInt32]

    init(_ number: UInt32, _ reader: PageReader) throws(PageMapFailure) {
      let bytes = try reader.image(number)
      next = bytes.bigEndian32(at: 0)
      let count = Int(bytes.bigEndian32(at: 4))
      guard count <= reader.usableSize / 4 - 2 else {
        throw .inconsistent("page \(number) lists more free pages than it can")
      }
      pages = (0..<count).map { bytes.bigEndian32(at: 8 + 4 * $0) }
    }
  }

}
