import Glibc
import ObservationEngine

/// Files that the program reads: nothing that it writes may take their place.
enum UserFiles {
  /// Refuses to write to a file that is read.
  ///
  /// - Parameters:
  ///   - option: The option that names the file, for the message.
  ///   - database: The file of the database; nil without one.
  ///   - others: Other files that are read, with what they are.
  /// - Throws: ``Failure``.
  static func refuse(
    _ path: String, of option: String, database: String?,
    others: [(path: String?, what: String)] = []
  ) throws(Failure) {
    let files = [(database, "the database itself")] + others.map { ($0.path, $0.what) }
    let identity = DatabaseFile.identity(of: path)
    for case (let file?, let what) in files
    where identity != nil && identity == DatabaseFile.identity(of: file) {
      throw Failure(
        "\(option) \(path): this is \(what); name another file", status: ExitStatus.usage)
    }
    guard let database, isPart(path, of: database) else { return }
    throw Failure(
      "\(option) \(path): SQLite keeps a part of the database there; name another file",
      status: ExitStatus.usage)
  }

  /// Whether SQLite would take a file for a part of the database, whether or not it exists.
  private static func isPart(_ path: String, of database: String) -> Bool {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    guard let folder = resolved(folder), let database = resolved(database) else { return false }
    let full = (folder == "/" ? "" : folder) + "/" + name
    return ["-wal", "-shm", "-journal"].contains { full == database + $0 }
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
