internal import Glibc

/// The content that one b-tree has gained and lost between two states, found from the pages that differ.
///
/// A table with rowids is the disjoint union of the cells of its leaves; a WITHOUT ROWID table, which is an
/// index, that of the cells of all its pages. So the cells of the pages that were written or dropped, as they
/// were, less the cells of the pages that were written or added, as they are, are what the tree has lost;
/// and the reverse is what it has gained. Splits, merges and cells that moved cancel out.
///
/// Long rows continue on overflow pages, which can be written without the page that has the cell. Then cells
/// are compared with all that they continue on, and each such page must be found below a cell.
///
/// Nothing that a page says is trusted: every walk is bounded by the size that the cell claims, that size by
/// ``Bounds``, and no read leaves the page.
struct TreeDelta {
  /// A row as it is stored.
  struct Record {
    /// The key in a table with rowids; 0 in one without.
    let rowid: Int64
    let payload: [UInt8]
  }

  /// The pages of a tree that differ.
  struct Pages {
    /// Pages of the tree as it was that were written, or left it.
    var before: Set<UInt32> = []
    /// Pages of the tree as it is that were written, or joined it.
    var after: Set<UInt32> = []
    /// Overflow pages of the tree as it was that were written.
    var overflow: Set<UInt32> = []

    var count: Int { before.count + after.count + overflow.count }
  }

  /// What a delta may cost: beyond it, running the queries again costs less.
  enum Bounds {
    /// Old and new pages of one commit, together.
    static let pages = 2_000
    /// Rows and bytes of one table, as for own commits.
    static let rows = TableCapture.rowLimit
    static let bytes = 2 * TableCapture.byteLimit
    /// Nanoseconds for one commit.
    static let time: UInt64 = 500_000_000
  }

  private(set) var lost: [Record] = []
  private(set) var gained: [Record] = []

  private let history: PageHistory
  /// Overflow pages that were written, and that no cell has led to so far.
  private var unreached: Set<UInt32>
  /// Cells are compared with all that they continue on.
  private let followsChains: Bool
  private var byteCount = 0

  /// A cell and the image that it stands in.
  private struct Place {
    let image: Int
    let cell: BTreePage.Cell
  }

  /// Compares the pages.
  ///
  /// - Throws: ``RowsUnknown`` or `PageMapFailure`.
  /// - Complexity: O(bytes of the pages, and of the long rows that differ).
  init(
    _ pages: Pages, of history: PageHistory, from old: PageHistory.Position,
    to new: PageHistory.Position
  ) throws {
    self.history = history
    unreached = pages.overflow
    followsChains = !pages.overflow.isEmpty
    var before = Side(history, old)
    var after = Side(history, new)
    var lost: [Place] = []
    var gained: [Place] = []
    for page in pages.before.union(pages.after) {
      let first = pages.before.contains(page) ? try before.load(page) : nil
      let second = pages.after.contains(page) ? try after.load(page) : nil
      let (start, end) = try trim(first, second, before, after)
      if let first { lost += try before.cells(of: first, from: start, trailing: end) }
      if let second { gained += try after.cells(of: second, from: start, trailing: end) }
      guard lost.count + gained.count <= 4 * Bounds.rows else { throw RowsUnknown.tooManyRows }
    }
    cancel(&lost, &gained, before, after)
    guard lost.count <= Bounds.rows, gained.count <= Bounds.rows else {
      throw RowsUnknown.tooManyRows
    }
    self.lost = try lost.map { try record($0, before, isOld: true) }
    self.gained = try gained.map { try record($0, after, isOld: false) }
    guard unreached.isEmpty else {
      throw RowsUnknown(reason: "a part of a long row was written, and whose row it is isn't known")
    }
  }

  // MARK: - Cells

  /// The images of one state.
  private struct Side {
    let history: PageHistory
    let position: PageHistory.Position
    private(set) var pages: [(image: PageImage, parsed: BTreePage)] = []

    init(_ history: PageHistory, _ position: PageHistory.Position) {
      self.history = history
      self.position = position
    }

    mutating func load(_ number: UInt32) throws -> Int {
      let image = PageImage(try history.read(number, at: position))
      guard
        let parsed = BTreePage(image.bytes, number: number, usableSize: history.form.usableSize)
      else { throw PageMapFailure.inconsistent("page \(number) is no page of a b-tree") }
      pages.append((image, parsed))
      return pages.count - 1
    }

    func count(_ page: Int) -> Int { pages[page].parsed.hasContent ? pages[page].parsed.count : 0 }

    func cell(_ index: Int, of page: Int) throws -> BTreePage.Cell {
      guard let cell = pages[page].parsed.cell(at: index) else {
        throw PageMapFailure.inconsistent("a cell cannot be read")
      }
      return cell
    }

    func cells(of page: Int, from start: Int, trailing end: Int) throws -> [Place] {
      try (start..<count(page) - end).map { Place(image: page, cell: try cell($0, of: page)) }
    }

    func bytes(_ place: Place) -> UnsafeRawBufferPointer {
      let cell = place.cell
      return UnsafeRawBufferPointer(
        rebasing: pages[place.image].image.bytes[cell.start..<cell.start + cell.count])
    }
  }

  /// How many cells at the beginning and at the end of two images of a page are the same.
  private func trim(
    _ first: Int?, _ second: Int?, _ before: Side, _ after: Side
  ) throws -> (start: Int, end: Int) {
    guard let first, let second else { return (0, 0) }
    let (oldCount, newCount) = (before.count(first), after.count(second))
    let shorter = min(oldCount, newCount)
    func isSame(_ old: Int, _ new: Int) throws -> Bool {
      isEqual(
        Place(image: first, cell: try before.cell(old, of: first)), before,
        Place(image: second, cell: try after.cell(new, of: second)), after)
    }
    var start = 0
    while start < shorter, try isSame(start, start) { start += 1 }
    var end = 0
    while start + end < shorter, try isSame(oldCount - 1 - end, newCount - 1 - end) { end += 1 }
    return (start, end)
  }

  private func isEqual(_ old: Place, _ before: Side, _ new: Place, _ after: Side) -> Bool {
    let (a, b) = (old.cell, new.cell)
    guard a.rowid == b.rowid, a.size == b.size, a.count == b.count, a.overflow == b.overflow,
      a.overflow == 0 || !followsChains
    else { return false }
    let (left, right) = (before.bytes(old), after.bytes(new))
    return a.count == 0 || memcmp(left.baseAddress!, right.baseAddress!, a.count) == 0
  }

  /// Takes away what both sides have.
  private func cancel(_ lost: inout [Place], _ gained: inout [Place], _ before: Side, _ after: Side)
  {
    guard !lost.isEmpty, !gained.isEmpty else { return }
    var byHash: [Int: [Int]] = [:]
    for (index, place) in lost.enumerated() {
      byHash[hash(place, before), default: []].append(index)
    }
    var isGone = [Bool](repeating: false, count: lost.count)
    gained.removeAll { new in
      let key = hash(new, after)
      guard let candidates = byHash[key],
        let found = candidates.firstIndex(where: { isEqual(lost[$0], before, new, after) })
      else { return false }
      isGone[candidates[found]] = true
      byHash[key]!.remove(at: found)
      return true
    }
    var index = -1
    lost.removeAll { _ in
      index += 1
      return isGone[index]
    }
  }

  private func hash(_ place: Place, _ side: Side) -> Int {
    var hasher = Hasher()
    hasher.combine(place.cell.rowid)
    hasher.combine(bytes: side.bytes(place))
    return hasher.finalize()
  }

  // MARK: - Long rows

  /// The whole content of a cell.
  private mutating func record(_ place: Place, _ side: Side, isOld: Bool) throws -> Record {
    let cell = place.cell
    byteCount += cell.size
    guard byteCount <= Bounds.bytes else { throw RowsUnknown.tooManyBytes }
    var payload: [UInt8] = []
    payload.reserveCapacity(cell.size)
    payload += side.bytes(place)
    var next = cell.overflow
    while payload.count < cell.size {
      let page = try history.read(next, at: side.position)
      if isOld { unreached.remove(next) }
      next = page.bigEndian32(at: 0)
      let count = min(cell.size - payload.count, history.form.usableSize - 4)
      payload += page[4..<4 + count]
    }
    return Record(rowid: cell.rowid, payload: payload)
  }
}

/// A copy of a page.
private final class PageImage {
  let bytes: UnsafeRawBufferPointer

  init(_ page: UnsafeRawBufferPointer) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: page.count, alignment: 8)
    copy.copyMemory(from: page)
    bytes = UnsafeRawBufferPointer(copy)
  }

  deinit { bytes.deallocate() }
}

/// Why the rows that a commit changed in a table aren't known.
struct RowsUnknown: Error, Equatable {
  let reason: String

  static let tooManyRows = RowsUnknown(
    reason: "more than \(TableCapture.rowLimit / 1000) 000 rows changed")
  static let tooManyBytes = RowsUnknown(
    reason: "more than \(TableCapture.byteLimit / 1_000_000) MB of rows changed")
  static let tooManyPages = RowsUnknown(
    reason: "more than \(TreeDelta.Bounds.pages / 1000) 000 old and new pages differ")
}
