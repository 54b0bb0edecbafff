// Keeping the map up to date from the pages that were written.
//
// 1. Trees with a written interior page or root are walked again from the top, only through written
//    pages and those that lead to them. A page is never read as what it used to be.
// 2. Pages that were named before, and are no longer, are free, unless they were written: then they
//    may be anything.
// 3. What the written part of the free list names is free.
// 4. Written pages whose role is still open can be parts of new long rows: the written leaves name
//    them. A chain of pages changes as a whole, so it is followed through written pages only.
// 5. A page that is still open has no owner, so its next change counts as one of every table.
//
// Every update ends, whatever the pages claim: a newly named page is visited once, other pages once
// for each page above them (``TreeMap/deepest`` at most), and a written page of the free list is
// read once. Memory is bounded because interior pages may not name more pages than exist.

extension TreeMap {
  mutating func update(
    changed: [UInt32], _ reader: PageReader
  ) throws(PageMapFailure) -> DroppedPages {
    // Only a VACUUM makes the database smaller, and that writes the schema.
    var dropped = DroppedPages(isComplete: reader.pageCount >= pageCount)
    resize(to: reader.pageCount)
    var walk = Walk(reader: reader)
    var isOpen = false
    for page in changed {
      guard page <= pageCount else { continue }
      switch kinds[Int(page)] {
      case .leaf: continue
      case .interior: try walk.note(page, nodes)
      case .rootLeaf: walk.trees.insert(page)
      case .unknown, .free, .overflow: isOpen = true
      }
    }
    for root in walk.trees { try visit(root, parent: 0, root: root, &walk) }
    for page in walk.left { leave(page, walk, &dropped) }
    guard childCount <= pageCount else { throw .inconsistent("pages are named more than once") }
    let freed = walk.wrote(1) ? try updateFreeList(reader) : []
    if isOpen || !walk.left.isEmpty { try settle(changed, freed, reader) }
    return dropped
  }

  /// What is found on the way through the trees.
  struct Walk {
    let reader: PageReader
    /// The roots of the trees to walk.
    var trees: Set<UInt32> = []
    /// Interior pages to visit, below each of those that lead to them.
    var onTheWay: [UInt32: [UInt32]] = [:]
    /// Those that are in ``onTheWay``.
    var noted: Set<UInt32> = []
    /// Pages that some interior page names that did not before.
    var found: Set<UInt32> = []
    /// Pages that an interior page no longer names.
    var left: [UInt32] = []
    /// How many pages lead to the one that is visited.
    var depth = 0

    init(reader: PageReader) { self.reader = reader }

    func wrote(_ page: UInt32) -> Bool { reader.frames[page] != nil }

    /// Notes that an interior page was written, and the way to it.
    mutating func note(
      _ page: UInt32, _ nodes: [UInt32: TreeMap.Node]
    ) throws(PageMapFailure) {
      var page = page
      for _ in 0...TreeMap.deepest {
        guard let parent = nodes[page]?.parent else { break }
        if parent == 0 {
          trees.insert(page)
          return
        }
        guard noted.insert(page).inserted else { return }
        onTheWay[parent, default: []].append(page)
        page = parent
      }
      throw .inconsistent("page \(page) hangs nowhere")
    }
  }

  private mutating func visit(
    _ page: UInt32, parent: UInt32, root: UInt32, _ walk: inout Walk
  ) throws(PageMapFailure) {
    walk.depth += 1
    defer { walk.depth -= 1 }
    guard walk.depth <= Self.deepest else { throw .inconsistent("a tree is too deep") }
    // It was below a page that was not written, when the database had more pages.
    guard page <= pageCount else { throw .inconsistent("page \(page) is beyond the end") }
    guard walk.wrote(page) else {
      // It is as it was, perhaps below another page.
      guard nodes[page] != nil, roots[Int(page)] == root else {
        throw .inconsistent("page \(page) is named as an interior page, and was none")
      }
      move(page, below: parent)
      for next in walk.onTheWay[page] ?? [] {
        try visit(next, parent: page, root: root, &walk)
      }
      return
    }
    let parsed = try walk.reader.treePage(page)
    var old = nodes[page]
    if let former = old, roots[Int(page)] != root {
      // It was of another tree, and so were the pages below, even those that are below it again.
      walk.left += former.children
      old = nil
    }
    guard parsed.kind.isInterior else {
      guard page == root else { throw .inconsistent("page \(page) isn't an interior page") }
      setNode(page, nil)
      walk.left += old?.children ?? []
      return claim(page, .rootLeaf, root)
    }
    guard let children = parsed.children(pageCount: pageCount) else {
      throw .inconsistent("page \(page) cannot be read")
    }
    let isLowest = try areLeaves(children, root, walk.reader)
    setNode(page, Node(parent: parent, children: children, isLowest: isLowest))
    claim(page, .interior, root)
    try compare(page, old, children, isLowest, root, &walk)
  }

  /// Visits what is new below a page, and what was written below it.
  private mutating func compare(
    _ page: UInt32, _ old: Node?, _ children: [UInt32], _ isLowest: Bool, _ root: UInt32,
    _ walk: inout Walk
  ) throws(PageMapFailure) {
    let before = old?.children ?? []
    // Most of them are the same, before and after one place.
    var start = 0
    var (endBefore, endAfter) = (before.count, children.count)
    if old?.isLowest == isLowest {
      let shorter = min(endBefore, endAfter)
      while start < shorter, before[start] == children[start] { start += 1 }
      while endBefore > start, endAfter > start, before[endBefore - 1] == children[endAfter - 1] {
        endBefore -= 1
        endAfter -= 1
      }
    }
    let gone = before[start..<endBefore]
    walk.left += gone
    for child in children[start..<endAfter] {
      guard walk.found.insert(child).inserted else {
        throw .inconsistent("page \(child) is named twice")
      }
      if isLowest {
        // Its children, when it was an interior page, are no longer below it.
        if let former = setNode(child, nil) { walk.left += former.children }
        claim(child, .leaf, root)
      } else {
        try visit(child, parent: page, root: root, &walk)
      }
    }
    guard !isLowest, let written = walk.onTheWay[page] else { return }
    let isGone = Set(gone)
    for next in written where !isGone.contains(next) && !walk.found.contains(next) {
      try visit(next, parent: page, root: root, &walk)
    }
  }

  /// Whether the pages below an interior page are leaves: all of them are, or none.
  private func areLeaves(
    _ children: [UInt32], _ root: UInt32, _ reader: PageReader
  ) throws(PageMapFailure) -> Bool {
    for child in children where reader.frames[child] == nil {
      // It was not written, and so is what it was, of the same tree.
      guard roots[Int(child)] == root else { continue }
      switch kinds[Int(child)] {
      case .leaf: return true
      case .interior: return false
      case .unknown, .free, .overflow, .rootLeaf: continue
      }
    }
    return try !reader.treePage(children[0]).kind.isInterior
  }

  /// A page that is named no more is free, with all below it that is named nowhere else.
  private mutating func leave(_ page: UInt32, _ walk: Walk, _ dropped: inout DroppedPages) {
    var pages = [page]
    while let page = pages.popLast() {
      guard !walk.found.contains(page) else { continue }
      if let node = setNode(page, nil) { pages += node.children }
      guard page <= pageCount else { continue }
      if walk.wrote(page) {
        disown(page)
      } else {
        if isTreePage(page) { dropped.append(page, of: roots[Int(page)]) }
        kinds[Int(page)] = .free
      }
    }
  }

  /// Marks what the written part of the list of free pages names.
  ///
  /// - Returns: The written pages among them.
  private mutating func updateFreeList(
    _ reader: PageReader
  ) throws(PageMapFailure) -> Set<UInt32> {
    let head = FreeList.Head(try reader.image(1, count: 100))
    guard head != freeListHead else { return [] }
    var freed: Set<UInt32> = []
    freeListHead = head
    var old = trunks
    trunks = [:]
    var next = head.firstTrunk
    while next != 0 {
      guard trunks[next] == nil, next <= pageCount else {
        throw .inconsistent("the list of free pages is a circle")
      }
      let number = next
      if reader.frames[number] == nil {
        guard let known = old.removeValue(forKey: number) else {
          throw .inconsistent("page \(number) lists free pages, and did not before")
        }
        next = known
      } else {
        let trunk = try FreeList.Trunk(number, reader)
        for page in [number] + trunk.pages where page <= pageCount {
          switch kinds[Int(page)] {
          case .leaf, .interior, .rootLeaf: throw .inconsistent("page \(page) is used twice")
          case .unknown, .free, .overflow: kinds[Int(page)] = .free
          }
          if reader.frames[page] != nil { freed.insert(page) }
        }
        next = trunk.next
      }
      trunks[number] = next
    }
    return freed
  }

  /// Finds the owners of written pages that aren't part of a tree.
  ///
  /// - Parameter freed: Those that the list of free pages names.
  private mutating func settle(
    _ changed: [UInt32], _ freed: Set<UInt32>, _ reader: PageReader
  ) throws(PageMapFailure) {
    var open: Set<UInt32> = []
    for page in changed where page <= pageCount && page != lockPage && !freed.contains(page) {
      switch kinds[Int(page)] {
      case .leaf, .interior, .rootLeaf: continue
      case .free, .unknown, .overflow: open.insert(page)
      }
    }
    guard !open.isEmpty else { return }
    for page in changed where page <= pageCount {
      switch kinds[Int(page)] {
      case .leaf, .rootLeaf, .interior: break
      case .unknown, .free, .overflow: continue
      }
      let root = roots[Int(page)]
      for var next in try overflows(of: page, reader) {
        while open.remove(next) != nil {
          claim(next, .overflow, root)
          next = try reader.image(next, count: 4).bigEndian32(at: 0)
        }
      }
    }
    // A part of a long row can be written without the leaf that names it: it keeps its owner.
    for page in open where kinds[Int(page)] != .overflow { disown(page) }
  }
}
