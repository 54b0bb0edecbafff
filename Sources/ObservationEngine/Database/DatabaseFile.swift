internal import Glibc
internal import Synchronization

/// The file of a database, and the way to open connections to it.
package final class DatabaseFile: Sendable {
  /// The inode at a path.
  package typealias Identity = FileIdentity

  /// The path as given.
  package let path: String
  private let resolvedPath: Mutex<String>
  /// The inode at the path when the database was opened.
  package let firstIdentity: Identity?
  /// Whether there was no file, or an empty one, so that it has no journal mode yet.
  let isNew: Bool
  /// The program that owns the file, which is then only read.
  package let owner: FileOwner?

  /// The path without symbolic links: SQLite keeps -wal and -journal next to it.
  package var realPath: String { resolvedPath.withLock { $0 } }

  /// Finds the file, or explains what is wrong with it in more detail than SQLite would.
  ///
  /// - Throws: `DatabaseError` with code `cannotOpen`.
  init(path: String, configuration: Configuration) throws(DatabaseError) {
    try Self.checkName(path)
    self.path = path
    var info = stat()
    var isNew = false
    if stat(path, &info) != 0 {
      isNew = true
      let number = errno
      guard configuration.createsFile, number == ENOENT else {
        throw Self.cannotOpen(path, number)
      }
      guard !configuration.isReadOnly else {
        throw Self.cannotOpen(path, number, remedy: "; a read-only database isn't created")
      }
      guard Self.makeEmpty(at: path) != nil || errno == EEXIST else {
        throw Self.cannotOpen(path, errno)
      }
    } else if info.st_mode & S_IFMT == S_IFDIR {
      throw DatabaseError(
        code: .cannotOpen, message: "\(path) is a directory; name the database file in it")
    } else if info.st_mode & S_IFMT != S_IFREG {
      throw DatabaseError(code: .cannotOpen, message: "\(path) is not a regular file")
    }
    self.isNew = isNew || info.st_size == 0
    guard access(path, R_OK) == 0 else { throw Self.cannotOpen(path, errno) }
    guard let resolved = Self.resolve(path) else { throw Self.cannotOpen(path, errno) }
    resolvedPath = Mutex(resolved)
    firstIdentity = Self.identity(of: resolved)
    owner = FileOwner(
      ofFileAt: resolved, fileSystem: configuration.fileEvents.blindFileSystem)
  }

  /// Makes an empty file where there is none.
  ///
  /// - Returns: Its inode; `nil` when it can't be made, as `errno` says.
  static func makeEmpty(at path: String) -> Identity? {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return nil }
    // Another thread may have opened it by now.
    return ProcessFile.closeWhenUnused(descriptor)
  }

  /// Follows the symbolic links again, because their target may have changed.
  package func resolveAgain() {
    guard let resolved = Self.resolve(path) else { return }
    resolvedPath.withLock { $0 = resolved }
  }

  private static func resolve(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The folder of the real file.
  package var folder: String {
    let path = realPath
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// The name of the real file within ``folder``.
  package var name: String {
    String(realPath.split(separator: "/").last ?? "")
  }

  package var walPath: String { realPath + "-wal" }
  var journalPath: String { realPath + "-journal" }
  package var shmPath: String { realPath + "-shm" }

  /// The inode at `path` now; `nil` if there is none.
  package static func identity(of path: String) -> Identity? {
    var info = stat()
    guard stat(path, &info) == 0 else { return nil }
    return Identity(info)
  }

  /// The inodes at the paths, each with its path.
  private static func identities(of paths: [String]) -> [Identity: String] {
    Dictionary(
      paths.compactMap { path in identity(of: path).map { ($0, path) } }, uniquingKeysWith: { $1 })
  }

  /// The size in bytes of the file at `path`; `nil` if there is none.
  package static func size(of path: String) -> Int64? {
    var info = stat()
    guard stat(path, &info) == 0 else { return nil }
    return Int64(info.st_size)
  }

  /// Opens a connection and reads once, to report a bad file here.
  func open(_ options: Connection.Options) throws(DatabaseError) -> Connection {
    var options = options
    if let owner {
      options.isReadOnly = true
      options.writeRefusal = owner.refusal
    }
    do {
      return try openOnce(options)
    } catch {
      // In a read-only folder, a WAL database has no place for its -shm file. Without a -wal file
      // everything is in the database file, which can be read as immutable. If the file changes
      // later, the engine opens it again. A journal says that the file has half of a transaction.
      guard [.cannotOpen, .readOnly].contains(error.code.primary), access(folder, W_OK) != 0,
        !hasJournal(orUnreadable: true), (Self.size(of: walPath) ?? 0) == 0
      else { throw explained(error) }
      options.isReadOnly = true
      options.isImmutable = true
      do { return try openOnce(options) } catch { throw explained(error) }
    }
  }

  /// Whether a journal of an unfinished transaction is next to the file: a journal kept after a commit is empty (TRUNCATE),
  /// or starts with zeros (PERSIST).
  ///
  /// - Parameter isUnreadable: What to say of one that can't be read.
  func hasJournal(orUnreadable isUnreadable: Bool) -> Bool {
    let descriptor = Glibc.open(journalPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return isUnreadable && (Self.size(of: journalPath) ?? 0) > 0 }
    defer { close(descriptor) }
    var first: UInt8 = 0
    return pread(descriptor, &first, 1, 0) == 1 && first != 0
  }

  private func openOnce(_ options: Connection.Options) throws(DatabaseError) -> Connection {
    let path = realPath
    let paths = [path] + options.attachments.map(\.path)
    // Counted from before its first lock until after its close; see ProcessFile. If the file was
    // replaced meanwhile, the connection may have either inode open, so both are counted.
    let before = try enter(paths, patience: options.busyTimeout)
    let connection: Connection
    do { connection = try Connection(path: path, options: options) } catch {
      for identity in before.keys { ProcessFile(identity).connectionDidClose() }
      throw error
    }
    let new = Self.identities(of: paths).filter { before[$0.key] == nil }
    for (identity, path) in new { ProcessFile(identity).connectionDidOpen(at: path) }
    for identity in [before, new].flatMap(\.keys) {
      let file = ProcessFile(identity)
      connection.lease.onClose.append { file.connectionDidClose() }
      if let emptyings = file.emptyings { connection.lease.emptyings.append(emptyings) }
    }
    if let identity = Self.identity(of: path) {
      // An inode that was at the path before and after is the one that was opened.
      if before[identity] != nil {
        connection.life.didOpen(identity)
      }
      let log = OpenWAL(database: path, identity: identity)
      connection.lease.logEnding = log.ending
      connection.lease.closeExclusively = ProcessFile(identity).closeLock.closeExclusively
    }
    if options.isReader { connection.spareWriteLock(true) }
    _ = try connection.renewIfSchemaChanged()
    return connection
  }

  /// Counts a connection to these files, once this process may open one.
  ///
  /// It waits even with a timeout of zero for connections that this process is about to close: that
  /// takes milliseconds, or as long as its own jobs still read.
  ///
  /// - Parameter patience: How long to wait for other programs to release the file.
  /// - Throws: `DatabaseError` with code `busy` when it may not by then.
  private func enter(
    _ paths: [String], patience: Duration
  ) throws(DatabaseError) -> [Identity: String] {
    let start = SystemClock.monotonic()
    while true {
      let identities = Self.identities(of: paths)
      guard let hold = hold(before: identities) ?? ProcessFile.connectionWillOpen(identities)
      else { return identities }
      let limit: Duration? =
        switch hold.purpose {
        case .keepingOut: max(.zero, patience)
        case .emptying: max(.seconds(1), patience)
        case .resting: nil
        }
      if let limit, SystemClock.monotonic() - start >= limit.clockNanoseconds {
        throw DatabaseError(code: .busy, message: hold.reason)
      }
      usleep(1_000)
    }
  }

  /// Blocks the opening of a database whose files this process has open, but no longer finds:
  /// - while it still has the -shm file open through connections to the database it replaced; asks for those to
  ///   be closed.
  /// - when the -wal was deleted, until the detector has decided what becomes of it: a connection that
  ///   is opened now would make another one.
  private func hold(before new: [Identity: String]) -> ProcessFile.OpenHold? {
    for (identity, path) in new {
      if ProcessFile(identity).isWaitingForDetector(path) {
        // It may be that of a database which was replaced, and then the detector has nothing to decide.
        for former in ProcessFile(identity).formers(at: path) { former.closeAllIdle() }
        return ProcessFile.OpenHold(
          owner: ObjectIdentifier(self), purpose: .keepingOut,
          reason: "\(path)-wal was deleted while it was open")
      }
      guard let former = ProcessFile(identity).former(at: path) else { continue }
      former.closeAllIdle()
      return ProcessFile.OpenHold(
        owner: ObjectIdentifier(self), purpose: .emptying,
        reason: "\(path) was replaced, and the file that stood there is still being read")
    }
    return nil
  }

  private func explained(_ error: DatabaseError) -> DatabaseError {
    // The path as it was given may lead nowhere, where SQLite was given the one without links.
    var info = stat()
    if error.code.primary == .cannotOpen, stat(path, &info) != 0 {
      return DatabaseError(code: error.code, message: Self.cannotOpen(path, errno).message)
    }
    let isPermitted = access(folder, W_OK) == 0
    let reason =
      if isPermitted, error.code.primary == .readOnly, hasJournal(orUnreadable: true) {
        "a transaction in \(journalPath) has to be rolled back first, which takes a connection that may write"
      } else if ![.cannotOpen, .readOnly].contains(error.code.primary) || isPermitted {
        error.message
      } else if hasJournal(orUnreadable: true) {
        "a transaction in \(journalPath) has to be rolled back first, which takes permission to write the folder"
      } else if error.code.primary == .cannotOpen, (Self.size(of: walPath) ?? 0) > 0 {
        "it has commits in \(walPath), and to read them takes a -shm file next to it, or permission to write the folder"
      } else {
        error.message
      }
    return DatabaseError(code: error.code, message: "\(path): \(reason)")
  }

  /// The folder of a path, if it doesn't exist.
  private static func missingFolder(_ path: String) -> String? {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
    let folder = String(path[..<slash])
    return access(folder, F_OK) == 0 ? nil : folder
  }

  private static func cannotOpen(
    _ path: String, _ number: Int32, remedy: String = ""
  ) -> DatabaseError {
    let reason =
      switch number {
      case ENOENT:
        missingFolder(path).map { "there is no folder \($0); create it first" }
          ?? "there is no such file"
      case EACCES: "no permission to read it"
      default: String(cString: strerror(number))
      }
    return DatabaseError(code: .cannotOpen, message: "\(path): \(reason)\(remedy)")
  }

  /// Refuses names that SQLite's own interface gives another meaning: as paths, they would silently
  /// be files in the current folder.
  private static func checkName(_ path: String) throws(DatabaseError) {
    let reason: String? =
      if path.isEmpty {
        DatabaseError.emptyPath
      } else if path == ":memory:" {
        DatabaseError.memoryPath
      } else if path.hasPrefix("file:") {
        "\(path) is a URI; give the path alone, or ./\(path) for a file of that name"
      } else {
        nil
      }
    if let reason { throw DatabaseError(code: .cannotOpen, message: reason) }
  }
}
