/// What was known when all connections were closed, to go on from.
struct Rest {
  let watch: CommitWatch
  let tracking: TableTracking?
  let fingerprint: FileFingerprint
  /// The file held all that was committed.
  let hasCopiedLog: Bool

  /// Where a watch that was opened just now goes on, so that what was committed meanwhile is counted, and
  /// known by its tables; `nil` when that cannot be told.
  ///
  /// - Parameter isUntouched: Nobody wrote to the database file itself since.
  func resume(
    _ opened: CommitWatch, _ connection: Connection, isUntouched: Bool
  ) -> CommitWatch? {
    guard case .wal(let old) = watch.last, case .wal(let new) = opened.last else { return nil }
    // Salts are drawn at random whenever a log begins anew; none are those of any log without a frame.
    if old.salts == new.salts, old.salts != 0 { return watch }
    // All was copied into the file then, at the latest when the log was removed. Nothing was copied since:
    // whatever was committed is in the new log, from its beginning on.
    guard isUntouched, hasCopiedLog || fingerprint.walSize == 0 else { return nil }
    guard let commits = Self.commits(in: connection, upTo: new) else { return nil }
    return CommitWatch(
      position: .wal(new.beginning(before: commits)), accounted: watch.accounted)
  }

  private static func commits(in connection: Connection, upTo header: WALIndexHeader) -> UInt32? {
    guard header.lastFrame > 0 else { return 0 }
    return connection.wal.commits(
      upTo: header.lastFrame, salts: header.salts, pageSize: header.pageSize)?.count
  }
}
