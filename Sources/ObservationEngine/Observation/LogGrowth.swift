/// How far the log of a WAL database has grown under a snapshot. Pure.
///
/// A checkpoint copies no further than the oldest snapshot that somebody reads, and a log that is
/// not copied whole cannot begin anew. So frames pile up for as long as a snapshot is held:
///
///     frames  0        1000       1500       2000
///             ├──────────┼──────────┼──────────┤
///             │          │          └ the snapshot ends
///             │          └ the automatic checkpoint of SQLite begins to try
///             └ the log begins anew
///
/// What is left up to twice the limit is for the frames that are written until the reader has
/// noticed, and the writer has checkpointed. Under a fast writer that is more: on a busy machine a
/// reader may have to wait for its turn before it notices anything.
struct LogGrowth {
  /// At so many frames a commit makes a checkpoint, unless its connection was told otherwise:
  /// SQLITE_DEFAULT_WAL_AUTOCHECKPOINT.
  static let autocheckpoint: UInt32 = 1_000
  /// So many frames are left at least.
  private static let reserve: UInt32 = autocheckpoint / 2
  /// For so long a slow query may be kept from noticing, in nanoseconds.
  private static let inattention: UInt64 = 25_000_000

  /// The speed of the writers is measured over so long, in nanoseconds.
  private static let stretch: UInt64 = 2_000_000

  private let first: WALIndexHeader
  private let looksAhead: Bool
  /// Where the stretch began over which the speed is measured now.
  private var mark: (log: WALIndexHeader, time: UInt64)
  /// How many frames are left for what is not noticed.
  private var reserve = Self.reserve

  /// - Parameters:
  ///   - first: The log when the snapshot began, or a moment after.
  ///   - began: When that was, in nanoseconds.
  ///   - looksAhead: Whether the speed of the writers counts; a quick refresh ends before that.
  init(from first: WALIndexHeader, began: UInt64 = 0, looksAhead: Bool = false) {
    self.first = first
    mark = (first, began)
    self.looksAhead = looksAhead
  }

  /// Whether the snapshot must end, now that the log is as `log` says.
  ///
  /// A log that somebody else let grow is no reason, unless it grows on.
  mutating func isTooMuch(_ log: WALIndexHeader, now: UInt64 = 0) -> Bool {
    measure(log, now)
    let begun = log.salts == first.salts ? first.lastFrame : 0
    guard log.lastFrame > begun else { return false }
    let least = 2 * Self.autocheckpoint
    let bound = begun < least - Self.reserve ? least : begun + Self.autocheckpoint
    return UInt64(log.lastFrame) + UInt64(reserve) > UInt64(bound)
  }

  private mutating func measure(_ log: WALIndexHeader, _ now: UInt64) {
    guard looksAhead, now >= mark.time + Self.stretch else { return }
    let before = log.salts == mark.log.salts ? mark.log.lastFrame : 0
    let frames = UInt64(log.lastFrame - min(before, log.lastFrame))
    reserve = max(
      Self.reserve, UInt32(clamping: frames * Self.inattention / (now - mark.time)))
    mark = (log, now)
  }
}
