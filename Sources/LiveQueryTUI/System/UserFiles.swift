import Glibc
import ObservationEngine

/// Files that the program reads: nothing that it writes may take their place.
enum UserFiles {
  /// A file that is read, and what it is.
  struct Read {
    /// nil when it isn't named; `-` for standard input.
    let path: String?
    let what: String
  }

  private static let suffixes = ["-wal", "-shm", "-journal"]

  /// Refuses to write to a file that is read.
  ///
  /// - Parameters:
  ///   - option: The option that names the file, for the message.
  ///   - databases: Files of SQLite; parts of them may be next to them.
  ///   - others: Other files.
  /// - Throws: ``Failure``.
  static func refuse(
    _ path: String, of option: String, databases: [Read], others: [Read] = []
  ) throws(Failure) {
    for file in databases + others where areSame(path, file.path) {
      throw Failure(
        "\(option) \(path): this is \(file.what); name another file", status: ExitStatus.usage)
    }
    for case let database? in databases.map(\.path) {
      guard suffixes.contains(where: { areSame(path, (resolved(database) ?? database) + $0) })
      else { continue }
      throw Failure(
        "\(option) \(path): SQLite keeps a part of the database there; name another file",
        status: ExitStatus.usage)
    }
  }

  /// Whether two paths lead to the same regular file, or would if there was one.
  private static func areSame(_ path: String, _ other: String?) -> Bool {
    guard let other, path != "-" else { return false }
    var (own, read) = (stat(), stat())
    let exists = stat(path, &own) == 0
    guard (other == "-" ? fstat(STDIN_FILENO, &read) : stat(other, &read)) == 0, exists else {
      guard !exists, other != "-", let place = place(of: path) else { return false }
      return place == self.place(of: other)
    }
    // Devices and pipes keep nothing that could be lost.
    return own.st_mode & S_IFMT == S_IFREG && own.st_dev == read.st_dev
      && own.st_ino == read.st_ino
  }

  /// Where a file would be made.
  private static func place(of path: String, links: Int = 8) -> String? {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    // A link whose target is missing.
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count - 1)
    if count > 0, links > 0 {
      let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return place(of: target.hasPrefix("/") ? target : "\(folder)/\(target)", links: links - 1)
    }
    return resolved(folder).map { ($0 == "/" ? "" : $0) + "/" + name }
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
