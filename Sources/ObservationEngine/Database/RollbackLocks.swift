/// The locks that a writer with a rollback journal takes before it keeps readers out.
///
/// See "Locking" in https://www.sqlite.org/lockingv3.html: RESERVED when the first page is changed,
/// PENDING when it waits for readers to end, EXCLUSIVE when they have. A reader, too, locks the PENDING
/// byte for a moment, but only against writers; such locks are not asked for.
struct RollbackLocks {
  /// What a writer of another process keeps readers from.
  enum Contention: Equatable {
    case none
    /// Nothing as yet; but a commit fails, or waits, while a reader is there.
    case prepared(process: Int32)
    /// Beginning to read.
    case exclusive(process: Int32)
  }

  let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// - Returns: `nil` when the process has no connection to the file, or it is gone.
  init?(_ file: DatabaseFile) {
    let path = file.realPath
    guard let identity = DatabaseFile.identity(of: path),
      let descriptor = ProcessFile(identity).descriptor(for: path)
    else { return nil }
    self.descriptor = descriptor
  }

  /// Whether any process, this one included, has the file for itself.
  ///
  /// A reader that rolls back a hot journal takes EXCLUSIVE without RESERVED, and without PENDING in
  /// newer versions of SQLite: the shared range alone tells.
  var isExclusive: Bool {
    LockRange.shared.isWriteHeld(on: descriptor)
  }

  /// Whether any process, this one included, holds RESERVED or PENDING.
  var isPrepared: Bool { LockRange.pendingAndReserved.isWriteHeld(on: descriptor) }

  /// Whether another process has begun to write.
  ///
  /// - Complexity: One system call, as of all of these, which takes no lock.
  var isPreparedElsewhere: Bool {
    LockRange.pendingAndReserved.writer(on: descriptor) != nil
  }

  /// Whether another process waits for readers to end.
  var isAwaited: Bool {
    LockRange.pending.writer(on: descriptor) != nil
  }

  /// What another process does at this moment.
  var contention: Contention {
    // PENDING keeps new readers out as EXCLUSIVE does.
    for range in [LockRange.pending, .shared] {
      if let process = range.writer(on: descriptor) { return .exclusive(process: process) }
    }
    return LockRange.reserved.writer(on: descriptor).map { .prepared(process: $0) } ?? .none
  }
}
