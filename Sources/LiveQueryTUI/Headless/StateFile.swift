import Glibc
import ObservationEngine

/// The file of `--state`, private to its owner, and reserved for this process.
final class StateFile: Sendable {
  private let path: String
  /// Has the reservation, and stays open until the process ends: closing it would take SQLite's
  /// locks on the same file with it (https://www.sqlite.org/howtocorrupt.html, section 2.2).
  private let descriptor: Int32

  /// - Parameter watched: The file of the database that is observed; empty without one.
  /// - Throws: ``Failure`` when the file is the database's, or another process has it.
  init(_ path: String, watching watched: String) throws(Failure) {
    self.path = path
    try UserFiles.refuse(
      path, of: "--state",
      databases: [
        UserFiles.Read(path: watched.isEmpty ? nil : watched, what: "the database itself")
      ])
    descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Failure(path, errno: errno, status: ExitStatus.cannotOpen)
    }
    // No error from here on closes the descriptor: the file may be the database, which SQLite has
    // open.
    var info = stat()
    guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
      throw Failure.notRegular(path)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw Failure(
        "--state \(path): another process uses it", status: ExitStatus.cannotOpen)
    }
    // An empty file becomes a state, also one that another program made.
    if info.st_size == 0 { fchmod(descriptor, 0o600) }
  }

  /// Opens the database in it.
  ///
  /// - Parameter prepare: Makes an empty database a state, and refuses any other.
  /// - Throws: ``Failure`` when there is something else in it.
  func open(
    _ configuration: Configuration, prepare: @escaping @Sendable (Connection) throws -> Void
  ) throws(Failure) -> Database {
    var configuration = configuration
    configuration.createsFile = false
    // A commit needs no wait for the disk: after a loss of power, lines may come again.
    configuration.prepareConnection = { try $0.execute(script: "PRAGMA synchronous = NORMAL") }
    let database: Database
    do { database = try Database(path: path, configuration: configuration) } catch {
      throw Failure(opening: path, error)
    }
    do {
      try database.writeWaiting { connection in
        try prepare(connection)
        try connection.execute(
          "CREATE TABLE IF NOT EXISTS place (device INTEGER, inode INTEGER, position INTEGER)")
      }
      try database.withoutTransactionWaiting { connection in
        try connection.execute(script: "PRAGMA journal_mode = WAL")
      }
    } catch {
      database.shutDown()
      let text = (error as? DatabaseError)?.message ?? "\(error)"
      throw Failure("--state \(path): \(text)", status: ExitStatus.cannotOpen)
    }
    return database
  }

  /// Notes where lines will begin in the output that are stored, but not known to be printed.
  static func note(_ place: Output.Place?, _ connection: Connection) throws {
    try connection.execute("DELETE FROM place")
    guard let place else { return }
    try connection.execute(
      "INSERT INTO place VALUES (\(place.device), \(place.inode), \(place.position))")
  }

  /// What was noted last.
  static func place(_ connection: Connection) throws -> Output.Place? {
    let rows = try connection.fetchAll("SELECT device, inode, position FROM place").rows
    guard let row = rows.first, case .integer(let device) = row[0],
      case .integer(let inode) = row[1], case .integer(let position) = row[2]
    else { return nil }
    return Output.Place(device: device, inode: inode, position: position)
  }
}
