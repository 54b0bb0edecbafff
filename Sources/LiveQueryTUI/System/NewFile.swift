import Dashboard
import Glibc
import Synchronization

/// A new file, written in large pieces under another name next to its final one until it is
/// complete.
///
/// ## Guarantees
/// - A reader finds either no file of its name, or all of it; an existing one is never touched.
/// - Nothing remains of it when it is discarded, when an error occurs, or when the program ends by
///   itself or by a signal that it reads.
struct NewFile: ~Copyable {
  /// Why a file is not written.
  struct Refusal: Error {
    let reason: String
  }

  /// The path as typed.
  private let shownPath: String
  private let path: String
  /// Its temporary path until it is complete.
  private let partPath: String
  private let descriptor: Int32
  private var gathered: [UInt8] = []
  private var bytes = 0
  /// The error; 0 for none.
  private(set) var error: Int32 = 0

  /// Creates the file.
  ///
  /// - Throws: When it exists already, or can't be created.
  init(_ shownPath: String, home: String?) throws(Refusal) {
    let path = Paths.expanded(shownPath, home: home)
    var status = stat()
    guard lstat(path, &status) != 0 else { throw Self.refusal(shownPath, EEXIST) }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let part = PartialFiles.make(in: folder)
    guard part.descriptor >= 0 else { throw Self.refusal(shownPath, errno) }
    self.shownPath = shownPath
    self.path = path
    partPath = part.path
    descriptor = part.descriptor
  }

  mutating func append(_ text: String) {
    gathered += text.utf8
    if gathered.count >= 1 << 16 { flush() }
  }

  /// Gives the file its name and returns the outcome.
  consuming func finish(rows: Int) -> ExportOutcome {
    flush()
    if close(descriptor) != 0, error == 0 { error = errno }
    let number = error
    guard number == 0 else {
      PartialFiles.remove(partPath)
      return .refused(Self.refusal(shownPath, number).reason)
    }
    let failure = PartialFiles.rename(partPath, to: path)
    guard failure == 0 else { return .refused(Self.refusal(shownPath, failure).reason) }
    return .written(path: shownPath, rows: rows, bytes: bytes)
  }

  /// Removes the incomplete file.
  consuming func discard() {
    close(descriptor)
    PartialFiles.remove(partPath)
  }

  private mutating func flush() {
    if error == 0 { error = TextFile.write(gathered, to: descriptor) }
    bytes += gathered.count
    gathered.removeAll(keepingCapacity: true)
  }

  private static func refusal(_ shownPath: String, _ number: Int32) -> Refusal {
    Refusal(
      reason: number == EEXIST
        ? "\(shownPath) exists; choose another name"
        : Failure(shownPath, errno: number, status: ExitStatus.cannotOpen).message)
  }
}

/// The incomplete files, which are removed when the program ends.
enum PartialFiles {
  /// By path; nil when the program ends, and no more are created.
  private static let paths = Mutex<Set<String>?>([])

  /// Creates a file.
  ///
  /// - Parameter folder: With a trailing slash, or empty.
  /// - Returns: Its path and its descriptor: -1 with `errno` when it can't be created.
  static func make(in folder: String) -> (path: String, descriptor: Int32) {
    paths.withLock { paths in
      guard paths != nil else {
        errno = ECANCELED
        return ("", -1)
      }
      while true {
        // Short, however long the other name is.
        let path = folder + ".livequery-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        if descriptor >= 0 { paths?.insert(path) }
        if descriptor >= 0 || errno != EEXIST { return (path, descriptor) }
      }
    }
  }

  /// Gives a complete file its name, unless that name exists.
  ///
  /// - Returns: 0, or the number of the error; then the file is removed.
  static func rename(_ path: String, to name: String) -> Int32 {
    paths.withLock { paths in
      guard paths?.remove(path) != nil else { return ECANCELED }
      // Unlike rename(2), it replaces nothing.
      var number = link(path, name) == 0 ? 0 : errno
      if number == 0 || number == EEXIST {
        unlink(path)
        return number
      }
      // A file system without links: a file that appears right now is lost.
      var status = stat()
      number = lstat(name, &status) == 0 ? EEXIST : Glibc.rename(path, name) == 0 ? 0 : errno
      if number != 0 { unlink(path) }
      return number
    }
  }

  static func remove(_ path: String) {
    paths.withLock { paths in
      if paths?.remove(path) != nil { unlink(path) }
    }
  }

  /// Removes all of them, once, when the program ends.
  static func end() {
    paths.withLock { paths in
      for path in paths ?? [] { unlink(path) }
      paths = nil
    }
  }
}
