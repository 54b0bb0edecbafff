/// How far the WAL of a database has grown during a snapshot. Pure.
///
/// A checkpoint copies no further than the oldest open snapshot, and a WAL that is not copied
/// completely cannot restart. So frames pile up while a snapshot is open:
///
///     frames  0        1000       1500       2000
///             ├──────────┼──────────┼──────────┤
///             │          │          └ the snapshot ends
///             │          └ the automatic checkpoint of SQLite starts to try
///             └ the WAL restarts
///
/// The rest, up to twice the limit, is for the frames that are written until the reader has
/// noticed, and the writer has checkpointed. Under a fast writer that is more: on a busy machine a
/// reader may have to wait for its turn before it notices anything.
struct WALGrowth {
  /// At this many frames a commit makes a checkpoint, unless its connection is configured
  /// otherwise: SQLITE_DEFAULT_WAL_AUTOCHECKPOINT.
  static let autocheckpoint: UInt32 = 1_000
  /// At least this many frames are left.
  private static let reserve: UInt32 = autocheckpoint / 2
  /// A slow query may fail to notice for this long, in nanoseconds.
  private static let inattention: UInt64 = 25_000_000

  /// The speed of the writers is measured over this time, in nanoseconds.
  private static let stretch: UInt64 = 2_000_000

  private let first: WALIndexHeader
  private let looksAhead: Bool
  /// The start of the current measurement of the speed.
  private var mark: (log: WALIndexHeader, time: UInt64)
  /// How many frames to leave for the time until the reader notices.
  private var reserve = Self.reserve

  /// - Parameters:
  ///   - first: The WAL when the snapshot began, or shortly after.
  ///   - began: The time of that, in nanoseconds.
  ///   - looksAhead: Whether the speed of the writers counts; a quick refresh ends before that.
  init(from first: WALIndexHeader, began: UInt64 = 0, looksAhead: Bool = false) {
    self.first = first
    mark = (first, began)
    self.looksAhead = looksAhead
  }

  /// Whether the snapshot must end, now that the WAL is as `log` says.
  ///
  /// Growth before the snapshot does not count, unless the WAL keeps growing.
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
