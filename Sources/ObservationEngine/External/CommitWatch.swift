internal import CLinux

/// Compares the change position of a database file with the last one seen: what one look finds.
///
/// Pure but for the probes it is given, so that every interleaving can be tested.
struct CommitWatch: Equatable {
  /// Where the commits of a database are counted.
  enum Position: Equatable, Sendable {
    case wal(WALIndexHeader)
    /// The change counter of the file header; `nil` for a file too short to have one.
    case rollback(counter: UInt32?)
  }

  /// What a probe read.
  enum Reading: Equatable {
    case position(Position)
    /// A commit is being published at this moment.
    case torn
    /// The file changed its journal mode, or is no database any more: begin anew.
    case lost(reason: String)
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
  }

  /// More commits than this between two looks, which are a second apart at most, nobody makes.
  private static let plausible = 4_000_000

  /// How to look, given by the detector.
  protocol Probe {
    func read() -> Reading
    /// Whether somebody holds the lock that every writer needs.
    func isWriteLocked() -> Bool
    func ledger() -> CommitLedger.Entry
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
  ///
  /// A wake can precede the commit: SQLite writes and syncs frames before it publishes the header.
  /// So an unchanged header proves nothing while the write lock is held.
  mutating func look(_ probe: some Probe) -> Finding {
    while true {
      let before = probe.ledger()
      // The writer of this process is committing; it wakes us when its commit is accounted for.
      if before.isCommitting { return .quiet }
      let isLockedFirst = needsLockAroundRead && !before.holdsWriteLock && probe.isWriteLocked()
      let reading = probe.read()
      switch reading {
      case .torn: return .pending
      case .lost(let reason): return .lost(reason: reason)
      case .position(let position):
        // An own commit between the two looks at the ledger may or may not be in the reading.
        guard probe.ledger() == before else { continue }
        if position == last {
          if before.holdsWriteLock { return .quiet }
          if isLockedFirst || probe.isWriteLocked() { return .pending }
          // The lock may have been released by a commit after our reading.
          guard probe.read() == reading else { continue }
          return .quiet
        }
        // In a rollback journal the counter is written before the commit is complete.
        if needsLockAroundRead, isLockedFirst || (!before.holdsWriteLock && probe.isWriteLocked()) {
          return .pending
        }
        return accept(position, own: before.accounted)
      }
    }
  }

  private var needsLockAroundRead: Bool {
    if case .rollback = last { true } else { false }
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
    case (.rollback(let old?), .rollback(let new?)):
      return foreign(new &- old, ownSteps, "a rollback journal does not tell which tables changed")
    default:
      return .commits(1, reason: "the file began anew")
    }
  }

  private func foreign(
    _ steps: UInt32, _ ownSteps: UInt32, _ reason: String = "another process committed"
  ) -> Finding {
    let foreign = Int32(bitPattern: steps &- ownSteps)
    if foreign == 0 { return .quiet }
    if foreign < 0 { return .commits(1, reason: "the count of commits began anew") }
    // Somebody wrote to the file past SQLite, or it is another one's content.
    if foreign > Self.plausible { return .commits(1, reason: "the count of commits jumped") }
    return .commits(Int(foreign), reason: reason)
  }
}
