/// Collects, of the tables of which rows must be known, the pages that a commit changed.
struct PagesOfTables {
  private let interest: TableTracker.Interest?
  private var tables: [TableID: (pages: TreeDelta.Pages, interest: TableInterest)] = [:]
  /// The old places of overflow pages that were written: their rows are compared as a whole.
  private var holders: [TableID: Set<UInt32>] = [:]
  private var count = 0
  /// Why rows of this commit aren't known.
  private var failure: RowsUnknown?

  init(_ interest: TableTracker.Interest?) { self.interest = interest }

  /// The pages of a table, and how much of its rows must be known; `nil` when that it changed is enough.
  subscript(
    table: TableID
  ) -> Result<(pages: TreeDelta.Pages, interest: TableInterest), RowsUnknown>? {
    guard let found = tables[table] else { return nil }
    return failure.map { .failure($0) } ?? .success(found)
  }

  /// Begins to collect the pages of a table, if its rows matter.
  mutating func begin(_ table: TableID) {
    guard !table.name.hasPrefix("sqlite_"), let interest = interest?(table) else { return }
    tables[table] = (TreeDelta.Pages(), interest)
  }

  /// Adds a page that was written, of a table as it was.
  mutating func note(_ page: UInt32, of table: TableID, before map: any PageOwnerMap) {
    guard tables[table] != nil, isInBounds() else { return }
    guard !map.isTreePage(page) else {
      tables[table]!.pages.before.insert(page)
      return
    }
    tables[table]!.pages.overflow.insert(page)
    guard let holder = map.holder(ofOverflow: page), map.isTreePage(holder) else { return }
    tables[table]!.pages.before.insert(holder)
    holders[table, default: []].insert(holder)
  }

  /// Adds the pages that were written, of the tables as they are, and those that left them.
  mutating func note(
    _ changed: [UInt32], _ dropped: DroppedPages, after map: inout any PageOwnerMap,
    _ roots: SchemaRoots
  ) throws(PageMapFailure) {
    guard !tables.isEmpty, failure == nil else { return }
    guard dropped.isComplete else { return failure = .tooManyPages }
    for page in changed where page > 1 && page <= map.pageCount && map.isTreePage(page) {
      guard case .tree(let root) = try map.owner(of: page),
        case .table(let table) = roots.tree(at: root), tables[table] != nil, isInBounds()
      else { continue }
      tables[table]!.pages.after.insert(page)
    }
    for (page, root) in dropped.pages {
      guard case .table(let table) = roots.tree(at: root), tables[table] != nil, isInBounds()
      else { continue }
      tables[table]!.pages.before.insert(page)
    }
    for (table, pages) in holders {
      for page in pages where page <= map.pageCount && map.isTreePage(page) {
        guard case .tree(let root) = try map.owner(of: page),
          roots.tree(at: root) == .table(table)
        else { continue }
        tables[table]!.pages.after.insert(page)
      }
    }
  }

  private mutating func isInBounds() -> Bool {
    count += 1
    if count > TreeDelta.Bounds.pages { failure = .tooManyPages }
    return failure == nil
  }
}
