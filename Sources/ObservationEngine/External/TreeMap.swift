/// The owners of pages by walking the interior pages of all b-trees.
///
/// Leaves are known without being read: they are what the lowest interior pages name, for all leaves
/// of a b-tree are equally deep. Pages of long rows (overflow) are named by cells of leaves alone; as
/// long as they were not searched for, pages that are none of the known are ``PageOwner/unknown``.
///
/// What holds between two states of the database, and the map relies on:
/// - A page that changes its place or its role is written, and so is whatever names it.
/// - A page that is named no more, and was not written, is free.
///
/// See `TreeMap+Update.swift` for what follows from that.
struct TreeMap: PageOwnerMap {
  /// What a page is used for.
  enum Kind: UInt8 {
    case unknown, free, leaf, interior, overflow
    /// A leaf that is the root as well: it becomes an interior page without moving.
    case rootLeaf
  }

  /// An interior page.
  struct Node {
    var parent: UInt32
    var children: [UInt32]
    /// Whether the pages below are leaves.
    var isLowest: Bool
  }

  private(set) var pageCount: UInt32
  /// By page number.
  var kinds: [Kind]
  /// The root of the tree that each page belongs to; 0 for none.
  var roots: [UInt32]
  var nodes: [UInt32: Node] = [:]
  /// The pages that list free ones, each with the next of them.
  var trunks: [UInt32: UInt32] = [:]
  var freeListHead: FreeList.Head
  /// How far the search for overflow pages has come; `nil` before it is asked for.
  var searched: UInt32?
  /// Whether a page without an owner can be a part of a long row.
  private(set) var hasUnknownPages = false
  let lockPage: UInt32

  /// The most levels that a tree can have, by SQLite's `BTCURSOR_MAX_DEPTH`.
  static let deepest = 20

  /// Walks all trees.
  ///
  /// - Parameters:
  ///   - roots: The root pages of all tables and indexes.
  ///   - isOver: Whether it takes too long.
  /// - Complexity: O(pages), by reading the interior pages, and one page for each hundreds of free ones.
  init(
    _ reader: PageReader, roots: [UInt32], until isOver: () -> Bool
  ) throws(PageMapFailure) {
    pageCount = reader.pageCount
    lockPage = LockPage.number(pageSize: reader.pageSize)
    kinds = Array(repeating: .unknown, count: Int(pageCount) + 1)
    self.roots = Array(repeating: 0, count: Int(pageCount) + 1)
    freeListHead = FreeList.Head(try reader.image(1, count: 100))
    if lockPage <= pageCount { kinds[Int(lockPage)] = .free }
    for root in [1] + roots { try walk(root, reader, isOver) }
    for (trunk, entries) in try FreeList.all(from: freeListHead, reader, isOver) {
      trunks[trunk] = entries.next
      kinds[Int(trunk)] = .free
      for page in entries.pages where page <= pageCount { kinds[Int(page)] = .free }
    }
    // When each page is accounted for there are no long rows, and nothing to search for.
    hasUnknownPages = kinds.dropFirst().contains(.unknown)
  }

  private mutating func walk(
    _ root: UInt32, _ reader: PageReader, _ isOver: () -> Bool
  ) throws(PageMapFailure) {
    var page = try reader.treePage(root)
    let isIndex = page.kind.isIndex
    guard page.kind.isInterior else { return claim(root, .rootLeaf, root) }
    // Down the left side to learn how deep the tree is.
    var depth = 0
    var leftmost: UInt32 = root
    while page.kind.isInterior {
      depth += 1
      guard depth <= Self.deepest, let children = page.children(pageCount: pageCount) else {
        throw .inconsistent("page \(leftmost) cannot be read")
      }
      leftmost = children[0]
      page = try reader.treePage(leftmost)
    }
    var level: [(page: UInt32, parent: UInt32)] = [(root, 0)]
    while depth > 0 {
      depth -= 1
      var next: [(page: UInt32, parent: UInt32)] = []
      for (number, parent) in level {
        if isOver() { throw .tooLong }
        // Nothing belongs to two trees, nor twice to one: a circle ends here.
        guard kinds[Int(number)] == .unknown else {
          throw .inconsistent("page \(number) is used twice")
        }
        let page = try reader.treePage(number)
        guard page.kind.isInterior, page.kind.isIndex == isIndex,
          let children = page.children(pageCount: pageCount)
        else { throw .inconsistent("page \(number) is no interior page") }
        nodes[number] = Node(parent: parent, children: children, isLowest: depth == 0)
        claim(number, .interior, root)
        if depth == 0 {
          for child in children {
            guard kinds[Int(child)] == .unknown else {
              throw .inconsistent("page \(child) is used twice")
            }
            claim(child, .leaf, root)
          }
        } else {
          for child in children { next.append((child, number)) }
        }
      }
      level = next
    }
  }

  mutating func claim(_ page: UInt32, _ kind: Kind, _ root: UInt32) {
    kinds[Int(page)] = kind
    roots[Int(page)] = root
  }

  func owner(of page: UInt32) -> PageOwner {
    guard page <= pageCount else { return .free }
    switch kinds[Int(page)] {
    case .free: return .free
    case .unknown: return .unknown
    case .leaf, .interior, .overflow, .rootLeaf: return .tree(roots[Int(page)])
    }
  }

  mutating func resize(to count: UInt32) {
    guard count != pageCount else { return }
    let more = Int(count) - Int(pageCount)
    if more > 0 {
      kinds.append(contentsOf: repeatElement(.unknown, count: more))
      roots.append(contentsOf: repeatElement(0, count: more))
    } else {
      kinds.removeLast(-more)
      roots.removeLast(-more)
    }
    pageCount = count
    if more > 0, lockPage <= count { kinds[Int(lockPage)] = .free }
  }

  /// Takes note that a page has no owner, because what names it was not found.
  mutating func disown(_ page: UInt32) {
    kinds[Int(page)] = .unknown
    roots[Int(page)] = 0
    hasUnknownPages = true
  }

  // MARK: - Searching

  var wantsSearch: Bool { hasUnknownPages && (searched ?? 0) < pageCount }

  mutating func search(
    _ reader: PageReader, until isOver: () -> Bool
  ) throws(PageMapFailure) {
    var page = searched ?? 0
    while page < pageCount {
      page += 1
      do {
        try search(page, reader)
      } catch .inconsistent {
        // What is damaged keeps pages without an owner.
      }
      searched = page
      if isOver() { return }
    }
    // Pages freed long ago that no list was read of may be left: they are taken for somebody's.
    hasUnknownPages = kinds.dropFirst().contains(.unknown)
  }

  /// Follows the long rows of one page.
  private mutating func search(_ page: UInt32, _ reader: PageReader) throws(PageMapFailure) {
    switch kinds[Int(page)] {
    case .leaf, .rootLeaf, .interior: break
    case .unknown, .free, .overflow: return
    }
    let root = roots[Int(page)]
    for var next in try overflows(of: page, reader) {
      // What has an owner was followed before, and a circle ends at it as well.
      while next >= 1, next <= pageCount, kinds[Int(next)] == .unknown {
        claim(next, .overflow, root)
        next = try reader.image(next, count: 4).bigEndian32(at: 0)
      }
    }
  }

  /// The first pages of the long rows in a page.
  func overflows(of page: UInt32, _ reader: PageReader) throws(PageMapFailure) -> [UInt32] {
    var heads: [UInt32] = []
    guard try reader.treePage(page).forEachOverflow({ heads.append($0) }) else {
      throw .inconsistent("page \(page) has a cell that cannot be read")
    }
    return heads
  }
}
