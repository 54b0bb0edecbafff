internal import Synchronization

/// The handlers that are called on the writer's queue after each commit that touches their region.
///
///     own commit      ─▶ settled on the writer ─────────────────────────────▶ tell
///     foreign commit  ─▶ noticed by the detector ─▶ a job on the writer ─────▶ tell
///
///     tell ─┬─ a handler that reads: called
///           └─ a handler that writes: noted ─▶ end of the job: called in a transaction of its own
final class CommitObservers: CommitFollower {
  /// Called with a snapshot of what was committed, in order and never at the same time.
  typealias Handler = @Sendable (Connection, Commit) -> Void

  /// Who is called.
  enum Callee: Sendable {
    /// With a connection that reads what was committed.
    case reader(Handler)
    /// Once the job that committed has ended, with a connection that writes.
    case writer(
      @Sendable (Connection, Commit) throws -> Void, onError: @Sendable (any Error) -> Void)
  }

  private struct Entry {
    /// What was asked for, as far as it is stated by names.
    let declared: Region?
    var region: Region
    let callee: Callee
    let onEnd: @Sendable () -> Void
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var index = RegionIndex(firstVersion: 1 << 63)
    var last = 0
    /// Those whose names must be looked up; until then everything concerns them.
    var unresolved: Set<Int> = []
    /// Calls of handlers that write, in order, which no job has made yet.
    var pending: [(id: Int, commit: Commit)] = []
    /// The handler whose transaction is running: its own commit doesn't notify it.
    var writing: Int?
    /// What could not get the connection, or must not see an open transaction, in order.
    var waiting: [@Sendable (Connection) -> Void] = []

    mutating func watch(_ region: Region, by id: Int) {
      guard let entry = entries[id], entry.region != region else { return }
      index.remove(id, reading: entry.region)
      index.insert(id, reading: region)
      entries[id]!.region = region
    }
  }

  private let state = Mutex(State())
  private let commits: CommitStream
  private let queue: ConnectionQueue
  private let registration = Mutex<CommitStream.Registration?>(nil)
  private let failure = Mutex<(@Sendable () -> Void)?>(nil)

  init(database: Database) {
    commits = database.commits
    queue = database.writer.queue
    let registration = commits.add(self)
    self.registration.withLock { $0 = registration }
    queue.afterEachJob { [weak self] connection in
      self?.performWaiting(connection)
      self?.callWriters(connection)
    }
  }

  func note(_ event: DatabaseEvent, _ changeset: Changeset) -> CommitStream.Action? {
    guard case .commit(let commit) = event, state.withLock({ !$0.entries.isEmpty }) else {
      return nil
    }
    return { connection in
      guard let connection else {
        return self.perform { self.tell($0, commit, changeset) }
      }
      self.tell(connection, commit, changeset)
    }
  }

  /// Calls `action` when the writer's connection cannot be opened: ``tryAgain()`` is to be called some time
  /// later.
  func onFailure(_ action: @escaping @Sendable () -> Void) { failure.withLock { $0 = action } }

  /// Adds an observer, called after those that were added before.
  func add(
    _ region: Region, onEnd: @escaping @Sendable () -> Void = {}, _ callee: Callee
  ) -> Int {
    let (id, isDeclared) = insert(region, onEnd, callee)
    // Before writes requested later, so that these are captured as precisely as necessary. If the
    // database is closed by now, this ends the observer.
    perform { [weak self] in if isDeclared { _ = self?.resolve(id, $0) } }
    return id
  }

  /// Adds an observer, and calls it once on the calling thread, with a commit of count 0: no commit comes
  /// between that call and those that follow.
  ///
  /// - Parameter enclosing: The connection of the job of this database within which the thread runs.
  func addCalling(
    _ region: Region, onEnd: @escaping @Sendable () -> Void = {}, within enclosing: Connection?,
    _ callee: Callee
  ) -> Int {
    let (id, _) = insert(region, onEnd, callee)
    let begin: @Sendable (Connection) -> Void = { [self] connection in
      _ = resolve(id, connection)
      callFirst(id, connection)
    }
    do {
      if let enclosing {
        begin(enclosing)
        // In a job of the writer a handler that writes is called; this one may be a reader's.
        perform { _ in }
      } else {
        try queue.performAndWait { begin($0) }
      }
    } catch {
      // The call comes when the file can be opened; on a closed database this ends the observer.
      perform { begin($0) }
    }
    return id
  }

  private func callFirst(_ id: Int, _ connection: Connection) {
    let start = Commit.beginning(ordinal: commits.ordinal)
    switch state.withLock({ $0.entries[id]?.callee }) {
    case .reader(let handler)?:
      do { try connection.snapshot { handler($0, start) } } catch {
        // Without a snapshot it is called all the same: what it reads says why.
        try? connection.readingOnly { handler(connection, start) }
      }
    case .writer?: state.withLock { $0.pending.append((id, start)) }
    case nil: break
    }
  }

  private func insert(
    _ region: Region, _ onEnd: @escaping @Sendable () -> Void, _ callee: Callee
  ) -> (id: Int, isDeclared: Bool) {
    state.withLock { state in
      state.last += 1
      let isDeclared = !region.declarations.isEmpty
      let watched = isDeclared ? .full(reason: "not looked up yet") : region
      state.entries[state.last] = Entry(
        declared: isDeclared ? region : nil, region: watched, callee: callee, onEnd: onEnd)
      state.index.insert(state.last, reading: watched)
      if isDeclared { state.unresolved.insert(state.last) }
      return (state.last, isDeclared)
    }
  }

  func remove(_ id: Int) {
    let removed = state.withLock { state -> Entry? in
      state.unresolved.remove(id)
      state.pending.removeAll { $0.id == id }
      guard let entry = state.entries.removeValue(forKey: id) else { return nil }
      state.index.remove(id, reading: entry.region)
      return entry
    }
    // What its handler refers to may end with it, which must not happen under the lock.
    withExtendedLifetime(removed) {}
  }

  /// Changes what an observer is called for.
  func watch(_ region: Region, by id: Int) { state.withLock { $0.watch(region, by: id) } }

  /// How much of a table's changes the handlers need; `nil` when none observes it.
  func interest(in table: TableID) -> TableInterest? {
    state.withLock { $0.index.interest(in: table) }
  }

  /// Removes all observers, and notifies them of the end.
  func end() {
    registration.withLock { $0 }?.end()
    // What the handlers refer to may end with them, which must not happen under the lock.
    let ended = state.withLock { state in
      defer { state = State() }
      return state
    }
    for (_, entry) in ended.entries.sorted(by: { $0.key < $1.key }) {
      // The observer must learn that it is no longer called.
      if case .writer(_, let onError) = entry.callee { onError(Database.closedError) }
      entry.onEnd()
    }
  }

  /// Runs `body` on the writer's queue, after the jobs that were given before, once no transaction is open
  /// there: what a user at the console has not committed must not be seen.
  func perform(_ body: @escaping @Sendable (Connection) -> Void) {
    queue.enqueue { [weak self] result in
      self?.state.withLock { $0.waiting.append(body) }
      self?.performWaiting(result)
    }
  }

  /// Runs `body` on the writer's queue a moment later, or with the next job there: when something failed that may
  /// have healed by then.
  func performLater(_ body: @escaping @Sendable (Connection) -> Void) {
    state.withLock { $0.waiting.append(body) }
    failure.withLock { $0 }?()
  }

  /// Performs what could not be performed when it was its turn.
  func tryAgain() { queue.enqueue { [weak self] in self?.performWaiting($0) } }

  private func performWaiting(_ connection: Result<Connection, DatabaseError>) {
    switch connection {
    case .success(let connection): performWaiting(connection)
    case .failure(let error) where error == Database.closedError: end()
    case .failure: failure.withLock { $0 }?()
    }
  }

  /// The job that ends an open transaction performs what waits for that.
  private func performWaiting(_ connection: Connection) {
    guard state.withLock({ !$0.waiting.isEmpty }), !connection.hasOpenTransaction else { return }
    // Names are looked up: also those of tables that were made while nothing was observed. A handler that
    // reads reports itself that the file cannot be read.
    _ = try? connection.renewIfSchemaChanged()
    while let body = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) {
      body(connection)
    }
  }
}

// MARK: - Notifying

extension CommitObservers {
  /// Calls those whom a commit concerns.
  ///
  /// - Complexity: O(handlers that read what it changed); after a schema change O(handlers with
  ///   declared names).
  private func tell(_ connection: Connection, _ commit: Commit, _ changeset: Changeset) {
    let concerned = state.withLock { state -> [Int] in
      guard !state.entries.isEmpty else { return [] }
      if changeset.everythingReason != nil || commit.kind != .data {
        for (id, entry) in state.entries where entry.declared != nil {
          state.unresolved.insert(id)
          state.watch(.full(reason: "not looked up yet"), by: id)
        }
      }
      // Each commit is reported by itself.
      state.index.mayHaveBecomeClean()
      return (state.index.affected(by: changeset) ?? Set(state.entries.keys)).sorted()
    }
    guard !concerned.isEmpty else { return }
    var untold = concerned[...]
    // A handler whose read fails reports that itself; but each must be called, even if no snapshot
    // is available.
    try? connection.snapshot { connection in
      connection.sharingResults {
        while let id = untold.popFirst() { tell(id, connection, commit, changeset) }
      }
    }
    for id in untold { try? connection.readingOnly { tell(id, connection, commit, changeset) } }
  }

  private func tell(
    _ id: Int, _ connection: Connection, _ commit: Commit, _ changeset: Changeset
  ) {
    if let region = resolve(id, connection), !changeset.affects(region) { return }
    // A handler before this one may have removed it.
    let handler: Handler? = state.withLock { state in
      switch state.entries[id]?.callee {
      case .reader(let handler)?: return handler
      case .writer?:
        if state.writing != id { state.pending.append((id, commit)) }
        return nil
      case nil: return nil
      }
    }
    handler?(connection, commit)
  }

  /// Calls the handlers that write, each in a transaction of its own, until none has anything to do.
  ///
  /// At the end of the job that committed: neither within a transaction that is open, nor after any
  /// further job. When one is left open at the console, the job that ends it calls them.
  private func callWriters(_ connection: Connection) {
    guard state.withLock({ !$0.pending.isEmpty && $0.writing == nil }),
      !connection.hasOpenTransaction
    else { return }
    // The task that committed may be cancelled: this is not its work.
    let outer = connection.interruptHandle.protect(.fromCancellation)
    defer { _ = connection.interruptHandle.protect(outer) }
    while let (callee, commit) = nextWriter() {
      defer { state.withLock { $0.writing = nil } }
      guard case .writer(let handler, let onError) = callee else { continue }
      do {
        try connection.transaction { try handler($0, commit) }
      } catch {
        onError(error)
      }
    }
  }

  private func nextWriter() -> (Callee, Commit)? {
    state.withLock { state in
      while !state.pending.isEmpty {
        let (id, commit) = state.pending.removeFirst()
        guard let entry = state.entries[id] else { continue }
        state.writing = id
        return (entry.callee, commit)
      }
      return nil
    }
  }

  /// Looks the names in an observer's region up, if that is due.
  ///
  /// - Returns: What they stand for; `nil` when nothing was to be done.
  private func resolve(_ id: Int, _ connection: Connection) -> Region? {
    let declared = state.withLock { $0.unresolved.contains(id) ? $0.entries[id]?.declared : nil }
    guard let declared else { return nil }
    let region = connection.resolved(declared)
    state.withLock { state in
      state.watch(region, by: id)
      state.unresolved.remove(id)
    }
    return region
  }
}
