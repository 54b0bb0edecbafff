/// When the detector copies the WAL into the file and empties it, if it does.
///
/// The last program that closes a database copies its WAL into the file and deletes it. While this process
/// has the file open, no other program is the last. Its commits would stay in the WAL, and a backup that a
/// user copies over the file afterwards would be undone by it. So the detector empties the WAL as soon as
/// no other program has it open.
struct WALSaving: Equatable {
  /// When the next attempt is due.
  private(set) var due: UInt64?
  private var pause: UInt64 = 0
  private var began: UInt64 = 0
  private var calm = Self.shortestCalm
  /// When the WAL was last emptied, and when that was last too early.
  private var emptied: UInt64?
  private var lastHaste: UInt64 = 0

  /// How long to wait after a program closed the file, in nanoseconds. Shells start one program
  /// after another, some milliseconds apart. A program that begins to write while the WAL is
  /// truncated is refused.
  static let shortestCalm: UInt64 = 20_000_000
  private static let longestCalm: UInt64 = 640_000_000

  /// Schedules an attempt: a program closed the file.
  mutating func begin(_ now: UInt64) {
    if let emptied, now - emptied < 250_000_000 {
      // It came shortly after the last one, and so may the next one.
      calm = min(calm * 2, Self.longestCalm)
      lastHaste = now
    } else if now - lastHaste > 5_000_000_000 {
      calm = Self.shortestCalm
    }
    emptied = nil
    (due, pause, began) = (now + calm, 2_000_000, now)
  }

  mutating func stop() { due = nil }

  mutating func didEmpty(_ now: UInt64) {
    due = nil
    emptied = now
  }

  /// Tries again later, at most a second later.
  mutating func tryLater(_ now: UInt64) {
    pause = min(pause * 2, 1_000_000_000)
    due = now + pause
  }

  func isDue(_ now: UInt64) -> Bool { due.map { now >= $0 } ?? false }

  /// Whether a process that still has the file open isn't one that is about to end.
  func isGivenUp(_ now: UInt64) -> Bool { now - began > calm + 80_000_000 }
}
