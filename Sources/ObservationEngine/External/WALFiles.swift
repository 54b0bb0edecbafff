/// The -wal and -shm files next to a database.
struct WALFiles: Equatable {
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

  /// The files next to a database that this process has open, as a connection in WAL mode has both.
  ///
  /// A file that is missing here was deleted or replaced since the connection opened it: a process
  /// that closes the database formerly at the path deletes by name. A file that another connection
  /// of this process has open counts as this one's.
  ///
  /// - Complexity: O(descriptors of the process).
  init(openBeside file: DatabaseFile) {
    self.init(beside: file)
    guard let open = OpenDescriptors.identities() else { return }
    if let log, !open.contains(log) { self.log = nil }
    if let index, !open.contains(index) { self.index = nil }
  }

  /// Whether one is unknown.
  var isIncomplete: Bool { log == nil || index == nil }

  /// What happened to the open files.
  enum Fate: Equatable {
    case present
    /// Gone, and not replaced.
    case missing
    /// At least one was replaced.
    case replaced
  }

  /// What happened to the files of a connection in WAL mode, if `now` are at their paths.
  ///
  /// A file already missing when we attached counts as lost: the connection holds an unlinked
  /// inode.
  func fate(_ now: WALFiles) -> Fate {
    if !isIncomplete, now == self { return .present }
    let isReplaced =
      now.log != nil && now.log != log || now.index != nil && now.index != index
    return isReplaced ? .replaced : .missing
  }
}

/// Distinguishes checkpoints from other writes to the database file.
///
/// In WAL mode only a checkpoint writes to the file. It records its progress before it releases its
/// lock, but after it writes:
///
///     drain₁ ─ note₁ ─ drain₂ ─ note₂ ─ drain₃ ─ note₃
///                         └ written here ┘ seen by drain₃: a checkpoint that wrote it, and has let go
///                           of its lock, has counted its frames before a note that is taken after that,
///                           but perhaps before note₂ as well, and surely not before note₁
///
/// So a program that writes to the file within some milliseconds of a checkpoint isn't noticed. If it left another
/// beginning of page 1, ``TableTracker`` notices that when it builds its map, or at the next commit.
struct CheckpointNotes: Equatable {
  private var notes: [CheckpointProgress] = []

  /// Records a note after events were drained, and keeps the last three.
  mutating func add(_ note: CheckpointProgress) { notes = notes.suffix(2) + [note] }

  /// Whether a checkpoint is among the notes.
  var isSettling: Bool { notes.contains { $0 != notes[0] } }

  /// Whether no checkpoint explains a write between the last two drains, if none runs now.
  var areAllEqual: Bool { notes.count == 3 && notes.allSatisfy { $0 == notes[0] } }
}
