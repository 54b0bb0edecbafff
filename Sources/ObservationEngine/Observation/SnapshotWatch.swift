internal import CLinux

/// Watches, while a read transaction is open, whether others have begun to wait for its end.
///
/// In WAL mode those are the writers, whose log cannot begin anew (``LogGrowth``). In a rollback
/// journal nobody can commit while somebody reads: whoever is about to has taken the RESERVED lock
/// some time before, and needs the file for itself only when the changed pages are written.
///
/// Confined to the thread that runs the transaction; made anew for each.
final class SnapshotWatch {
  /// What somebody waits for.
  enum Hindrance: Equatable {
    /// The log has grown, and cannot begin anew before the transaction has ended.
    case log
    /// Another process writes with a rollback journal.
    case writer
  }

  /// To whom the transaction gives way in a database with a rollback journal.
  enum Courtesy: Equatable {
    /// To whoever has begun to write: also a writer that does not wait at all is not refused.
    case writing
    /// To whoever is about to commit, and waits for that.
    case committing
    case nobody
  }

  private enum Subject {
    case unknown
    case log(LogGrowth)
    case locks(descriptor: Int32)
    case nothing
  }

  private let connection: Connection
  private let file: DatabaseFile?
  private let courtesy: Courtesy
  private let looksAhead: Bool
  private var subject = Subject.unknown
  /// What was found; it stays.
  private(set) var hindrance: Hindrance?

  /// - Parameters:
  ///   - file: Where the connection leads; `nil` watches nothing.
  ///   - looksAhead: See ``LogGrowth/init(from:began:looksAhead:)``.
  init(_ connection: Connection, file: DatabaseFile?, courtesy: Courtesy, looksAhead: Bool) {
    self.connection = connection
    self.file = file
    self.courtesy = courtesy
    self.looksAhead = looksAhead
  }

  /// Whether the transaction must end; it is open, and has read.
  ///
  /// - Complexity: In WAL mode a copy of 96 bytes of shared memory, otherwise a system call.
  func mustEnd() -> Bool {
    if hindrance != nil { return true }
    switch subject {
    case .unknown: subject = begin()
    case .log(var growth):
      guard case .header(let log) = connection.walIndexState() else { break }
      if growth.isTooMuch(log, now: SystemClock.monotonic()) { hindrance = .log }
      subject = .log(growth)
    case .locks(let descriptor):
      if RollbackLocks(descriptor: descriptor).isHeld(committing: courtesy == .committing) {
        hindrance = .writer
      }
    case .nothing: break
    }
    return hindrance != nil
  }

  /// Finds out what to watch: while a transaction reads, nobody can change the journal mode.
  private func begin() -> Subject {
    guard let file, !connection.options.isImmutable else { return .nothing }
    if connection.usesWAL || connection.fileHeader()?.isWAL == true {
      connection.usesWAL = true
      // Torn: a commit is being published, and the next look finds the log a little longer.
      guard case .header(let first) = connection.walIndexState() else { return .unknown }
      return .log(
        LogGrowth(from: first, began: SystemClock.monotonic(), looksAhead: looksAhead))
    }
    guard courtesy != .nobody, let locks = RollbackLocks(file) else { return .nothing }
    // From RESERVED to the moment in which it needs the file, a small commit takes some 30 µs.
    connection.installProgressHandler(every: 250)
    return .locks(descriptor: locks.descriptor)
  }
}

/// The locks that a writer with a rollback journal takes before it keeps readers out.
///
/// See "Locking" in https://www.sqlite.org/lockingv3.html: RESERVED when the first page is changed,
/// PENDING when it waits for readers to end, EXCLUSIVE when they have.
struct RollbackLocks {
  let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// - Returns: `nil` when the process has no connection to the file, or it is gone.
  init?(_ file: DatabaseFile) {
    let path = file.realPath
    guard let identity = DatabaseFile.identity(of: path),
      let descriptor = DescriptorRegistry.shared.descriptor(for: path, of: identity)
    else { return nil }
    self.descriptor = descriptor
  }

  /// Whether another process writes.
  ///
  /// - Parameter committing: Whether only those count that wait for readers to end.
  /// - Complexity: One system call, which takes no lock.
  func isHeld(committing: Bool = false) -> Bool {
    // PENDING is the byte at 1 GiB, RESERVED the next one.
    lq_is_locked_by_other_process(descriptor, 0x4000_0000, committing ? 1 : 2) == 1
  }
}
