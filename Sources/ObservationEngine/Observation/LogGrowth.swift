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
/// noticed, and the writer has checkpointed.
struct LogGrowth: Equatable {
  /// At so many frames a commit makes a checkpoint, unless its connection was told otherwise:
  /// SQLITE_DEFAULT_WAL_AUTOCHECKPOINT.
  static let autocheckpoint: UInt32 = 1_000
  /// By so much the log may grow beyond that.
  static let allowance: UInt32 = autocheckpoint / 2

  private let first: WALIndexHeader

  /// - Parameter first: The log when the snapshot began, or a moment after.
  init(from first: WALIndexHeader) { self.first = first }

  /// Whether the snapshot must end, now that the log is as `now` says.
  ///
  /// A log that somebody else let grow is no reason, unless it grows on.
  func isTooMuch(_ now: WALIndexHeader) -> Bool {
    let begun = now.salts == first.salts ? first.lastFrame : 0
    let bound = Self.autocheckpoint + Self.allowance
    return now.lastFrame > (begun < bound ? bound : begun + Self.allowance)
  }
}
