/// The changed rows that a query's state lacks, from commits that follow each other without a gap.
struct PendingChanges: Sendable {
  /// A row that a commit changed: what the query reads of it, before and after.
  struct Row: Sendable, Equatable {
    /// Which of the query's tables it is in.
    let table: Int
    let key: RowChange.Key
    let old: [Value]?
    let new: [Value]?
  }

  private struct Place: Hashable {
    let table: Int
    let key: RowChange.Key
  }

  /// What a commit did to the tables.
  enum Change: Sendable {
    /// These rows, or none.
    case rows([Row])
    case unknown(reason: String)
  }

  /// Positions at which a state has the first `rowCount` of the changed rows. A commit without rows for this query
  /// extends the last one.
  private struct Stop {
    let first: UInt32
    var last: UInt32
    var rowCount: Int

    // The count of commits wraps around.
    func contains(_ position: UInt32) -> Bool { position &- first <= last &- first }
  }

  /// When there are more rows than this, the changes of each are merged, and half as many rows are kept.
  static let rowLimit = 16_384

  /// In the order of the commits; empty until the state's snapshot is known.
  private var stops: [Stop] = []
  private(set) var rows: [Row] = []
  /// Why the rows aren't known.
  private(set) var doubt: String?
  /// What came before the snapshot was known.
  private var early: [(span: CommitSpan?, change: Change)] = []

  /// The commit up to which ``rows`` are complete; `nil` until the state's snapshot is known.
  var reach: UInt32? { stops.last?.last }

  /// Begins where the snapshot of the state isn't known yet.
  init() {}

  /// Begins with the state of a snapshot.
  init(at position: UInt32) { start(at: position) }

  /// Says of which snapshot the state is.
  mutating func start(at position: UInt32) {
    stops = [Stop(first: position, last: position, rowCount: 0)]
    for (span, change) in early { note(span, change) }
    early = []
  }

  /// Takes what a commit changed.
  ///
  /// - Parameter span: `nil` when it is unknown which commits it is.
  mutating func note(_ span: CommitSpan?, _ change: Change) {
    guard doubt == nil else { return }
    guard let reach else {
      early.append((span, change))
      if early.count > Self.rowLimit { doubt = "too many commits came meanwhile" }
      return
    }
    guard let span else {
      doubt = "a commit that can't be placed among the others"
      return
    }
    // The count wraps around. What the snapshot had already is no news.
    if span.from == span.to || Int32(bitPattern: span.to &- reach) <= 0 { return }
    guard span.from == reach else {
      doubt = "another process committed in between"
      return
    }
    switch change {
    case .unknown(let reason): doubt = reason
    case .rows([]): stops[stops.count - 1].last = span.to
    case .rows(let more):
      rows += more
      stops.append(Stop(first: span.to, last: span.to, rowCount: rows.count))
      if rows.count > Self.rowLimit { merge() }
    }
  }

  /// Makes one change of all changes of a row; then a snapshot older than the last commit has none of them.
  ///
  /// - Complexity: O(rows), which are half of the limit at least since it did so last.
  private mutating func merge() {
    do {
      rows = try take()
      stops = [stops[stops.count - 1]]
      stops[0].rowCount = rows.count
      if rows.count > Self.rowLimit / 2 { doubt = "too many rows changed meanwhile" }
    } catch {
      doubt = NotMaintainable(error).reason
    }
  }

  /// Takes out what leads to a snapshot, which may be older than the newest commit.
  ///
  /// - Returns: `nil` when the snapshot lies outside of the known commits.
  /// - Complexity: O(rows); O(1) if nothing remains.
  mutating func split(at position: UInt32) -> PendingChanges? {
    guard doubt == nil, let index = stops.lastIndex(where: { $0.contains(position) }) else {
      return nil
    }
    let count = stops[index].rowCount
    var due = PendingChanges(at: position)
    if count == rows.count {
      swap(&due.rows, &rows)
    } else {
      due.rows = Array(rows[..<count])
      rows.removeFirst(count)
    }
    stops.removeFirst(index)
    for index in stops.indices { stops[index].rowCount -= count }
    return due
  }

  /// Takes the rows out, each changed row once: as it was before all commits, and as it is after them.
  ///
  /// - Throws: ``NotMaintainable`` when one commit doesn't continue where the one before left the row.
  mutating func take() throws -> [Row] {
    defer { rows = [] }
    // Most often one commit changed a row or two.
    if rows.count < 2 { return rows }
    var net: [Place: Row] = [:]
    for row in rows {
      let place = Place(table: row.table, key: row.key)
      guard let known = net[place] else {
        net[place] = row
        continue
      }
      guard known.new == row.old else {
        throw NotMaintainable("the rows of two commits don't follow each other")
      }
      net[place] = Row(table: row.table, key: row.key, old: known.old, new: row.new)
    }
    return net.values.filter { row in
      // Texts that aren't UTF-8 may differ, although they are read as equal.
      row.old != row.new || row.new?.allSatisfy(\.isFaithful) == false
    }
  }
}
