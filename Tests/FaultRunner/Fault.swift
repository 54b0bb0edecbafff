import CFaults
import CSQLite

/// Something that goes wrong at a call of SQLite, or of the system by SQLite.
struct Fault {
  enum Effect {
    case failure(Int32, lasts: Bool)
    /// The task is cancelled there.
    case cancellation
    /// All that the database runs is interrupted there.
    case interruption
  }

  let name: String
  let points: Int
  let effect: Effect

  static let all: [Fault] = failures + interruptions

  private static let failures = [
    (
      LQ_FAULT_STEP, "step",
      [SQLITE_IOERR, SQLITE_FULL, SQLITE_NOMEM, SQLITE_BUSY, SQLITE_INTERRUPT]
    ),
    (LQ_FAULT_OPEN, "open", [SQLITE_CANTOPEN]),
    (LQ_FAULT_READ, "read", [SQLITE_IOERR | (1 << 8)]),
    (LQ_FAULT_WRITE, "write", [SQLITE_IOERR | (3 << 8), SQLITE_FULL]),
    (LQ_FAULT_SYNC, "sync", [SQLITE_IOERR | (4 << 8)]),
    (LQ_FAULT_TRUNCATE, "truncate", [SQLITE_IOERR | (6 << 8)]),
    (LQ_FAULT_DELETE, "delete", [SQLITE_IOERR | (10 << 8)]),
    (LQ_FAULT_LOCK, "lock", [SQLITE_BUSY, SQLITE_IOERR | (15 << 8)]),
    (LQ_FAULT_SHM_LOCK, "lock of the index", [SQLITE_BUSY, SQLITE_IOERR | (20 << 8)]),
    (LQ_FAULT_SHM_MAP, "map of the index", [SQLITE_IOERR | (21 << 8), SQLITE_NOMEM]),
    (LQ_FAULT_SIZE, "size", [SQLITE_IOERR | (7 << 8)]),
    (LQ_FAULT_MALLOC, "memory", [SQLITE_NOMEM]),
  ].flatMap { points, name, results in
    results.flatMap { result in
      // A lock of the index that is refused again and again is asked for during ten seconds.
      (points == LQ_FAULT_SHM_LOCK && result == SQLITE_BUSY ? [false] : [false, true]).map {
        lasts in
        Fault(
          name: "\(name) \(result & 0xff)\(lasts ? " for a while" : "")", points: points,
          effect: .failure(result, lasts: lasts))
      }
    }
  }

  private static let everywhere =
    LQ_FAULT_STEP | LQ_FAULT_READ | LQ_FAULT_WRITE | LQ_FAULT_SYNC | LQ_FAULT_LOCK
    | LQ_FAULT_SHM_LOCK
    | LQ_FAULT_DELETE | LQ_FAULT_MALLOC
  private static let interruptions = [
    Fault(name: "cancelled", points: everywhere, effect: .cancellation),
    Fault(name: "interrupted", points: everywhere, effect: .interruption),
  ]
}
