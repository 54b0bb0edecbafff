/// The owners of pages by the pointer map of an auto-vacuum database, in which each page names the one
/// above it.
///
///     page 2         5 bytes for each of the pages 3, 4, …: a kind, and the page above
///     page 2 + n     the same for the n − 1 pages after it, and so on; n = usable size / 5 + 1
///
/// Source: https://www.sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages and `ptrmapPageno` of
/// SQLite's btree.c
struct PointerMap: PageOwnerMap {
  private enum Kind {
    static let root: UInt8 = 1
    static let free: UInt8 = 2
    static let firstOverflow: UInt8 = 3
    static let laterOverflow: UInt8 = 4
    static let tree: UInt8 = 5
  }

  private(set) var pageCount: UInt32
  /// By page number, as far as the pages of the map reach. Entries beyond the last page stay when the
  /// database shrinks: when it grows again, SQLite writes only those that become others.
  private var kinds: [UInt8]
  private var parents: [UInt32]
  private let usableSize: Int
  private let lockPage: UInt32
  /// The owners of overflow pages that were looked up since the last update, because a chain is
  /// climbed page by page.
  private var known: [UInt32: UInt32] = [:]

  /// Reads the whole pointer map.
  ///
  /// - Complexity: O(pages), by reading one page for each usableSize/5 of them.
  init(_ reader: PageReader) throws(PageMapFailure) {
    pageCount = reader.pageCount
    usableSize = reader.usableSize
    lockPage = LockPage.number(pageSize: reader.pageSize)
    kinds = []
    parents = []
    reach(pageCount)
    var page: UInt32 = 2
    while page <= pageCount {
      let next = page + span
      let place = page == lockPage ? page + 1 : page
      if place <= pageCount { take(try reader.image(place), of: place) }
      page = next
    }
  }

  /// From one page of the map to the next.
  private var span: UInt32 { UInt32(usableSize / 5) + 1 }

  /// The page of the map that has the entry of `page`.
  private func mapPage(of page: UInt32) -> UInt32 {
    guard page >= 2 else { return 0 }
    let first = (page - 2) / span * span + 2
    return first == lockPage ? first + 1 : first
  }

  private mutating func take(_ bytes: UnsafeRawBufferPointer, of mapPage: UInt32) {
    for page in (Int(mapPage) + 1)...(Int(mapPage) + usableSize / 5) {
      let offset = 5 * (page - Int(mapPage) - 1)
      kinds[page] = bytes[offset]
      parents[page] = bytes.bigEndian32(at: offset + 1)
    }
  }

  /// - Complexity: O(depth of the tree); of a long row O(its pages) for all of them together.
  mutating func owner(of page: UInt32) throws(PageMapFailure) -> PageOwner {
    // The pages of the map itself belong to no tree.
    if page == lockPage || (page > 1 && mapPage(of: page) == page) { return .free }
    var climbed: [UInt32] = []
    var current = page
    var level = 0
    for _ in 0...pageCount {
      if current == 1 { return remember(climbed, 1) }
      guard current >= 2, current <= pageCount else { break }
      switch kinds[Int(current)] {
      case Kind.root: return remember(climbed, current)
      case Kind.free where current == page: return .free
      case Kind.laterOverflow:
        if let root = known[current] { return remember(climbed, root) }
        climbed.append(current)
      case Kind.firstOverflow, Kind.tree:
        // Overflow pages are climbed once, but of a tree each page climbs for itself.
        level += 1
        guard level <= TreeMap.deepest else {
          throw .inconsistent("the pointer map has a tree that is too deep above page \(page)")
        }
      default:
        throw .inconsistent("the pointer map has no valid entry for page \(current)")
      }
      current = parents[Int(current)]
    }
    throw .inconsistent("the pointer map leads nowhere from page \(page)")
  }

  private mutating func remember(_ pages: [UInt32], _ root: UInt32) -> PageOwner {
    for page in pages { known[page] = root }
    return .tree(root)
  }

  func isTreePage(_ page: UInt32) -> Bool {
    guard page > 1, page <= pageCount, mapPage(of: page) != page else { return page == 1 }
    return kinds[Int(page)] == Kind.root || kinds[Int(page)] == Kind.tree
  }

  func holder(ofOverflow page: UInt32) -> UInt32? {
    var current = page
    for _ in 0...pageCount where current > 1 && current <= pageCount {
      switch kinds[Int(current)] {
      case Kind.firstOverflow: return parents[Int(current)]
      case Kind.laterOverflow: current = parents[Int(current)]
      default: return nil
      }
    }
    return nil
  }

  /// - Complexity: O(changed pages + entries in those of the map among them).
  mutating func update(
    changed: [UInt32], _ reader: PageReader
  ) throws(PageMapFailure) -> DroppedPages {
    let candidates = try leaving(changed, reader)
    if !known.isEmpty { known = [:] }
    resize(to: reader.pageCount)
    for page in changed where page > 1 && page <= pageCount && mapPage(of: page) == page {
      take(try reader.image(page), of: page)
    }
    var dropped = DroppedPages(isComplete: candidates.isComplete)
    for (page, root) in candidates.pages {
      // It may hang below another page of the same tree by now.
      if isTreePage(page), try owner(of: page) == .tree(root) { continue }
      dropped.append(page, of: root)
    }
    return dropped
  }

  /// The pages of trees that were not written, and of which the entry was, or that are beyond the new end.
  private mutating func leaving(
    _ changed: [UInt32], _ reader: PageReader
  ) throws(PageMapFailure) -> DroppedPages {
    var candidates = DroppedPages()
    func isUnwritten(_ page: UInt32) -> Bool { reader.frames[page] == nil }
    for map in changed where map > 1 && map <= reader.pageCount && mapPage(of: map) == map {
      let bytes = try reader.image(map)
      for page in map + 1...map + UInt32(usableSize / 5) where page <= pageCount {
        let offset = 5 * Int(page - map - 1)
        guard isTreePage(page), isUnwritten(page),
          kinds[Int(page)] != bytes[offset]
            || parents[Int(page)] != bytes.bigEndian32(at: offset + 1),
          case .tree(let root) = try owner(of: page)
        else { continue }
        candidates.append(page, of: root)
      }
    }
    guard reader.pageCount < pageCount else { return candidates }
    for page in reader.pageCount + 1...pageCount where isTreePage(page) && isUnwritten(page) {
      guard case .tree(let root) = try owner(of: page) else { continue }
      candidates.append(page, of: root)
    }
    return candidates
  }

  private mutating func resize(to count: UInt32) {
    pageCount = count
    reach(count)
  }

  /// Makes room for all entries of the page of the map that has the entry of `page`.
  private mutating func reach(_ page: UInt32) {
    let more = Int(mapPage(of: max(page, 2))) + usableSize / 5 + 1 - kinds.count
    guard more > 0 else { return }
    kinds.append(contentsOf: repeatElement(0, count: more))
    parents.append(contentsOf: repeatElement(0, count: more))
  }

  /// The map knows all pages.
  var wantsSearch: Bool { false }

  mutating func search(_ reader: PageReader, until isOver: () -> Bool) {}
}
