/// What commits did to the rows of one table since the consumer looked last, net.
struct RowChangeNotes: Sendable {
  /// From the row before the first change to the row after the last.
  struct Net: Sendable {
    var old: Row?
    var new: Row?
  }

  /// Keys in the order of their first change, also of rows that came and went: a comparison may have delivered them.
  private(set) var keys: [RowChange.Key] = []
  private(set) var changes: [RowChange.Key: Net] = [:]
  /// Why the rows of a commit are not known; `nil` when they all are.
  private(set) var untold: String?

  var isEmpty: Bool { keys.isEmpty && untold == nil }

  /// Adds the rows of a later commit.
  mutating func note(_ rows: [RowChange]) {
    // A comparison will find these as well.
    guard untold == nil else { return }
    for row in rows {
      if changes[row.key] == nil {
        keys.append(row.key)
        changes[row.key] = Net(old: row.old, new: row.new)
      } else {
        changes[row.key]?.new = row.new
      }
    }
  }

  /// Adds a commit whose rows are not known.
  mutating func noteUntold(_ reason: String) {
    untold = untold ?? reason
    keys = []
    changes = [:]
  }
}

/// The rows last delivered to the consumer, used to decide whether a later change is news.
struct MatchingRows: Sendable {
  /// By key; `nil` when they are not retained.
  private(set) var rows: [RowChange.Key: Row]?

  init(_ rows: [RowChange.Key: Row]?) { self.rows = rows }

  /// Takes a net change of one row into account.
  ///
  ///     told so far = old   ─▶ news: old → new
  ///     told so far = new   ─▶ nothing: a comparison saw the commit already
  ///     anything else       ─▶ unknown: compare again
  ///
  /// - Parameters:
  ///   - old: The row before, if it satisfied the condition.
  ///   - new: The row after, if it satisfies the condition.
  /// - Returns: Whether it is news; `nil` when only a comparison can decide.
  mutating func apply(_ key: RowChange.Key, old: Row?, new: Row?) -> Bool? {
    guard let told = rows?[key] else {
      if rows == nil { return old != new }
      if old == nil {
        if let new { rows?[key] = new }
        return new != nil
      }
      return new == nil ? false : nil
    }
    if told == old {
      rows?[key] = new
      return old != new
    }
    return told == new ? false : nil
  }

  /// Replaces the rows by those of a later state.
  ///
  /// - Returns: What differs, in the order of the keys where they are rowids.
  mutating func replace(
    by newer: [RowChange.Key: Row]
  ) -> [(key: RowChange.Key, old: Row?, new: Row?)] {
    let older = rows ?? [:]
    var differences: [(key: RowChange.Key, old: Row?, new: Row?)] = []
    for (key, old) in older where newer[key] != old { differences.append((key, old, newer[key])) }
    for (key, new) in newer where older[key] == nil { differences.append((key, nil, new)) }
    rows = newer
    return differences.sorted { left, right in
      guard case .rowid(let a) = left.key, case .rowid(let b) = right.key else { return false }
      return a < b
    }
  }
}
