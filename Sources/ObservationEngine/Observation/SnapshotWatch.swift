internal import Glibc

/// Watches, while a read transaction is open, whether writers wait for its end.
///
/// In WAL mode those are other processes, whose WAL cannot begin again (``WALGrowth``). With a rollback
/// journal no connection can commit while another one reads: a writer takes the RESERVED lock some time
/// before, and needs the file for itself only when the changed pages are written.
///
/// The writer of this process waits for locks, so it is made to wait for a while, and refreshes that are quick
/// come to their end. Before it waits, nothing is done for it: it may take its time.
///
/// Confined to the thread that runs the transaction; one for each.
final class SnapshotWatch {
  /// What a writer waits for.
  enum YieldReason: Equatable {
    /// The WAL has grown, and cannot begin again before the transaction has ended.
    case log
    /// It writes with a rollback journal.
    case writer
  }

  /// To which writers of other processes with a rollback journal the transaction gives way.
  enum Yielding: Equatable {
    /// To each that has begun a transaction: also a writer that does not wait is not refused.
    case toAnyWriter
    /// To one that commits, and waits for that.
    case toCommit
    /// To none.
    case never
  }

  private enum Subject {
    case unknown
    case log(WALGrowth)
    /// `due`: when it gives way to this process, too.
    case locks(RollbackLocks, due: UInt64)
    case nothing
  }

  private let connection: Connection
  private let file: DatabaseFile?
  private let yielding: Yielding
  private let looksAhead: Bool
  private let ownPatience: UInt64
  private var subject = Subject.unknown
  /// What was found; it stays.
  private(set) var yieldReason: YieldReason?
  /// A writer that met this transaction, and whether it waited for its end.
  private(set) var metWriter: (process: Int32, waits: Bool)?

  /// - Parameters:
  ///   - file: Where the connection leads; `nil` watches nothing.
  ///   - looksAhead: See ``WALGrowth/init(from:began:looksAhead:)``.
  ///   - ownPatience: For how long a writer of this process waits before the transaction gives way to it,
  ///     counted from the first look.
  init(
    _ connection: Connection, file: DatabaseFile?, yielding: Yielding, looksAhead: Bool,
    ownPatience: Duration
  ) {
    self.connection = connection
    self.file = file
    self.yielding = yielding
    self.looksAhead = looksAhead
    self.ownPatience = ownPatience.clockNanoseconds
  }

  /// Whether the transaction must end; it is open, and has read.
  ///
  /// - Complexity: In WAL mode a copy of 96 bytes of shared memory, otherwise two system calls.
  func mustEnd() -> Bool {
    if yieldReason != nil { return true }
    switch subject {
    case .unknown: subject = begin()
    case .log(var growth):
      guard case .header(let log) = connection.wal.indexState() else { break }
      if growth.isTooMuch(log, now: SystemClock.monotonic()) { yieldReason = .log }
      subject = .log(growth)
    case .locks(let locks, let due):
      let isNeededElsewhere =
        yielding == .toCommit ? locks.isAwaitedElsewhere : locks.isPreparedElsewhere
      if isNeededElsewhere || locks.isAwaited && SystemClock.monotonic() >= due {
        yieldReason = .writer
      }
    case .nothing: break
    }
    return yieldReason != nil
  }

  /// Keeps the transaction open until a writer has met it, for a few milliseconds at most.
  ///
  /// A writer that waits sleeps with PENDING held, for a millisecond at first. One that does not wait
  /// lets go of it within microseconds.
  func meetWriter() {
    guard let file, let locks = RollbackLocks(file) else { return }
    let (step, most, needed) = (100 as UInt32, 50, 9)
    var met = 0
    var process: Int32 = 0
    for _ in 0..<most {
      if case .exclusive(let holder) = locks.contention {
        (process, met) = (holder, met + 1)
        if met > needed { return metWriter = (process, true) }
      } else if met > 0 {
        return metWriter = (process, false)
      }
      usleep(step)
    }
  }

  /// Determines what to watch: while a transaction reads, no process can change the journal mode.
  private func begin() -> Subject {
    guard let file, !connection.options.isImmutable else { return .nothing }
    if connection.wal.isOn || connection.wal.fileHeader()?.isWAL == true {
      connection.wal.isOn = true
      // Torn: a commit is being published, and the next check finds the WAL a little longer.
      guard case .header(let first) = connection.wal.indexState() else { return .unknown }
      return .log(
        WALGrowth(from: first, began: SystemClock.monotonic(), looksAhead: looksAhead))
    }
    // A writer that locks the file exclusively keeps its locks when it reads: no other one can wait for it.
    guard yielding != .never, !connection.holdsWriterLock, let locks = RollbackLocks(file) else {
      return .nothing
    }
    // From RESERVED to the moment in which it needs the file, a small commit takes some 30 µs.
    connection.installProgressHandler(every: 250)
    return .locks(locks, due: SystemClock.monotonic() + ownPatience)
  }
}
