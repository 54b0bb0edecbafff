/// The result of stat(2) for a database that this process doesn't have open.
struct FileFingerprint: Equatable {
  let database: FileStamp
  let wal: FileStamp

  init(database: FileStamp = FileStamp(), wal: FileStamp = FileStamp()) {
    self.database = database
    self.wal = wal
  }

  init(_ file: DatabaseFile) {
    self.init(database: FileStamp(path: file.realPath), wal: FileStamp(path: file.walPath))
  }

  /// Bytes in the -wal file; 0 when there is none.
  var walSize: Int64 { max(0, wal.size) }

  /// Whether a process may have committed since `other` was taken.
  ///
  /// A -wal file that is empty, or gone, contains no commit; opening and closing makes and removes
  /// it.
  func differs(from other: FileFingerprint) -> Bool {
    hasOtherDatabase(than: other) || (walSize > 0 && wal != other.wal)
  }

  /// Whether the database file itself was written to since `other` was taken.
  func hasOtherDatabase(than other: FileFingerprint) -> Bool { database != other.database }
}
