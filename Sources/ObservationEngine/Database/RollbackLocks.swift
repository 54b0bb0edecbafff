/// The locks that a writer with a rollback journal takes before it keeps readers out.
///
/// See "Locking" in https://www.sqlite.org/lockingv3.html: RESERVED when the first page is changed,
/// PENDING while it waits for readers to end, EXCLUSIVE once they have. A reader also locks the
/// PENDING byte briefly, but only against writers; these queries ignore such locks.
struct RollbackLocks {
  /// How a writer of another process blocks readers.
  enum Contention: Equatable {
    case none
    /// Not yet; but its commit fails, or waits, while a reader is active.
    case prepared(process: Int32)
    /// No reader can start.
    case exclusive(process: Int32)
  }

  let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// - Returns: `nil` when the process has no connection to the file, or the file is gone.
  init?(_ file: DatabaseFile) {
    let path = file.realPath
    guard let identity = DatabaseFile.identity(of: path),
      let descriptor = ProcessFile(identity).descriptor(for: path)
    else { return nil }
    self.descriptor = descriptor
  }

  /// Whether any process, including this one, has exclusive access to the file.
  ///
  /// A reader that rolls back a hot journal takes EXCLUSIVE without RESERVED, and without PENDING
  /// in newer versions of SQLite: only the shared range reveals it.
  var isExclusive: Bool {
    LockRange.shared.isWriteHeld(on: descriptor)
  }

  /// Whether any process, including this one, holds RESERVED or PENDING.
  var isPrepared: Bool { LockRange.pendingAndReserved.isWriteHeld(on: descriptor) }

  /// Whether another process has begun to write.
  ///
  /// - Complexity: One system call that takes no lock, like all of these.
  var isPreparedElsewhere: Bool {
    LockRange.pendingAndReserved.writer(on: descriptor) != nil
  }

  /// Whether another process waits for readers to end.
  var isAwaitedElsewhere: Bool {
    LockRange.pending.writer(on: descriptor) != nil
  }

  /// Whether any process waits for readers to end, including this one: its writer, or another
  /// `Database`. POSIX shows a process no lock of its own.
  var isAwaited: Bool { LockRange.pending.isWriteHeld(on: descriptor) }

  /// What another process is doing now.
  var contention: Contention {
    // PENDING keeps new readers out, as EXCLUSIVE does.
    for range in [LockRange.pending, .shared] {
      if let process = range.writer(on: descriptor) { return .exclusive(process: process) }
    }
    return LockRange.reserved.writer(on: descriptor).map { .prepared(process: $0) } ?? .none
  }
}
