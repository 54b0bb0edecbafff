internal import ObservationEngine

/// Turns commits into lines, and brings the replica up to date, in one transaction of the replica.
///
///     commit whose rows are known  ─▶ each compared with the replica ─▶ lines, O(changed rows)
///     any other                    ─▶ tables compared in one snapshot ─▶ lines, O(rows)
///
/// Confined to the replica's thread of execution.
struct RowWork {
  /// What a comparison reads.
  private enum Scope {
    case everything
    case tables(Set<TableID>)
  }

  private enum Judgement {
    /// What the commit adds to what was written.
    case rows([(stored: ReplicaTable, changes: [Change])])
    case comparison(reason: String)
  }

  private struct Change {
    let key: RowChange.Key
    let old: [Value]?
    let new: [Value]?
  }

  private struct Place: Hashable {
    let table: TableID
    let key: RowChange.Key
  }

  let replica: RowReplica
  let source: Database
  let queue: CommitQueue
  let selection: FollowedTables
  /// Tables whose rows are sorted in the replica before they are compared.
  let sorted: Set<TableID>
  var outbox: Outbox
  var summary: RowReplica.Summary

  /// The last entry that was worked off.
  private(set) var serial = 0
  /// Tables that are left out, and why.
  private(set) var leftOut: [TableID: String] = [:]
  /// Whether ``leftOut`` was determined.
  private(set) var hasReadSchema = false
  private(set) var hasCompared = false
  /// The rows that commits leave which still wait; made when first needed.
  private var later: [Place: [(serial: Int, values: [Value]?)]]?

  init(
    _ replica: RowReplica, _ source: Database, _ queue: CommitQueue, _ selection: FollowedTables,
    sorted: Set<TableID>, outbox: Outbox, summary: RowReplica.Summary
  ) {
    (self.replica, self.source, self.queue, self.selection) = (replica, source, queue, selection)
    (self.sorted, self.outbox, self.summary) = (sorted, outbox, summary)
  }

  // MARK: - The start

  /// Writes what differs from the rows that an earlier run has written.
  ///
  /// - Parameter entries: The commits that were noted before; later ones may be in the snapshot or not.
  mutating func open(_ entries: [CommitQueue.Entry]) throws {
    let reason = summary.commit == nil ? nil : "the rows of an earlier run and those of now"
    let number = nextCommit
    try source.readWaiting { try compare(.everything, number: number, $0) }
    serial = entries.last?.serial ?? 0
    end(number, SystemClock.now(), .open, count: 1, compared: reason)
    try finish()
  }

  // MARK: - Commits

  /// Writes commits, oldest first, until one needs a comparison or the portion is full.
  mutating func write(_ entries: [CommitQueue.Entry], atMost limit: Int) throws {
    for entry in entries {
      if outbox.commits >= limit || outbox.isFull { break }
      switch try judge(entry) {
      case .rows(let tables):
        try write(tables, entry)
        serial = entry.serial
      case .comparison(let reason):
        // What is known goes first, without waiting for the comparison.
        if serial == 0 { try compare(entries, reason) }
        return try finish()
      }
    }
    try finish()
  }

  private mutating func finish() throws {
    if let commit = summary.commit, outbox.commits > 0 { try replica.setProgress(commit) }
    try outbox.close(replica)
  }

  private var nextCommit: Int { summary.commit.map { $0 + 1 } ?? 0 }

  private mutating func end(
    _ number: Int, _ time: Timestamp, _ source: CommitLine.Source, count: Int, compared: String?
  ) {
    outbox.end(
      CommitLine(
        commit: number, time: time, source: source, rows: outbox.rows, count: count,
        compared: compared))
    summary.commit = number
  }

  // MARK: - Known rows

  private mutating func judge(_ entry: CommitQueue.Entry) throws -> Judgement {
    let changeset = entry.changeset
    if let reason = changeset.everythingReason { return .comparison(reason: reason) }
    if entry.commit.kind != .data { return .comparison(reason: "the schema changed") }
    if changeset.mayHoldOthersRows {
      return .comparison(reason: "another process committed right behind it")
    }
    var tables: [(stored: ReplicaTable, changes: [Change])] = []
    for (id, change) in changeset.tables.sorted(by: { $0.key < $1.key }) where queue.follows(id) {
      guard let stored = summary.tables[id] else { return .comparison(reason: "\(id) is new") }
      guard let rows = changeset.rowChanges(of: id), case .rows(let difference) = change else {
        return .comparison(reason: Self.reason(changeset, change))
      }
      guard rows.isEmpty || difference.columns == stored.table.columns else {
        return .comparison(reason: "the columns of \(id) are others than before")
      }
      var changes: [Change] = []
      for row in rows {
        let (old, new) = (row.old?.values, row.new?.values)
        let written = try replica.values(of: row.key, in: stored)
        if written == old {
          changes.append(Change(key: row.key, old: old, new: new))
        } else if written != new, !comesLater(written, Place(table: id, key: row.key), entry) {
          return .comparison(reason: "a row of \(id) was not as the commit found it")
        }
      }
      if !changes.isEmpty { tables.append((stored, changes)) }
    }
    return .rows(tables)
  }

  private static func reason(_ changeset: Changeset, _ change: TableChange) -> String {
    if changeset.renumbered != nil { return "VACUUM may have renumbered rows" }
    if case .bulk(let reason) = change { return reason }
    return "its computed columns aren't known"
  }

  /// Whether a comparison has seen a row as one of the next commits leaves it.
  private mutating func comesLater(
    _ values: [Value]?, _ place: Place, _ entry: CommitQueue.Entry
  ) -> Bool {
    if later == nil {
      var found: [Place: [(serial: Int, values: [Value]?)]] = [:]
      for other in queue.entries where other.serial > entry.serial {
        for (table, change) in other.changeset.tables {
          guard case .rows(let difference) = change else { continue }
          for row in difference.entries {
            found[Place(table: table, key: row.key), default: []].append((other.serial, row.new))
          }
        }
      }
      later = found
    }
    return later?[place]?.contains { $0.serial > entry.serial && $0.values == values } ?? false
  }

  /// Deleted rows go first, so that a key that only changes its form (1 to 1.0) keeps its row.
  private mutating func write(
    _ tables: [(stored: ReplicaTable, changes: [Change])], _ entry: CommitQueue.Entry
  ) throws {
    let number = nextCommit
    for (stored, changes) in tables {
      let kinds: [(Change) -> Bool] = [
        { $0.new == nil }, { $0.old != nil && $0.new != nil }, { $0.old == nil },
      ]
      for isOfKind in kinds {
        let some = changes.filter(isOfKind).sorted { KeyOrder.compare($0.key, $1.key) < 0 }
        for change in some {
          try append(
            number, change.key, old: change.old, stored.table, new: change.new, stored.table)
          if let new = change.new {
            try replica.put(KeyedRow(key: change.key, values: new), in: stored)
          } else {
            try replica.delete(change.key, from: stored)
          }
        }
      }
    }
    // A row that was inserted and deleted again, or that a comparison has written.
    if outbox.rows == 0 { return }
    end(
      number, entry.commit.time, .commit(entry.commit.origin), count: entry.count, compared: nil)
  }

  private mutating func append(
    _ number: Int, _ key: RowChange.Key, old: [Value]?, _ oldTable: TrackedTable, new: [Value]?,
    _ newTable: TrackedTable
  ) throws {
    try outbox.append(
      RowLine(
        commit: number, table: newTable.name, key: newTable.row(of: key),
        old: old.map { Row(columns: oldTable.columns, values: $0) },
        new: new.map { Row(columns: newTable.columns, values: $0) }), replica)
  }

  // MARK: - Comparison

  /// Compares for all of these commits: they were noted before the snapshot begins, so it has what they did. One that
  /// is noted while it is read may not be in it, and stays for the next time.
  private mutating func compare(_ entries: [CommitQueue.Entry], _ reason: String) throws {
    guard let last = entries.last else { return }
    let number = nextCommit
    try source.readWaiting { try compare(scope(of: entries), number: number, $0) }
    serial = last.serial
    if outbox.rows == 0 { return }
    let origin = entries.allSatisfy { $0.commit.origin == .own } ? Commit.Origin.own : .external
    end(
      number, last.commit.time, .commit(origin), count: entries.reduce(0) { $0 + $1.count },
      compared: reason)
  }

  private func scope(of entries: [CommitQueue.Entry]) -> Scope {
    var tables: Set<TableID> = []
    for entry in entries {
      guard entry.changeset.everythingReason == nil, entry.commit.kind == .data else {
        return .everything
      }
      for id in entry.changeset.tables.keys where queue.follows(id) {
        if summary.tables[id] == nil { return .everything }
        tables.insert(id)
      }
    }
    return .tables(tables)
  }

  private mutating func compare(_ scope: Scope, number: Int, _ connection: Connection) throws {
    hasCompared = true
    let (declared, unreadable) = try tables(connection)
    for (id, stored) in summary.tables.sorted(by: { $0.key < $1.key }) where declared[id] == nil {
      // A table that can't be read for now keeps its rows.
      guard selection.includes(id), !unreadable.contains(id) else { continue }
      try reconcile(stored, nil, number, connection)
      try replica.remove(stored)
      summary.tables[id] = nil
    }
    for (id, table) in declared.sorted(by: { $0.key < $1.key }) {
      let stored = summary.tables[id]
      // A table that looks different was altered, whatever the commits are known to have changed.
      if case .tables(let some) = scope, stored?.table == table, !some.contains(id) { continue }
      try reconcile(stored, table, number, connection)
    }
  }

  /// The tables that the lines are about, and those that should be among them but can't be read.
  private mutating func tables(
    _ connection: Connection
  ) throws -> (found: [TableID: TrackedTable], unreadable: Set<TableID>) {
    var found: [TableID: TrackedTable] = [:]
    var unreadable: Set<TableID> = []
    (leftOut, hasReadSchema) = ([:], true)
    for table in try SchemaReader(connection).tables(in: "main") where selection.includes(table.id)
    {
      switch table.kind {
      case .table:
        do { found[table.id] = try TrackedTable(table, on: connection) } catch let error
          as DatabaseError where !error.isTransient
        {
          leftOut[table.id] = error.message
          unreadable.insert(table.id)
        }
      case .virtual: leftOut[table.id] = "the rows of a virtual table can't be followed"
      // Tables that a virtual table made for itself.
      case .shadow: leftOut[table.id] = ""
      case .view: break
      }
    }
    return (found, unreadable)
  }

  /// Writes what differs between a table of the replica and one of the file; without the latter it was dropped.
  private mutating func reconcile(
    _ old: ReplicaTable?, _ new: TrackedTable?, _ number: Int, _ connection: Connection
  ) throws {
    guard let new else {
      if let old { try merge(old, nil, into: nil, number, connection) }
      return
    }
    let id = TableID(name: new.name)
    if let old, old.table.columns == new.columns, old.table.key == new.key {
      let renamed = old.renamed(new)
      try merge(old, new, into: renamed, number, connection)
      if renamed != old {
        try replica.describe(renamed)
        summary.tables[id] = renamed
      }
      return
    }
    let stored = ReplicaTable(number: summary.nextNumber, table: new)
    try replica.add(stored)
    if let old, !old.table.hasSameKey(as: new) {
      try merge(old, nil, into: nil, number, connection)
      try merge(nil, new, into: stored, number, connection)
    } else {
      try merge(old, new, into: stored, number, connection)
    }
    if let old { try replica.remove(old) }
    summary.tables[id] = stored
  }

  private enum Walk { case deletions, others }

  /// Walks over the old and the new rows of a table by key. Deleted rows go first, so that they aren't in the way
  /// of what replaces them: the key in another spelling under NOCASE, or the value of a column that is UNIQUE.
  private mutating func merge(
    _ old: ReplicaTable?, _ new: TrackedTable?, into target: ReplicaTable?, _ number: Int,
    _ connection: Connection
  ) throws {
    // Static, since the closures change this value.
    let (replica, sorted) = (replica, sorted)
    for walk in [Walk.deletions, .others] {
      // Nothing can be deleted of a table that is new.
      if walk == .deletions, old == nil { continue }
      var isDone = false
      try Self.withRows(old, replica) { oldRows in
        try Self.withRows(new, connection, replica, sorted) { newRows in
          isDone = try !merge(oldRows, old, newRows, into: target, number, walk)
        }
      }
      if isDone { return }
    }
  }

  /// - Returns: Whether there is more to be done than this walk does.
  private mutating func merge(
    _ oldRows: KeyedRows?, _ old: ReplicaTable?, _ newRows: KeyedRows?, into target: ReplicaTable?,
    _ number: Int, _ walk: Walk
  ) throws -> Bool {
    let oldTable = old?.table ?? target?.table
    let newTable = target?.table ?? old?.table
    guard let oldTable, let newTable else { return false }
    let isInPlace = old?.number == target?.number
    let haveSameColumns = oldTable.columns == newTable.columns
    var hasOthers = false
    while true {
      let order: Int
      switch (oldRows?.current, newRows?.current) {
      case (nil, nil): return hasOthers
      case (.some, nil): order = -1
      case (nil, .some): order = 1
      case (let old?, let new?): order = KeyOrder.compare(old.key, new.key)
      }
      let before = order <= 0 ? try oldRows?.take() : nil
      let after = order >= 0 ? try newRows?.take() : nil
      let isSameRow = before != nil && before?.key == after?.key
      if walk == .deletions {
        if let before, !isSameRow {
          try append(number, before.key, old: before.values, oldTable, new: nil, oldTable)
          if isInPlace, let old { try replica.delete(before.key, from: old) }
        }
        let isKept = isInPlace && isSameRow && haveSameColumns && before?.values == after?.values
        hasOthers = hasOthers || after != nil && !isKept
        continue
      }
      guard let after else { continue }
      let isUnchanged = isSameRow && haveSameColumns && before?.values == after.values
      if !isUnchanged {
        try append(
          number, after.key, old: isSameRow ? before?.values : nil, oldTable, new: after.values,
          newTable)
      }
      if let target, !isUnchanged || !isInPlace { try replica.put(after, in: target) }
    }
  }

  private static func withRows(
    _ stored: ReplicaTable?, _ replica: RowReplica, _ body: (KeyedRows?) throws -> Void
  ) throws {
    guard let stored else { return try body(nil) }
    try replica.connection.withCachedStatement(stored.scan) { statement in
      try body(try KeyedRows(statement, of: stored.table, mustBeChecked: false))
    }
  }

  private static func withRows(
    _ table: TrackedTable?, _ connection: Connection, _ replica: RowReplica, _ sorted: Set<TableID>,
    _ body: (KeyedRows?) throws -> Void
  ) throws {
    guard let table else { return try body(nil) }
    guard sorted.contains(TableID(name: table.name)) else {
      return try connection.withCachedStatement(table.selection) { statement in
        try body(try KeyedRows(statement, of: table, mustBeChecked: true))
      }
    }
    let sorting = ReplicaTable(number: 0, table: table, storedName: "sorting")
    try replica.connection.execute(script: sorting.creation)
    try connection.withCachedStatement(table.selection) { statement in
      while try statement.step() { try replica.put(table.keyed(statement.row), in: sorting) }
    }
    try withRows(sorting, replica, body)
    try replica.connection.execute(script: "DROP TABLE sorting")
  }
}
