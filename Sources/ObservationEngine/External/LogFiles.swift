/// Which -wal and -shm files stand beside a database.
struct LogFiles: Equatable {
  var log: DatabaseFile.Identity?
  var index: DatabaseFile.Identity?

  init(log: DatabaseFile.Identity? = nil, index: DatabaseFile.Identity? = nil) {
    self.log = log
    self.index = index
  }

  init(beside file: DatabaseFile) {
    log = DatabaseFile.identity(of: file.walPath)
    index = DatabaseFile.identity(of: file.shmPath)
  }

  /// What became of files that are open.
  enum Fate: Equatable {
    case present
    /// Gone, and nothing stands in their place.
    case missing
    /// Others stand in the place of one at least.
    case replaced
  }

  /// What became of these files, which are open, if `now` stand at their paths.
  ///
  /// What was not there to be opened cannot be lost.
  func fate(_ now: LogFiles) -> Fate {
    let pairs = [(log, now.log), (index, now.index)].filter { $0.0 != nil && $0.0 != $0.1 }
    if pairs.isEmpty { return .present }
    return pairs.contains { $0.1 != nil } ? .replaced : .missing
  }
}

/// Tells writes to the database file that copy the log into it from those that do not.
///
/// In WAL mode only a checkpoint writes to the file. It says so before it lets go of its lock, but
/// after it wrote:
///
///     drain₁ ─ note₁ ─ drain₂ ─ note₂ ─ drain₃ ─ note₃
///                         └ written here ┘ seen by drain₃: a checkpoint that wrote it, and has let go
///                           of its lock, has counted its frames before a note that is taken after that,
///                           but perhaps before note₂ as well, and surely not before note₁
struct CheckpointNotes {
  private var notes: [CheckpointProgress] = []

  /// Takes note after events were drained; the last three are kept.
  mutating func add(_ note: CheckpointProgress) { notes = notes.suffix(2) + [note] }

  /// Whether a checkpoint is among the notes.
  var isSettling: Bool { notes.contains { $0 != notes[0] } }

  /// Whether no checkpoint explains a write between the last two drains, if none runs now.
  var areAllEqual: Bool { notes.count == 3 && notes.allSatisfy { $0 == notes[0] } }
}
