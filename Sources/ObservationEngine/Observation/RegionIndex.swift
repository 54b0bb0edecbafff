/// Finds the observations that a commit may concern by what they read, so that a commit elsewhere
/// costs nothing, and one row costs the observations of that row.
struct RegionIndex {
  typealias MemberID = Int

  /// Who reads one table.
  private struct Readers {
    /// Members that read all of its rows, by what they read.
    var whole: [MemberID: Region.Part] = [:]
    /// Members that only read rows with some values, by column and value.
    var restricted: [RowRestriction.Column: [Value: Set<MemberID>]] = [:]
    var restrictedParts: [MemberID: Region.Part] = [:]
    /// What must be known of the table's changes; made when it is asked for.
    var interest: TableInterest?
    /// The epoch in which all of ``whole`` were found.
    var wholeFound: UInt64 = 0

    var isEmpty: Bool { whole.isEmpty && restrictedParts.isEmpty }
  }

  private var tables: [TableID: Readers] = [:]
  private var fullReaders: Set<MemberID> = []
  private var lastVersion: UInt64
  /// Counts how often observations may have become clean; see ``mayHaveBecomeClean()``.
  private var epoch: UInt64 = 1
  private var fullFound: UInt64 = 0

  /// - Parameter firstVersion: Where this index starts to number its readers' requests; two indexes
  ///   that answer for the same changes must never use the same number.
  init(firstVersion: UInt64 = 0) { lastVersion = firstVersion }

  mutating func insert(_ id: MemberID, reading region: Region) {
    if region.isFull {
      fullReaders.insert(id)
      fullFound = 0
    }
    for (table, part) in region.parts {
      tables[table, default: Readers()].interest = nil
      tables[table]?.wholeFound = 0
      guard let restriction = part.restriction else {
        tables[table]?.whole[id] = part
        continue
      }
      tables[table]?.restrictedParts[id] = part
      for value in restriction.values {
        tables[table]?.restricted[restriction.column, default: [:]][value, default: []].insert(id)
      }
    }
  }

  mutating func remove(_ id: MemberID, reading region: Region) {
    if region.isFull { fullReaders.remove(id) }
    for (table, part) in region.parts {
      tables[table]?.interest = nil
      tables[table]?.whole[id] = nil
      tables[table]?.restrictedParts[id] = nil
      if let restriction = part.restriction {
        for value in restriction.values {
          tables[table]?.restricted[restriction.column]?[value]?.remove(id)
          if tables[table]?.restricted[restriction.column]?[value]?.isEmpty == true {
            tables[table]?.restricted[restriction.column]?[value] = nil
          }
        }
      }
      if tables[table]?.isEmpty == true { tables[table] = nil }
    }
  }

  /// How much of a table's changes its readers need; `nil` when no member reads it.
  ///
  /// - Complexity: O(1); when a reader was added or removed, O(readers of the table).
  mutating func interest(in table: TableID) -> TableInterest? {
    guard let readers = tables[table] else { return nil }
    if let known = readers.interest { return known }
    var interest = TableInterest()
    for part in readers.whole.values { interest.formUnion(part) }
    for part in readers.restrictedParts.values { interest.formUnion(part) }
    lastVersion += 1
    interest.version = lastVersion
    tables[table]?.interest = interest
    return interest
  }

  /// Says that observations which were found before may be found again: they are being fetched.
  mutating func mayHaveBecomeClean() { epoch += 1 }

  /// The observations that `changeset` may concern; `nil` for all of them.
  ///
  /// Those that were found since ``mayHaveBecomeClean()`` may be left out: a writer of many small
  /// transactions pays once for them.
  ///
  /// - Complexity: O(readers of the changed tables); those of single rows count when theirs changed.
  mutating func affected(by changeset: Changeset) -> Set<MemberID>? {
    if changeset.isEmpty { return [] }
    guard case .tables(let changes) = changeset.extent else { return nil }
    var found = fullFound == epoch ? [] : fullReaders
    fullFound = epoch
    for (table, change) in changes {
      guard let readers = tables[table] else { continue }
      if change.affectsAllReaders {
        if readers.wholeFound != epoch { found.formUnion(readers.whole.keys) }
        tables[table]?.wholeFound = epoch
      } else {
        for (id, part) in readers.whole where change.affects(part) { found.insert(id) }
      }
      for column in readers.restricted.keys { find(in: readers, by: column, change, &found) }
    }
    return found
  }

  /// Adds the observations of single rows that `change` concerns.
  private func find(
    in readers: Readers, by column: RowRestriction.Column, _ change: TableChange,
    _ found: inout Set<MemberID>
  ) {
    let parts = readers.restrictedParts.lazy.filter { $0.value.restriction?.column == column }
    guard case .rows(let difference) = change, difference.isIndexed(by: column) else {
      for (id, part) in parts where change.affects(part) { found.insert(id) }
      return
    }
    if difference.interest.rowids != nil,
      difference.interest.version != readers.interest?.version
    {
      // An observation may have begun to read rows since that were not followed.
      for (id, part) in parts where !difference.interest.covers(part) { found.insert(id) }
    }
    let members = readers.restricted[column] ?? [:]
    for value in difference.touchedValues(column) {
      for id in members[value] ?? [] where !found.contains(id) {
        if let part = readers.restrictedParts[id], change.affects(part) { found.insert(id) }
      }
    }
  }
}
