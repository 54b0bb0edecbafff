internal import CLinux
internal import Glibc

/// Bytes of a file that SQLite locks to keep processes apart.
///
///     -shm file        120     121          123 … 127    128
///                      WRITE   CHECKPOINT   read marks   held by each process that has the file open
///     database file    1 GiB     +1         +2 … +511
///                      PENDING   RESERVED   shared by readers, and EXCLUSIVE
///
/// Queries take no lock: one system call each. Sources: `WALINDEX_LOCK_OFFSET` (wal.c),
/// `UNIX_SHM_DMS` (os_unix.c) and `PENDING_BYTE` (os.h) of SQLite.
struct LockRange {
  static let write = LockRange(start: 120, length: 1)
  static let checkpoint = LockRange(start: 121, length: 1)
  static let open = LockRange(start: 128, length: 1)
  static let pending = LockRange(start: 0x4000_0000, length: 1)
  static let reserved = LockRange(start: 0x4000_0001, length: 1)
  static let pendingAndReserved = LockRange(start: 0x4000_0000, length: 2)
  static let shared = LockRange(start: 0x4000_0002, length: 510)

  private let start: Int64
  private let length: Int64

  /// Whether any process, including this one, holds a lock; `nil` when the system doesn't answer.
  func isHeld(on descriptor: Int32) -> Bool? { answer(lq_is_locked(descriptor, start, length)) }

  /// Whether another process holds a lock; `nil` when the system doesn't answer.
  func isHeldElsewhere(on descriptor: Int32) -> Bool? {
    answer(lq_is_locked_by_other_process(descriptor, start, length))
  }

  /// Whether any process, including this one, holds a lock that keeps readers out.
  func isWriteHeld(on descriptor: Int32) -> Bool {
    lq_is_write_locked(descriptor, start, length) == 1
  }

  /// The other process that holds a lock which keeps readers out; `nil` for none, 0 or less for a
  /// process in another PID namespace.
  func writer(on descriptor: Int32) -> Int32? {
    var process: pid_t = 0
    let isHeld = lq_is_write_locked_by_other_process(descriptor, start, length, &process) == 1
    return isHeld ? process : nil
  }

  private func answer(_ result: Int32) -> Bool? { result < 0 ? nil : result == 1 }
}
