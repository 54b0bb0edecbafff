/// Compares the change position of a database file with the last one seen: the result of one check.
///
/// Pure except for the probes it is given, so that every interleaving can be tested.
struct CommitWatch: Equatable {
  /// Where the commits of a database are counted.
  enum Position: Equatable, Sendable {
    case wal(WALIndexHeader)
    /// The change counter of the file header, `nil` when it cannot be read, and the time of the
    /// last write to the file.
    case rollback(counter: UInt32?, stamp: FileStamp = FileStamp())
  }

  /// What a probe read.
  enum Reading: Equatable {
    case position(Position)
    /// A commit is being published right now.
    case torn
    /// The file changed its journal mode, or is no longer a database: start over.
    case lost(reason: String)
  }

  /// What the locks on the file of a database with a rollback journal show.
  enum FileLock: Equatable {
    /// No process writes.
    case none
    /// A process prepares a transaction (RESERVED), or waits for readers to end (PENDING). The file
    /// still has the last committed state: any reader sees that.
    case prepared
    /// A process has exclusive access to the file (EXCLUSIVE), and may have written to it.
    case exclusive
    /// No process writes, but a journal of a dead writer is next to the file: the next reader rolls
    /// its transaction back, or finds that it was committed.
    case abandoned
  }

  /// The result of a check.
  enum Finding: Equatable {
    /// Nothing changed, and nothing is under way.
    case quiet
    /// A process is writing: check again within microseconds.
    case pending
    /// Foreign commits: at least this many.
    case commits(Int, reason: String)
    case lost(reason: String)
    /// The file was written to without a commit: a transaction that had reached the file was rolled
    /// back, or a program writes to the file directly.
    case written
  }

  /// No writer makes this many commits between two checks, which are at most a second apart.
  private static let plausible = 4_000_000

  /// The detector's access to the file.
  protocol Probe {
    func read() -> Reading
    /// Whether a process holds the WAL's write lock.
    func isWriteLocked() -> Bool
    /// - Parameter ignoresOwn: Leaves out the locks of this process while it holds some.
    func fileLock(ignoresOwn: Bool) -> FileLock
    func ownCommits() -> CommitLedger.Entry
  }

  private(set) var last: Position
  /// What the ledger had accounted for at the last check.
  private(set) var accounted: UInt32

  init(position: Position, ledger: CommitLedger.Entry) {
    self.init(position: position, accounted: ledger.accounted)
  }

  init(position: Position, accounted: UInt32) {
    last = position
    self.accounted = accounted
  }

  /// Checks once.
  mutating func look(_ probe: some Probe) -> Finding {
    while true {
      let before = probe.ownCommits()
      // The writer of this process is committing; it wakes us when its commit is accounted for.
      if before.isCommitting { return .quiet }
      let finding =
        switch last {
        case .wal: lookAtLog(probe, before)
        case .rollback: lookAtFile(probe, before)
        }
      if let finding { return finding }
    }
  }

  /// A wake can precede the commit: SQLite writes and syncs frames before it publishes the header.
  /// So an unchanged header proves nothing while the write lock is held.
  ///
  /// - Returns: `nil` when something changed during the check, which must start again.
  private mutating func lookAtLog(
    _ probe: some Probe, _ before: CommitLedger.Entry
  ) -> Finding? {
    let reading = probe.read()
    switch reading {
    case .torn: return .pending
    case .lost(let reason): return .lost(reason: reason)
    case .position(let position):
      // An own commit between the two readings of the ledger may or may not be in the position.
      guard probe.ownCommits() == before else { return nil }
      guard position == last else { return accept(position, own: before.accounted) }
      if before.holdsWriteLock { return .quiet }
      if probe.isWriteLocked() { return .pending }
      // A commit after our reading may have released the lock.
      return probe.read() == reading ? .quiet : nil
    }
  }

  /// SQLite writes to the file only under EXCLUSIVE, and commits by ending the journal before it
  /// releases the lock (`sqlite3PagerCommitPhaseOne`, `pager_end_transaction`). So if the counter
  /// is the same before and after a point in time without EXCLUSIVE, it was committed by then,
  /// whichever process held RESERVED or PENDING; unless its writer died and left a journal.
  ///
  /// - Returns: `nil` when something changed during the check, which must start again.
  private mutating func lookAtFile(
    _ probe: some Probe, _ before: CommitLedger.Entry
  ) -> Finding? {
    let reading = probe.read()
    switch reading {
    case .torn: return .pending
    case .lost(let reason): return .lost(reason: reason)
    case .position(let position):
      // Our own writer isn't committing. But a rollback releases its lock before the ledger records
      // it, and another process may have begun to write by now.
      let lock = probe.fileLock(ignoresOwn: before.holdsWriteLock)
      guard probe.ownCommits() == before else { return nil }
      switch lock {
      case .exclusive: return position == last ? .pending : acceptBehind(position, before.accounted)
      case .abandoned: return .pending
      case .none, .prepared: break
      }
      guard probe.read() == reading else { return nil }
      // Pages of our own transaction reach the file before it ends.
      if before.holdsWriteLock, isWriteAlone(position) { return .quiet }
      return position == last ? .quiet : accept(position, own: before.accounted)
    }
  }

  /// Accepts a counter that was read while a process had exclusive access to the file.
  ///
  /// A transaction raises the counter by one, so all steps but one are committed. A program that
  /// commits without a pause has exclusive access nearly all the time: without this, a check might
  /// never find it without.
  private mutating func acceptBehind(_ position: Position, _ own: UInt32) -> Finding {
    guard case (.rollback(let old?, _), .rollback(let new?, _)) = (last, position) else {
      return .pending
    }
    let foreign = Int32(bitPattern: (new &- old) &- (own &- accounted))
    // During a restore from a backup, the counter may have any value for a while.
    guard foreign > 1, foreign <= Self.plausible else { return .pending }
    return accept(.rollback(counter: new &- 1), own: own)
  }

  /// Whether the file was written to since the last check, without a commit.
  private func isWriteAlone(_ position: Position) -> Bool {
    guard case .rollback(let old, _) = last, case .rollback(let new, _) = position else {
      return false
    }
    return old == new
  }

  private mutating func accept(_ position: Position, own: UInt32) -> Finding {
    defer {
      last = position
      accounted = own
    }
    let ownSteps = own &- accounted
    switch (last, position) {
    case (.wal(let old), .wal(let new)):
      let steps = new.change &- old.change
      if steps == 0, ownSteps == 0 {
        // A checkpoint that reset the WAL renews the salts and empties it; nothing was committed.
        if new.salts != old.salts, new.lastFrame == 0 { return .quiet }
        if new.salts == old.salts, new.lastFrame == old.lastFrame { return .quiet }
        return .commits(1, reason: "the index of the WAL was rebuilt")
      }
      return foreign(steps, ownSteps)
    case (.rollback(let old?, _), .rollback(let new?, _)):
      let steps = new &- old
      if steps == 0, ownSteps == 0 { return .written }
      let foreign = Int32(bitPattern: steps &- ownSteps)
      // SQLite's caches are valid for a counter: if it repeats, it stands for other pages.
      if foreign < 0 { return .lost(reason: "the change counter of the file went back") }
      if foreign > Self.plausible { return .lost(reason: "the change counter of the file jumped") }
      if foreign == 0 { return .quiet }
      return .commits(
        Int(foreign), reason: "a rollback journal does not show which tables changed")
    default:
      return .commits(1, reason: "the file started over")
    }
  }

  private func foreign(_ steps: UInt32, _ ownSteps: UInt32) -> Finding {
    let foreign = Int32(bitPattern: steps &- ownSteps)
    if foreign == 0 { return .quiet }
    if foreign < 0 { return .commits(1, reason: "the count of commits started over") }
    if foreign > Self.plausible { return .commits(1, reason: "the count of commits jumped") }
    return .commits(Int(foreign), reason: "another process committed")
  }
}
