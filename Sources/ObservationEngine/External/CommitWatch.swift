/// Compares the change position of a database file with the last one seen: what one look finds.
///
/// Pure but for the probes it is given, so that every interleaving can be tested.
struct CommitWatch: Equatable {
  /// Where the commits of a database are counted.
  enum Position: Equatable, Sendable {
    case wal(WALIndexHeader)
    /// The change counter of the file header, `nil` when it cannot be read, and when the file was
    /// last written to.
    case rollback(counter: UInt32?, stamp: FileStamp = FileStamp())
  }

  /// What a probe read.
  enum Reading: Equatable {
    case position(Position)
    /// A commit is being published at this moment.
    case torn
    /// The file changed its journal mode, or is no database any more: begin anew.
    case lost(reason: String)
  }

  /// What the locks on the file of a database with a rollback journal say.
  enum FileLock: Equatable {
    /// Nobody writes.
    case none
    /// A process prepares a transaction (RESERVED), or waits for readers to end (PENDING). The file still
    /// holds what was committed last: any reader sees that.
    case prepared
    /// A process has the file for itself (EXCLUSIVE), and may have written to it.
    case exclusive
    /// Nobody writes, but a journal stands beside the file whose writer is gone: the next reader rolls its
    /// transaction back, or finds that it was committed.
    case abandoned
  }

  /// What a look found.
  enum Finding: Equatable {
    /// Nothing, and nothing is under way.
    case quiet
    /// Somebody is writing: look again soon.
    case pending
    /// Commits of others: at least so many.
    case commits(Int, reason: String)
    case lost(reason: String)
    /// The file was written to, and nothing was committed: a transaction that had reached the file was
    /// rolled back, or a program writes past SQLite.
    case written
  }

  /// More commits than this between two looks, which are a second apart at most, nobody makes.
  private static let plausible = 4_000_000

  /// How to look, given by the detector.
  protocol Probe {
    func read() -> Reading
    /// Whether a process holds the WAL's write lock.
    func isWriteLocked() -> Bool
    /// - Parameter ignoresOwn: Leaves out the locks of this process while it holds some.
    func fileLock(ignoresOwn: Bool) -> FileLock
    func ownCommits() -> CommitLedger.Entry
  }

  private(set) var last: Position
  /// What the ledger had accounted for then.
  private(set) var accounted: UInt32

  init(position: Position, ledger: CommitLedger.Entry) {
    self.init(position: position, accounted: ledger.accounted)
  }

  init(position: Position, accounted: UInt32) {
    last = position
    self.accounted = accounted
  }

  /// Looks once.
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
  /// - Returns: `nil` when something changed during the look, which must begin again.
  private mutating func lookAtLog(
    _ probe: some Probe, _ before: CommitLedger.Entry
  ) -> Finding? {
    let reading = probe.read()
    switch reading {
    case .torn: return .pending
    case .lost(let reason): return .lost(reason: reason)
    case .position(let position):
      // An own commit between the two looks at the ledger may or may not be in the reading.
      guard probe.ownCommits() == before else { return nil }
      guard position == last else { return accept(position, own: before.accounted) }
      if before.holdsWriteLock { return .quiet }
      if probe.isWriteLocked() { return .pending }
      // The lock may have been released by a commit after our reading.
      return probe.read() == reading ? .quiet : nil
    }
  }

  /// SQLite writes to the file only under EXCLUSIVE, and commits by ending the journal before it lets
  /// go (`sqlite3PagerCommitPhaseOne`, `pager_end_transaction`). So a counter that is the same before and
  /// after a moment without EXCLUSIVE was committed at that moment, whoever held RESERVED or PENDING;
  /// unless its writer died, and left a journal.
  ///
  /// - Returns: `nil` when something changed during the look, which must begin again.
  private mutating func lookAtFile(
    _ probe: some Probe, _ before: CommitLedger.Entry
  ) -> Finding? {
    let reading = probe.read()
    switch reading {
    case .torn: return .pending
    case .lost(let reason): return .lost(reason: reason)
    case .position(let position):
      // The own writer isn't committing. But a rollback releases its lock before the ledger says so, and
      // another process may have begun to write by now.
      let lock = probe.fileLock(ignoresOwn: before.holdsWriteLock)
      guard probe.ownCommits() == before else { return nil }
      switch lock {
      case .exclusive: return position == last ? .pending : acceptBehind(position, before.accounted)
      case .abandoned: return .pending
      case .none, .prepared: break
      }
      guard probe.read() == reading else { return nil }
      // Pages of the own transaction reach the file before it ends.
      if before.holdsWriteLock, isWriteAlone(position) { return .quiet }
      return position == last ? .quiet : accept(position, own: before.accounted)
    }
  }

  /// Takes a counter that was read while a process had the file for itself.
  ///
  /// A transaction raises the counter by one, so all but one of the steps are committed. A program that
  /// commits without a pause has the file for itself nearly all the time: without this no moment might
  /// be found in which it has not.
  private mutating func acceptBehind(_ position: Position, _ own: UInt32) -> Finding {
    guard case (.rollback(let old?, _), .rollback(let new?, _)) = (last, position) else {
      return .pending
    }
    let foreign = Int32(bitPattern: (new &- old) &- (own &- accounted))
    // A restore from a backup has any number for a while.
    guard foreign > 1, foreign <= Self.plausible else { return .pending }
    return accept(.rollback(counter: new &- 1), own: own)
  }

  /// Whether the file was written to since the last look, and no commit counted.
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
        // A checkpoint that reset the log renews the salts and empties it; nothing was committed.
        if new.salts != old.salts, new.lastFrame == 0 { return .quiet }
        if new.salts == old.salts, new.lastFrame == old.lastFrame { return .quiet }
        return .commits(1, reason: "the log's index was rebuilt")
      }
      return foreign(steps, ownSteps)
    case (.rollback(let old?, _), .rollback(let new?, _)):
      let steps = new &- old
      if steps == 0, ownSteps == 0 { return .written }
      let foreign = Int32(bitPattern: steps &- ownSteps)
      // SQLite's caches hold pages by the counter: one that comes again stands for other pages.
      if foreign < 0 { return .lost(reason: "the change counter of the file went back") }
      if foreign > Self.plausible { return .lost(reason: "the change counter of the file jumped") }
      if foreign == 0 { return .quiet }
      return .commits(
        Int(foreign), reason: "a rollback journal does not tell which tables changed")
    default:
      return .commits(1, reason: "the file began anew")
    }
  }

  private func foreign(_ steps: UInt32, _ ownSteps: UInt32) -> Finding {
    let foreign = Int32(bitPattern: steps &- ownSteps)
    if foreign == 0 { return .quiet }
    if foreign < 0 { return .commits(1, reason: "the count of commits began anew") }
    if foreign > Self.plausible { return .commits(1, reason: "the count of commits jumped") }
    return .commits(Int(foreign), reason: "another process committed")
  }
}
