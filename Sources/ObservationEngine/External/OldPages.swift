/// Keeps the pages of the file as they are before a large commit, until its rows are known.
///
///     frames of the transaction ─▶ read transaction ─▶ COMMIT ─▶ its checkpoint ─▶ rows ─▶ end
///                                  └───────── copies no frame of the commit ───────┘
///
/// A commit of many pages makes its writer copy the WAL into the file at once, and with it what the rows were. The
/// writer's frames precede its commit, and make an event. A read transaction that begins meanwhile keeps the checkpoint
/// from copying what comes later; the next one copies it.
///
/// ## Limits
/// - The WAL can't begin again in the meantime. So it isn't kept from that where it has ``longestLog`` bytes, nor for longer
///   than ``longest`` by a transaction that isn't committed.
///
/// Confined to the detector's thread.
struct OldPages {
  /// So many frames make a commit large; smaller ones are rarely followed by a checkpoint.
  private static let manyFrames: UInt32 = 16
  /// In bytes. With pages of 4 KB, sixteen times what a writer leaves there by default.
  private static let longestLog = 64_000_000
  private static let longest: UInt64 = 250_000_000

  private enum Phase {
    case none
    case kept(since: UInt64, WALIndexHeader)
    /// The transaction took too long.
    case givenUp(WALIndexHeader)
  }

  private var phase = Phase.none

  /// Whether a read transaction of the connection is open for it.
  var areKept: Bool { if case .kept = phase { true } else { false } }

  /// Notes that a process writes a transaction behind the frames of `header`.
  ///
  /// - Parameter isWanted: Whether its rows will be asked for.
  mutating func writerIsBusy(
    behind header: WALIndexHeader, pageSize: Int, _ connection: Connection, isWanted: () -> Bool
  ) {
    switch phase {
    case .givenUp(header): return
    case .kept(let since, header):
      guard SystemClock.monotonic() - since > Self.longest else { return }
      end(connection)
      phase = .givenUp(header)
    case .none, .kept, .givenUp:
      end(connection)
      guard Int(header.lastFrame) * pageSize < Self.longestLog,
        connection.wal.hasFrames(Self.manyFrames, behind: header, pageSize: pageSize), isWanted()
      else { return }
      keep(header, connection)
    }
  }

  private mutating func keep(_ header: WALIndexHeader, _ connection: Connection) {
    do {
      try connection.run(.begin)
      // Only reading opens the snapshot.
      _ = try connection.integer(of: .schemaVersion)
    } catch {
      // The rows may be unknown then, as they were before.
      connection.comeToRest()
      return
    }
    phase = .kept(since: SystemClock.monotonic(), header)
    // It was committed in between: what it overwrites can't be kept.
    if connection.wal.indexState() != .header(header) { end(connection) }
  }

  /// Lets checkpoints go on.
  mutating func end(_ connection: Connection) {
    if areKept { connection.comeToRest() }
    phase = .none
  }
}
