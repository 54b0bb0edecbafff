/// Proves whether commits were missed when the WAL restarted.
///
/// A writer that finds the whole WAL copied into the file restarts it from its first frame. Commits
/// between the last check and that restart, if any, are in the file only. Four facts prove that
/// there were none:
///
/// 1. The count of commits (`iChange`) continues across restarts: all commits since the last check
///    are in the WAL now.
/// 2. No frame was written twice to fill a disk sector, which looks like one more commit.
/// 3. The WAL restarted once. Either its first salt has grown by one, or its writer's checkpoint
///    sequence has; if the WAL was empty before, a sequence of 0 proves the same.
/// 4. The count did not go back, as it does when an index is rebuilt after a crash.
///
/// Source: `walRestartHdr`, `sqlite3WalFrames` and `walIndexRecover` of SQLite's wal.c
struct WALContinuity: Equatable {
  /// The header of the wal-index at the last check, and now.
  let before: WALIndexHeader
  let after: WALIndexHeader
  /// The checkpoint sequence in the header of the WAL then, if it had one, and now.
  let sequenceBefore: UInt32?
  let sequenceAfter: UInt32
  /// Frames of the WAL that end a commit.
  let commits: UInt32
  let hasPadding: Bool

  /// Why commits may have been missed; `nil` when none was.
  var doubt: String? {
    guard !hasPadding else { return "the WAL has frames that fill up sectors" }
    guard after.change &- before.change == commits, after.change >= before.change else {
      return "commits were copied out of the WAL before they were seen"
    }
    let isNext = Self.firstSalt(after.salts) == Self.firstSalt(before.salts) &+ 1
    let isNextOfWriter = sequenceBefore.map { $0 &+ 1 == sequenceAfter } ?? false
    let isFirst = before.lastFrame == 0 && sequenceAfter == 0
    return isNext || isNextOfWriter || isFirst ? nil : "the WAL restarted more than once"
  }

  /// The salts are stored as in the WAL: most significant byte first.
  private static func firstSalt(_ salts: UInt64) -> UInt32 {
    UInt32(bigEndian: UInt32(truncatingIfNeeded: salts))
  }
}
