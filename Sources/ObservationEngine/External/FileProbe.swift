internal import CLinux
internal import Glibc

/// Looks at the files of a database for ``CommitWatch``.
struct FileProbe: CommitWatch.Probe {
  let connection: Connection
  let file: DatabaseFile
  let identity: DatabaseFile.Identity
  let ledger: CommitLedger

  func ownCommits() -> CommitLedger.Entry { ledger.currentAwaitingEnd() }

  func read() -> CommitWatch.Reading { Self.read(connection, file) }

  static func read(_ connection: Connection, _ file: DatabaseFile) -> CommitWatch.Reading {
    switch connection.wal.indexState() {
    case .torn: return .torn
    case .header(let header): return .position(.wal(header))
    case .absent:
      // Before the header: what is written after this shows at the next look.
      let stamp = FileStamp(path: file.realPath)
      guard let header = connection.wal.fileHeader() else {
        return .position(.rollback(counter: nil, stamp: stamp))
      }
      // Nothing that stands in it means anything.
      if !header.hasMagic { return .lost(reason: "the file is no database any more") }
      if header.isWAL { return .lost(reason: "the journal mode changed to WAL") }
      return .position(.rollback(counter: header.changeCounter, stamp: stamp))
    }
  }

  /// Whether the file is empty as yet, or somebody writes to it, with a rollback journal as every new
  /// database has. For a file to which this process has no connection.
  static func isBeingMade(_ file: DatabaseFile) -> Bool {
    let path = file.realPath
    guard let identity = DatabaseFile.identity(of: path) else { return false }
    // Without a connection of ours there is no lock that closing the descriptor could drop.
    return ProcessFile(identity).withoutConnections {
      if DatabaseFile.size(of: path) == 0 { return true }
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      return LockRange.pendingAndReserved.isHeld(on: descriptor) == true
    } ?? false
  }

  func isWriteLocked() -> Bool {
    guard connection.wal.isOn else { return fileLock(ignoresOwn: false) != .none }
    guard let descriptor = ProcessFile(identity).descriptor(for: file.shmPath)
    else { return false }
    return LockRange.write.isHeld(on: descriptor) == true
  }

  func fileLock(ignoresOwn: Bool) -> CommitWatch.FileLock {
    guard let descriptor = ProcessFile(identity).descriptor(for: file.realPath)
    else { return .none }
    let locks = RollbackLocks(descriptor: descriptor)
    if ignoresOwn {
      switch locks.contention {
      case .exclusive: return .exclusive
      case .prepared: return .prepared
      // The journal is that of the own transaction.
      case .none: if locks.isPrepared { return .none }
      }
    }
    if locks.isExclusive { return .exclusive }
    if locks.isPrepared { return .prepared }
    guard hasJournal else { return .none }
    // Its writer may have begun since, and be at work.
    if locks.isExclusive { return .exclusive }
    return locks.isPrepared ? .prepared : .abandoned
  }

  /// Whether a journal stands beside the file whose transaction has not ended: one that was kept after a
  /// commit is empty (TRUNCATE), or begins with zeros (PERSIST).
  private var hasJournal: Bool {
    let descriptor = open(file.journalPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var first: UInt8 = 0
    return pread(descriptor, &first, 1, 0) == 1 && first != 0
  }
}

/// What stat(2) says of a database nobody of this process has open.
struct FileFingerprint: Equatable {
  private var database = FileStamp()
  private var wal = FileStamp()

  init(_ file: DatabaseFile) {
    database = FileStamp(path: file.realPath)
    wal = FileStamp(path: file.walPath)
  }

  /// Bytes in the -wal file; 0 when there is none.
  var walSize: Int64 { max(0, wal.size) }

  /// Whether something was committed since `other` was taken.
  ///
  /// A -wal file that is empty, or gone, holds no commit; opening and closing makes and removes it.
  func differs(from other: FileFingerprint) -> Bool {
    hasOtherDatabase(than: other) || (walSize > 0 && wal != other.wal)
  }

  /// Whether the database file itself was written to since `other` was taken.
  func hasOtherDatabase(than other: FileFingerprint) -> Bool { database != other.database }
}

/// How soon to look again while somebody holds the write lock.
///
/// 20 µs, growing by half up to 200 µs; after 50 ms every 2 ms, since a sync is slow then; after 10 s
/// no more, because a commit writes to a file at last, which makes an event of its own.
struct Backoff {
  private var began: UInt64?
  private var next: UInt64 = 20_000
  private static let slow: UInt64 = 50_000_000

  mutating func start(now: UInt64) {
    if began == nil {
      began = now
      next = 20_000
    }
  }

  mutating func stop() { began = nil }

  /// Goes on for longer, now that something was written.
  mutating func prolong(now: UInt64) {
    if let since = began, now - since > Self.slow { began = now - Self.slow }
  }

  /// Nanoseconds since the wait began; 0 when there is none.
  func elapsed(now: UInt64) -> UInt64 { began.map { now - $0 } ?? 0 }

  mutating func delay(now: UInt64) -> UInt64? {
    guard let began else { return nil }
    let elapsed = now - began
    if elapsed > 10_000_000_000 { return nil }
    if elapsed >= Self.slow { return 2_000_000 }
    defer { next = min(next + next / 2, 200_000) }
    return next
  }
}
