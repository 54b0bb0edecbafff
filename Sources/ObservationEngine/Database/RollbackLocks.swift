internal import CLinux
internal import Glibc

/// The locks that a writer with a rollback journal takes before it keeps readers out.
///
/// See "Locking" in https://www.sqlite.org/lockingv3.html: RESERVED when the first page is changed,
/// PENDING when it waits for readers to end, EXCLUSIVE when they have. A reader, too, locks the PENDING
/// byte for a moment, but only against writers; such locks are not asked for.
///
///     byte   1 GiB      +1         +2 … +511
///            PENDING    RESERVED   the range that readers share, and EXCLUSIVE is
struct RollbackLocks {
  /// What a writer of another process keeps readers from.
  enum Contention: Equatable {
    case none
    /// Nothing as yet; but a commit fails, or waits, while a reader is there.
    case prepared(process: Int32)
    /// Beginning to read.
    case exclusive(process: Int32)
  }

  private static let pending: Int64 = 0x4000_0000
  private static let reserved = pending + 1
  private static let shared = (start: pending + 2, length: 510 as Int64)

  let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// - Returns: `nil` when the process has no connection to the file, or it is gone.
  init?(_ file: DatabaseFile) {
    let path = file.realPath
    guard let identity = DatabaseFile.identity(of: path),
      let descriptor = DescriptorRegistry.shared.descriptor(for: path, of: identity)
    else { return nil }
    self.descriptor = descriptor
  }

  /// Whether any process, this one included, has the file for itself.
  ///
  /// A reader that rolls back a hot journal takes EXCLUSIVE without RESERVED, and without PENDING in
  /// newer versions of SQLite: the shared range alone tells.
  var isExclusive: Bool {
    lq_is_write_locked(descriptor, Self.shared.start, Self.shared.length) == 1
  }

  /// Whether any process, this one included, holds RESERVED or PENDING.
  var isPrepared: Bool { lq_is_write_locked(descriptor, Self.pending, 2) == 1 }

  /// Whether another process has begun to write.
  ///
  /// - Complexity: One system call, as of all of these, which takes no lock.
  var isPreparedElsewhere: Bool {
    lq_is_write_locked_by_other_process(descriptor, Self.pending, 2, nil) == 1
  }

  /// Whether another process waits for readers to end.
  var isAwaited: Bool {
    lq_is_write_locked_by_other_process(descriptor, Self.pending, 1, nil) == 1
  }

  /// What another process does at this moment.
  var contention: Contention {
    var process: pid_t = 0
    func isHeld(_ start: Int64, _ length: Int64) -> Bool {
      lq_is_write_locked_by_other_process(descriptor, start, length, &process) == 1
    }
    // PENDING keeps new readers out as EXCLUSIVE does.
    if isHeld(Self.pending, 1) || isHeld(Self.shared.start, Self.shared.length) {
      return .exclusive(process: process)
    }
    return isHeld(Self.reserved, 1) ? .prepared(process: process) : .none
  }
}
