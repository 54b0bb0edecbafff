internal import CLinux

// Copying the log into the file as soon as no other program has it open.
//
// The last program that closes a database copies its log into the file and deletes it. While this process
// has the file open, no other program is the last. Its commits would stay in the log, and a backup that a
// user copies over the file afterwards would be undone by it.

extension DetectorLoop {
  /// When the log is to be copied next, if it is.
  struct LogSaving {
    private var next: UInt64?
    private var pause: UInt64 = 0
    private var began: UInt64 = 0
    private var calm = Self.shortestCalm
    /// When the log was last emptied, and when that last was too soon.
    private var emptied: UInt64?
    private var lastHaste: UInt64 = 0

    /// How long after a program closed the file, in nanoseconds. Shells start one program after the other,
    /// each some milliseconds after the one before, and one that begins to write while the log is cut is
    /// refused.
    static let shortestCalm: UInt64 = 20_000_000
    private static let longestCalm: UInt64 = 640_000_000

    /// Begins to try: a program closed the file.
    mutating func begin(_ now: UInt64) {
      if let emptied, now - emptied < 250_000_000 {
        // It came soon after the one before: so may the next one.
        calm = min(calm * 2, Self.longestCalm)
        lastHaste = now
      } else if now - lastHaste > 5_000_000_000 {
        calm = Self.shortestCalm
      }
      emptied = nil
      (next, pause, began) = (now + calm, 2_000_000, now)
    }

    mutating func stop() { next = nil }

    mutating func didEmpty(_ now: UInt64) {
      next = nil
      emptied = now
    }

    /// Tries again later, at most a second later.
    mutating func tryLater(_ now: UInt64) {
      pause = min(pause * 2, 1_000_000_000)
      next = now + pause
    }

    func isDue(_ now: UInt64) -> Bool { next.map { now >= $0 } ?? false }

    /// Whether whoever still has the file open is no process that is about to end.
    func isGivenUp(_ now: UInt64) -> Bool { now - began > calm + 80_000_000 }

    /// Nanoseconds until the next attempt.
    func wait(_ now: UInt64) -> UInt64 {
      next.map { $0 > now ? $0 - now : 0 } ?? .max
    }
  }

  /// Empties the log if a program closed the file a moment ago, and none has it open any more.
  func saveLogIfLast(_ connection: Connection) {
    let now = SystemClock.monotonic()
    // Where no event tells that a program closed the file, each quiet look does.
    let isDue = saving.isDue(now) || (isDeaf && now - lastActivity > LogSaving.shortestCalm)
    guard isDue else { return }
    guard connection.wal.isOn, !connection.isReadOnly, let identity,
      FileStamp(path: file.walPath).size > 0, log.shut == nil,
      !ProcessFile(identity).isOverwritten
    else { return saving.stop() }
    guard isLast(identity) else {
      // A process that ends closes the file before it lets go of the index.
      if saving.isGivenUp(now) { return saving.stop() }
      return saving.tryLater(now)
    }
    guard !ledger.current.holdsWriteLock, connection.emptyLog(ifStill: { isLast(identity) }) else {
      return saving.tryLater(SystemClock.monotonic())
    }
    saving.didEmpty(SystemClock.monotonic())
    // The log began anew, which is to be seen before the next commit.
    mustLookAgain = true
  }

  /// Whether no other process has the database open in WAL mode.
  func isLast(_ identity: DatabaseFile.Identity) -> Bool {
    guard let index = ProcessFile(identity).descriptor(for: file.shmPath) else {
      return false
    }
    return LockRange.open.isHeldElsewhere(on: index) == false
  }
}
