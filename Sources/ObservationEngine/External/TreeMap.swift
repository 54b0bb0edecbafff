/// The owners of pages by walking the interior pages of all b-trees.
///
/// Leaves are known without being read: they are what the lowest interior pages name, for all leaves
/// of a b-tree are equally deep. Pages of long rows (overflow) are named by cells of leaves alone; as
/// long as they were not searched for, pages that are none of the known are ``PageOwner/unknown``.
///
/// What holds between two states of the database, and the map relies on:
/// - A page that changes its place or its role is written, and so is whatever names it.
/// - A page that is no longer named, and was not written, is free.
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
  private(set) var nodes: [UInt32: Node] = [:]
  /// How many pages the interior pages name, together.
  private(set) var childCount = 0
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
  /// Every page is claimed once, by the page that names it, or the walk ends with an error. So the
  /// number of pages bounds the steps of the walk and the memory of the map.
  ///
  /// - Parameter roots: The root pages of all tables and indexes.
  /// - Complexity: O(pages), by reading the interior pages, and one page for each hundreds of free ones.
  init(_ reader: PageReader, roots: [UInt32]) throws(PageMapFailure) {
    pageCount = reader.pageCount
    lockPage = LockPage.number(pageSize: reader.pageSize)
    kinds = Array(repeating: .unknown, count: Int(pageCount) + 1)
    self.roots = Array(repeating: 0, count: Int(pageCount) + 1)
    freeListHead = FreeList.Head(try reader.image(1, count: 100))
    if lockPage <= pageCount { kinds[Int(lockPage)] = .free }
    for root in [1] + roots { try walk(root, reader) }
    var next = freeListHead.firstTrunk
    while next != 0 {
      let trunk = try FreeList.Trunk(next, reader)
      for page in [next] + trunk.pages where page <= pageCount {
        guard kinds[Int(page)] == .unknown else {
          throw .inconsistent("page \(page) is used twice")
        }
        kinds[Int(page)] = .free
      }
      trunks[next] = trunk.next
      next = trunk.next
    }
    // When each page is accounted for there are no long rows, and nothing to search for.
    hasUnknownPages = kinds.dropFirst().contains(.unknown)
  }

  private mutating func walk(_ root: UInt32, _ reader: PageReader) throws(PageMapFailure) {
    var page = try reader.treePage(root)
    let isIndex = page.kind.isIndex
    try claimNew(root, page.kind.isInterior ? .interior : .rootLeaf, root)
    guard page.kind.isInterior else { return }
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
        let page = try reader.treePage(number)
        guard page.kind.isInterior, page.kind.isIndex == isIndex,
          let children = page.children(pageCount: pageCount)
        else { throw .inconsistent("page \(number) isn't an interior page") }
        for child in children {
          try claimNew(child, depth == 0 ? .leaf : .interior, root)
          if depth > 0 { next.append((child, number)) }
        }
        setNode(number, Node(parent: parent, children: children, isLowest: depth == 0))
      }
      level = next
    }
  }

  /// Claims an unclaimed page: no page belongs to two trees, nor twice to one. A circle ends here,
  /// and so do trees that share pages, whose walks would never end.
  private mutating func claimNew(
    _ page: UInt32, _ kind: Kind, _ root: UInt32
  ) throws(PageMapFailure) {
    guard kinds[Int(page)] == .unknown else { throw .inconsistent("page \(page) is used twice") }
    claim(page, kind, root)
  }

  /// Remembers an interior page, or forgets it.
  ///
  /// - Returns: What was known of it before.
  @discardableResult
  mutating func setNode(_ page: UInt32, _ node: Node?) -> Node? {
    let old = nodes.removeValue(forKey: page)
    if let node { nodes[page] = node }
    childCount += (node?.children.count ?? 0) - (old?.children.count ?? 0)
    return old
  }

  /// Says below which page an interior page is now.
  mutating func move(_ page: UInt32, below parent: UInt32) { nodes[page]?.parent = parent }

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

  func isTreePage(_ page: UInt32) -> Bool {
    guard page <= pageCount else { return false }
    return switch kinds[Int(page)] {
    case .leaf, .interior, .rootLeaf: true
    case .unknown, .free, .overflow: false
    }
  }

  func holder(ofOverflow page: UInt32) -> UInt32? { nil }

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
    // Pages freed long ago, whose list was not read, may be left: they count as possible row parts.
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
