/// What tells whether commits were overlooked while the log began anew.
///
/// A writer that finds the whole log copied into the file starts it from its first frame again. What was
/// committed between the last look and that moment is in the file only, if anything was. Four facts prove
/// that nothing was:
///
/// 1. Commits are counted (`iChange`), also across generations: all that were made since the last look
///    are in the log now.
/// 2. No frame was written twice to fill a disk sector, which looks like one more commit.
/// 3. The log began anew once. Either the first salt has grown by one, or the checkpoint sequence of its
///    writer; that a log which was empty before has sequence 0 says the same.
/// 4. The count did not go back, as it does when an index is rebuilt after a crash.
///
/// Source: `walRestartHdr`, `sqlite3WalFrames` and `walIndexRecover` of SQLite's wal.c
struct LogContinuity: Equatable {
  /// The header of the wal-index at the last look, and now.
  let before: WALIndexHeader
  let after: WALIndexHeader
  /// The checkpoint sequence in the header of the log then, if it had one, and now.
  let sequenceBefore: UInt32?
  let sequenceAfter: UInt32
  /// Frames of the log that end a commit.
  let commits: UInt32
  let hasPadding: Bool

  /// Why commits may have been overlooked; `nil` when none was.
  var doubt: String? {
    guard !hasPadding else { return "the log has frames that fill up sectors" }
    guard after.change &- before.change == commits, after.change >= before.change else {
      return "commits were copied out of the log before they were seen"
    }
    let isNext = Self.firstSalt(after.salts) == Self.firstSalt(before.salts) &+ 1
    let isNextOfWriter = sequenceBefore.map { $0 &+ 1 == sequenceAfter } ?? false
    let isFirst = before.lastFrame == 0 && sequenceAfter == 0
    return isNext || isNextOfWriter || isFirst ? nil : "the log began anew more than once"
  }

  /// The salts are stored as they are in the log: most significant byte first.
  private static func firstSalt(_ salts: UInt64) -> UInt32 {
    UInt32(bigEndian: UInt32(truncatingIfNeeded: salts))
  }
}
