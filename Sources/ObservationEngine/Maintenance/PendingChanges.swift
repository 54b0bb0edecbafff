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

  /// More rows than this aren't kept.
  static let rowLimit = 16_384

  /// The commit up to which ``rows`` are complete; `nil` until the state's snapshot is known.
  private(set) var reach: UInt32?
  private(set) var rows: [Row] = []
  /// Why the rows aren't known.
  private(set) var doubt: String?
  /// What came before the snapshot was known.
  private var early: [(span: CommitSpan?, change: Change)] = []

  /// Begins with the state of a snapshot.
  init(at reach: UInt32? = nil) { self.reach = reach }

  /// Says of which snapshot the state is.
  mutating func start(at position: UInt32) {
    reach = position
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
    self.reach = span.to
    switch change {
    case .unknown(let reason): doubt = reason
    case .rows(let more):
      rows += more
      if rows.count > Self.rowLimit { doubt = "too many rows changed meanwhile" }
    }
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
