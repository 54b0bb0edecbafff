/// What a transaction did to one table.
package enum TableChange: Sendable, Equatable {
  /// The changed rows, as far as they were captured.
  case rows(RowDifference)
  /// The table changed, but its rows are unknown: not requested, too many, or indistinguishable.
  case bulk(reason: String)

  /// Rows by kind of change, and the columns in which updated rows differ.
  package static func rows(_ counts: Commit.RowCounts, updatedColumns: Set<String>) -> TableChange {
    .rows(RowDifference(counts: counts, updatedColumns: updatedColumns))
  }

  /// Whether the result of a query that reads `part` of the table may have changed.
  func affects(_ part: Region.Part) -> Bool {
    switch self {
    case .bulk: true
    case .rows(let difference): difference.affects(part)
    }
  }

  /// Whether it certainly concerns every query that reads all rows of the table.
  package var affectsAllReaders: Bool {
    switch self {
    case .bulk: true
    case .rows(let difference):
      // A row was inserted or deleted, and all rows were captured.
      difference.interest.rowids == nil
        && (difference.counts.inserted > 0 || difference.counts.deleted > 0)
    }
  }
}

/// The net difference between a table before and after a transaction, as far as it was captured.
package struct RowDifference: Sendable, Equatable {
  /// A row that differs: its captured columns before and after.
  package struct Entry: Sendable, Equatable {
    package let key: RowChange.Key
    package let old: [Value]?
    package let new: [Value]?

    package init(key: RowChange.Key, old: [Value]?, new: [Value]?) {
      self.key = key
      self.old = old
      self.new = new
    }
  }

  /// Rows by kind of change.
  package var counts: Commit.RowCounts
  /// The columns, folded, in which updated rows differ.
  package var updatedColumns: Set<String>
  /// What was captured; the rest is unknown.
  package var interest: TableInterest
  /// The names of the columns in each entry, as declared.
  package private(set) var columns: [String] = []
  /// The rows that differ, if a follower requested them or looks rows up. Where computed columns aren't known they have
  /// the other columns, and ``interest`` says that rows aren't known.
  package private(set) var entries: [Entry] = []
  /// Positions in ``entries`` by column and value.
  private var places: [RowRestriction.Column: [Value: [Int]]] = [:]

  package init(
    counts: Commit.RowCounts = Commit.RowCounts(), updatedColumns: Set<String> = [],
    interest: TableInterest = .all(wantsRows: false)
  ) {
    self.counts = counts
    self.updatedColumns = updatedColumns
    self.interest = interest
  }

  /// Stores the rows that differ, for followers that requested them or look rows up.
  package mutating func keep(_ entries: [Entry], columns: [String], isIndexed: Bool = true) {
    self.entries = entries
    self.columns = columns
    guard isIndexed else { return }
    for column in interest.keyColumns {
      places[column] = lookup(by: column)
    }
  }

  private func lookup(by column: RowRestriction.Column) -> [Value: [Int]]? {
    var found: [Value: [Int]] = [:]
    switch column {
    case .rowid:
      for (place, entry) in entries.enumerated() {
        guard case .rowid(let rowid) = entry.key else { return nil }
        found[.integer(rowid), default: []].append(place)
      }
    case .named(let name):
      guard let index = columns.firstIndex(where: { $0.asciiLowercased == name })
      else { return nil }
      for (place, entry) in entries.enumerated() {
        for value in Set([entry.old?[index], entry.new?[index]].compactMap(\.self)) {
          found[value, default: []].append(place)
          // Rows older than a TEXT column with `DEFAULT true` have a number there, which SQLite compares as a text.
          if case .integer(let number) = value, number == 0 || number == 1 {
            found[.text("\(number)"), default: []].append(place)
          }
        }
      }
    }
    return found
  }

  /// The values of `column` that changed rows had or have; `nil` unless the interest indexes that
  /// column.
  package func touchedValues(_ column: RowRestriction.Column) -> some Collection<Value> {
    places[column]?.keys ?? [:].keys
  }

  /// Whether rows can be looked up by `column`.
  package func isIndexed(by column: RowRestriction.Column) -> Bool { places[column] != nil }

  func affects(_ part: Region.Part) -> Bool {
    guard interest.covers(part) else { return true }
    guard let restriction = part.restriction, let places = places[restriction.column] else {
      return counts.inserted > 0 || counts.deleted > 0
        || !updatedColumns.isDisjoint(with: part.columns)
    }
    return restriction.values.contains { value in
      places[value]?.contains { differs(entries[$0], in: part.columns) } ?? false
    }
  }

  private func differs(_ entry: Entry, in names: Set<String>) -> Bool {
    guard let old = entry.old, let new = entry.new else { return true }
    return columns.indices.contains { index in
      !old[index].isSurely(new[index]) && names.contains(columns[index].asciiLowercased)
    }
  }
}
