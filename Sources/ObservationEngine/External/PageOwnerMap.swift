/// Which b-tree each page of a database belongs to.
///
/// There are two: ``PointerMap`` reads what an auto-vacuum database keeps of itself, ``TreeMap`` walks
/// the interior pages of the trees of any other.
protocol PageOwnerMap {
  /// To whom a page belonged when the map was last brought up to date.
  mutating func owner(of page: UInt32) throws(PageMapFailure) -> PageOwner

  /// Brings the map up to date.
  ///
  /// - Parameters:
  ///   - changed: The pages that have frames since, each once.
  ///   - reader: Reads these alone.
  /// - Returns: The other pages that left their trees.
  mutating func update(
    changed: [UInt32], _ reader: PageReader
  ) throws(PageMapFailure) -> DroppedPages

  /// Whether a page that belongs to a tree is a part of it, and not of one of its long rows.
  func isTreePage(_ page: UInt32) -> Bool

  /// The page of the tree that has the row of which an overflow page holds a part; `nil` when that isn't known.
  func holder(ofOverflow page: UInt32) -> UInt32?

  /// Whether pages without an owner are worth a search.
  var wantsSearch: Bool { get }

  /// Searches some more pages for what belongs to them.
  ///
  /// - Parameters:
  ///   - reader: Reads every page, as of the state that the map has.
  ///   - isOver: Whether to leave the rest for the next time.
  mutating func search(_ reader: PageReader, until isOver: () -> Bool) throws(PageMapFailure)

  /// The number of pages in the database when the map was last brought up to date.
  var pageCount: UInt32 { get }
}

/// To whom a page belongs.
enum PageOwner: Equatable {
  /// The b-tree with its root in this page.
  case tree(UInt32)
  /// None: any tree can take it.
  case free
  /// Unknown: it may have a part of a long row of some table.
  case unknown
}

/// Pages that left their trees between two states, and were not written.
struct DroppedPages {
  /// With the root of the tree that each belonged to.
  var pages: [(page: UInt32, root: UInt32)] = []
  /// Whether these are all.
  var isComplete = true

  /// More of them aren't named.
  static let limit = 10_000

  mutating func append(_ page: UInt32, of root: UInt32) {
    guard pages.count < Self.limit else { return isComplete = false }
    pages.append((page, root))
  }
}

/// Why a map cannot be made, or be kept up to date.
enum PageMapFailure: Error, Equatable {
  /// The pages do not agree with each other.
  case inconsistent(String)
  /// The WAL restarted while it was read.
  case outdated
  /// It would take too long.
  case tooLong

  init(_ failure: PageReader.Failure) {
    switch failure {
    case .outdated: self = .outdated
    case .tooLate: self = .tooLong
    case .outside(let page): self = .inconsistent("page \(page) is outside of the file")
    }
  }
}

extension PageReader {
  /// As ``read(_:count:)``, with the errors of a map.
  func image(_ page: UInt32, count: Int? = nil) throws(PageMapFailure) -> UnsafeRawBufferPointer {
    do {
      return try read(page, count: count)
    } catch {
      throw PageMapFailure(error)
    }
  }

  /// A page of a b-tree.
  func treePage(_ page: UInt32) throws(PageMapFailure) -> BTreePage {
    guard let parsed = BTreePage(try image(page), number: page, usableSize: usableSize) else {
      throw .inconsistent("page \(page) isn't a page of a b-tree")
    }
    return parsed
  }
}

/// The page that holds the byte at which SQLite locks the file; it is never used.
enum LockPage {
  static func number(pageSize: Int) -> UInt32 { UInt32(0x4000_0000 / pageSize) + 1 }
}
