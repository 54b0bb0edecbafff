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

  /// Those beside a database that this process has open, as a connection in WAL mode has both.
  ///
  /// One that is missing here was deleted since the connection opened it, or replaced: whoever closes
  /// the file that stood at the path before deletes by name. What another connection of this process has
  /// open passes for this one's.
  ///
  /// - Complexity: O(descriptors of the process).
  init(openBeside file: DatabaseFile) {
    self.init(beside: file)
    guard let open = OpenDescriptors.identities() else { return }
    if let log, !open.contains(log) { self.log = nil }
    if let index, !open.contains(index) { self.index = nil }
  }

  /// Whether one is not known.
  var isIncomplete: Bool { log == nil || index == nil }

  /// What became of files that are open.
  enum Fate: Equatable {
    case present
    /// Gone, and nothing stands in their place.
    case missing
    /// Others stand in the place of one at least.
    case replaced
  }

  /// What became of the files of a connection in WAL mode if `now` stand at their paths.
  ///
  /// One that was missing from the beginning is lost: the connection has it open, under no name.
  func fate(_ now: LogFiles) -> Fate {
    if !isIncomplete, now == self { return .present }
    let isReplaced =
      now.log != nil && now.log != log || now.index != nil && now.index != index
    return isReplaced ? .replaced : .missing
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
struct CheckpointNotes: Equatable {
  private var notes: [CheckpointProgress] = []

  /// Takes note after events were drained; the last three are kept.
  mutating func add(_ note: CheckpointProgress) { notes = notes.suffix(2) + [note] }

  /// Whether a checkpoint is among the notes.
  var isSettling: Bool { notes.contains { $0 != notes[0] } }

  /// Whether no checkpoint explains a write between the last two drains, if none runs now.
  var areAllEqual: Bool { notes.count == 3 && notes.allSatisfy { $0 == notes[0] } }
}
