internal import Synchronization

/// Follows the commits of a database for one consumer of row changes, for as long as it lives.
///
///     CommitStream, under its lock ─▶ incoming changesets, in order
///     after the lock       ─▶ notes, net per row        ─▶ wakes the consumer
///     the consumer         ─▶ condition, or comparison  ─▶ changes
///
/// Proof of `@unchecked`: `consumer` is touched before anybody else knows the object, and then by the one
/// task that set `isBusy`; the rest is immutable, or guarded by its `Mutex`.
final class RowChangeSource: CommitFollower, ElementSource, @unchecked Sendable {
  private struct State {
    /// Not yet noted, in the order of the stream.
    var incoming: [Changeset] = []
    var notes = RowChangeNotes()
    /// A task waits for, or makes, the next element.
    var isBusy = false
  }

  /// Says that there are notes.
  private struct Wake: NewestMessage {
    mutating func merge(_ newer: Wake) {}
  }

  private struct Consumer {
    var ready: ArraySlice<RowChange> = []
    var matching = MatchingRows(nil)
    var declaration: TableDeclaration?
    var condition: RowCondition?
    /// What ends the sequence, after the changes that are ready.
    var failure: (any Error)?
  }

  private let database: Database
  private let coordinator: ObservationCoordinator
  private let table: TableID
  private let kinds: Set<RowChange.Kind>
  private let conditionText: SQL?
  private let untracked: UntrackedCommits
  private let state = Mutex(State())
  private let wakes = NewestValue<Wake>()
  private var consumer = Consumer()
  private let following = Mutex<(registration: CommitStream.Registration, ending: Int)?>(nil)

  init(
    _ database: Database, _ table: TableID, kinds: Set<RowChange.Kind>,
    condition: SQL?, untracked: UntrackedCommits
  ) {
    self.database = database
    // The detector of foreign commits belongs to it.
    coordinator = database.coordinator
    self.table = table
    self.kinds = kinds
    conditionText = condition
    self.untracked = untracked
  }

  deinit { stopFollowing() }

  private func stopFollowing() {
    guard let following = following.withLock({ $0.take() }) else { return }
    following.registration.end()
    coordinator.ignoreEnd(following.ending)
  }

  /// Begins to follow, and reads what there is.
  func start() async throws {
    if untracked == .ignore {
      let isReadOnly = try await database.isReadOnly()
      guard !isReadOnly else {
        throw DatabaseError(
          code: .readOnly,
          message: """
            a database that can only be read has no own commits, so no change would ever be \
            delivered; use untracked: .diff
            """)
      }
    }
    let ending = coordinator.onEnd { [weak self] in self?.wakes.finish() }
    let registration = database.commits.add(self)
    following.withLock { $0 = (registration, ending) }
    // Commits from here on are noted; those that this reading sees already are recognised as such.
    let rows = try await readRows()
    consumer.matching = MatchingRows(untracked == .diff ? rows : nil)
  }

  func interest(in table: TableID) -> TableInterest? {
    table == self.table ? .all(wantsRows: true) : nil
  }

  func note(_ event: DatabaseEvent, _ changeset: Changeset) -> CommitStream.Action? {
    guard case .commit(let commit) = event else { return nil }
    if untracked == .ignore, commit.origin != .own { return nil }
    guard changeset.everythingReason != nil || changeset[table] != nil else { return nil }
    state.withLock { $0.incoming.append(changeset) }
    return { _ in self.noteIncoming() }
  }

  /// Works off what the stream left, in its order, whichever thread comes first.
  private func noteIncoming() {
    let hasNews = state.withLock { state in
      for changeset in state.incoming {
        if let rows = changeset.rowChanges(of: table) {
          state.notes.note(rows)
        } else {
          state.notes.noteUntold(Self.reason(changeset, table))
        }
      }
      state.incoming = []
      return !state.notes.isEmpty
    }
    if hasNews { wakes.post(Wake()) }
  }

  private static func reason(_ changeset: Changeset, _ table: TableID) -> String {
    if let reason = changeset.everythingReason { return reason }
    if case .bulk(let reason)? = changeset[table] { return reason }
    return "the rows were not followed when the transaction began"
  }
}

// MARK: - The consumer

extension RowChangeSource {
  func next(isolation: isolated (any Actor)?) async throws(any Error) -> RowChange? {
    let wasBusy = state.withLock { state in
      defer { state.isBusy = true }
      return state.isBusy
    }
    guard !wasBusy else {
      throw DatabaseError(
        code: .misuse,
        message: "two tasks wait for the same changes; ask the database for changes once for each")
    }
    defer { state.withLock { $0.isBusy = false } }
    while true {
      if let change = consumer.ready.popFirst() { return change }
      if let failure = consumer.failure.take() { throw failure }
      guard await wakes.next(isolation: isolation) != nil else { return nil }
      let notes = state.withLock { state in
        defer { state.notes = RowChangeNotes() }
        return state.notes
      }
      do {
        try await digest(notes)
      } catch  where untracked == .diff && (error.isTransient || Task.isCancelled) {
        compareLater(notes.untold ?? "a row could not be read")
        if Task.isCancelled { return nil }
      } catch {
        // Changes are missing from here on: nothing may follow but those that are ready.
        stopFollowing()
        wakes.finish()
        consumer.failure = error
      }
    }
  }

  private func digest(_ notes: RowChangeNotes) async throws {
    if let reason = notes.untold { return try await compare(reason) }
    for (index, key) in notes.keys.enumerated() {
      guard let net = notes.changes[key] else { continue }
      // A long list must not keep the thread from other tasks.
      if index % 1_000 == 999 { await Task.yield() }
      let old = try matching(net.old, key)
      let new = try matching(net.new, key)
      switch consumer.matching.apply(key, old: old, new: new) {
      case true?: deliver(key, old, new)
      case false?: break
      case nil: return try await compare("a change does not follow what was delivered")
      }
    }
  }

  /// Has the rows compared once the writer's connection can be used, so that an error that heals loses nothing.
  private func compareLater(_ reason: String) {
    state.withLock { $0.notes.noteUntold(reason) }
    coordinator.commitObservers.performLater { [weak self] _ in self?.wakes.post(Wake()) }
  }

  private func matching(_ row: Row?, _ key: RowChange.Key) throws -> Row? {
    guard let row, let condition = consumer.condition else { return row }
    return try condition.holds(row.values, key: key) ? row : nil
  }

  private func compare(_ reason: String) async throws {
    guard untracked == .diff else {
      // The columns that the condition names may have changed as well.
      _ = try await readRows()
      throw DatabaseError(
        code: .misuse,
        message: """
          the rows that an own commit changed in \(table) are not known (\(reason)), so some changes \
          are missing here; use untracked: .diff
          """)
    }
    guard let rows = try await readRows() else { return }
    for change in consumer.matching.replace(by: rows) {
      deliver(change.key, change.old, change.new)
    }
  }

  private func deliver(_ key: RowChange.Key, _ old: Row?, _ new: Row?) {
    var (old, new) = (old, new)
    old?.dateFormat = database.configuration.dateFormat
    new?.dateFormat = database.configuration.dateFormat
    let change = RowChange(table: table.name, key: key, old: old, new: new)
    if kinds.contains(change.kind) { consumer.ready.append(change) }
  }

  /// Reads the rows that fulfil the condition, and what their table is like.
  ///
  /// - Returns: `nil` when they aren't kept.
  private func readRows() async throws -> [RowChange.Key: Row]? {
    let (table, text, keepsRows) = (table, conditionText, untracked == .diff)
    let (declaration, rows) = try await readCommitted { connection in
      let declaration = try connection.declaration(of: table)
      let sql = declaration.selection(schema: table.schema, where: text)
      let names = declaration.columns.map(\.name)
      guard keepsRows else {
        // Whether it can be read shows all the same.
        _ = try connection.fetchAll("\(sql) LIMIT 0")
        return (declaration, [RowChange.Key: Row]?.none)
      }
      var rows: [RowChange.Key: Row] = [:]
      try connection.forEachRow(sql) { row throws in
        let (key, values) = declaration.keyed(try row.copy().values)
        rows[key] = Row(columns: names, values: values)
      }
      return (declaration, rows)
    }
    if declaration != consumer.declaration {
      consumer.declaration = declaration
      consumer.condition = try text.map {
        try RowCondition($0, on: declaration, options: conditionOptions)
      }
    }
    return rows
  }

  /// Reads what is committed: where the writer does the reading, not what the open transaction did.
  private func readCommitted<Output: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Output
  ) async throws -> Output {
    guard database.readers == nil else { return try await database.read(body) }
    return try await database.writer.queue.perform { connection in
      guard !connection.hasOpenTransaction else { throw Database.openTransactionError }
      return try connection.snapshot(body)
    }
  }

  /// A connection in memory with the functions and collations of the database.
  private var conditionOptions: Connection.Options {
    var options = Connection.Options()
    options.functions = database.configuration.functions
    options.collations = database.configuration.collations
    options.dateFormat = database.configuration.dateFormat
    return options
  }
}
