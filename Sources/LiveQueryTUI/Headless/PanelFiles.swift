import Dashboard
import Glibc
import ObservationEngine

/// The folder of `-o DIR/`: a file for each panel.
struct PanelFiles {
  private let folder: String
  private let format: ResultFormat

  /// Whether a path names a folder: it ends in a slash, or is one.
  static func isFolder(_ path: String?) -> Bool {
    guard let path, path != "-" else { return false }
    var status = stat()
    return path.hasSuffix("/") || (stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR)
  }

  /// Creates the folder if it is missing.
  ///
  /// - Throws: ``Failure``.
  init(_ path: String, _ format: ResultFormat) throws(Failure) {
    folder = path.hasSuffix("/") ? path : path + "/"
    self.format = format
    guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
      throw Failure(path, errno: errno, status: ExitStatus.cannotOpen)
    }
  }

  /// Writes the file of one panel, in place of an older one.
  ///
  /// - Throws: ``Failure``.
  func write(_ panel: (name: String, result: RowSet), nullText: String) throws {
    let output = Output(path: folder + Self.name(panel.name) + "." + format.extension)
    format.write([panel], nullText: nullText) { output.write($0) }
    try output.flushWaiting()
  }

  /// A panel may have any name, but a file may not.
  private static func name(_ panel: String) -> String {
    let safe = panel.map { $0 == "/" || $0.isNewline || $0 == "\0" ? "_" : String($0) }.joined()
    return safe.hasPrefix(".") ? "_" + safe : safe
  }
}

extension ResultFormat {
  fileprivate var `extension`: String { self == .table ? "txt" : rawValue }
}
