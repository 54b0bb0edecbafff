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
struct LogGrowth: Equatable {
  /// At so many frames a commit makes a checkpoint, unless its connection was told otherwise:
  /// SQLITE_DEFAULT_WAL_AUTOCHECKPOINT.
  static let autocheckpoint: UInt32 = 1_000
  /// So many frames are left at least.
  private static let reserve: UInt32 = autocheckpoint / 2
  /// For so long a slow query may be kept from noticing, in nanoseconds.
  private static let inattention: UInt64 = 25_000_000

  private let first: WALIndexHeader
  private let began: UInt64
  private let looksAhead: Bool

  /// - Parameters:
  ///   - first: The log when the snapshot began, or a moment after.
  ///   - began: When that was, in nanoseconds.
  ///   - looksAhead: Whether the speed of the writers counts; a quick refresh ends before that.
  init(from first: WALIndexHeader, began: UInt64 = 0, looksAhead: Bool = false) {
    self.first = first
    self.began = began
    self.looksAhead = looksAhead
  }

  /// Whether the snapshot must end, now that the log is as `log` says.
  ///
  /// A log that somebody else let grow is no reason, unless it grows on.
  func isTooMuch(_ log: WALIndexHeader, now: UInt64 = 0) -> Bool {
    let begun = log.salts == first.salts ? first.lastFrame : 0
    guard log.lastFrame > begun else { return false }
    let least = 2 * Self.autocheckpoint
    let bound = begun < least - Self.reserve ? least : begun + Self.autocheckpoint
    var reserve = Self.reserve
    if looksAhead, now > began {
      let ahead = UInt64(log.lastFrame - begun) * Self.inattention / (now - began)
      reserve = max(reserve, UInt32(clamping: ahead))
    }
    return UInt64(log.lastFrame) + UInt64(reserve) > UInt64(bound)
  }
}
