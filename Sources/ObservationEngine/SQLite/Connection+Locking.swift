internal import CSQLite
internal import Glibc

extension Connection {
  /// SQLite's own handler for `busy_timeout` cannot be interrupted while it sleeps. This one can,
  /// and it retries more often: most locks are held for about a millisecond.
  func installBusyHandler() {
    sqlite3_busy_handler(
      handle,
      { context, attempt in
        let connection = Unmanaged<Connection>.fromOpaque(context!).takeUnretainedValue()
        return connection.shouldWaitForLock(attempt: attempt) ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Whether it has a lock on a database with a rollback journal that only writers have. Outside of a
  /// transaction as well after a commit with `PRAGMA locking_mode = EXCLUSIVE`.
  var holdsWriterLock: Bool {
    var level: Int32 = SQLITE_LOCK_NONE
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_LOCKSTATE, &level)
    return level > SQLITE_LOCK_SHARED
  }

  private func shouldWaitForLock(attempt: Int32) -> Bool {
    let now = SystemClock.monotonic()
    if attempt == 0 { lockWait.since = now }
    let waited = now - lockWait.since
    lockWait.wasStopped = interruptHandle.isInterrupted
    let limit = options.busyTimeout.clockNanoseconds
    let mayBeOurs = mayBeLockedByEmptying()
    if lockWait.wasStopped || (waited >= limit && !mayBeOurs) {
      return false
    }
    usleep(attempt < 10 ? 500 : 5_000)
    return true
  }

  /// Whether it may have been refused because this process empties the WAL, which takes a tenth of
  /// a millisecond: one does so now, or has begun or ended since a lock was last refused.
  private func mayBeLockedByEmptying() -> Bool {
    guard !lease.emptyings.isEmpty else { return false }
    let counts = lease.emptyings.map(\.count)
    let sum = counts.reduce(0, +)
    defer { lockWait.emptyings = sum }
    return sum != lockWait.emptyings || counts.contains { $0 % 2 == 1 }
  }
}
