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

  /// Refuses panels that would have the same file, and whose file must not be written or is a
  /// symbolic link: where that leads was named by no option.
  ///
  /// - Throws: ``Failure``, and what `check` throws for the path of a file.
  static func check(
    _ panels: [String], in folder: String, _ format: ResultFormat,
    _ check: (_ path: String) throws(Failure) -> Void
  ) throws(Failure) {
    var known: [String: String] = [:]
    for panel in panels {
      let path = path(of: panel, in: folder, format)
      if let other = known.updateValue(panel, forKey: path) {
        throw Failure(
          "the panels \"\(other)\" and \"\(panel)\" would have the same file, \(path); rename one",
          status: ExitStatus.usage)
      }
      try check(path)
      var status = stat()
      guard lstat(path, &status) != 0 || status.st_mode & S_IFMT != S_IFLNK else {
        throw Failure(
          "\(path) is a symbolic link; remove it, or name another folder",
          status: ExitStatus.usage)
      }
    }
  }

  /// Creates the folder if it is missing.
  ///
  /// - Throws: ``Failure``.
  init(_ path: String, _ format: ResultFormat) throws(Failure) {
    folder = path
    self.format = format
    guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
      throw Failure(path, errno: errno, status: ExitStatus.cannotOpen)
    }
  }

  /// Writes the file of one panel, in place of an older one.
  ///
  /// - Throws: ``Failure``.
  func write(_ panel: (name: String, result: RowSet), nullText: String) throws {
    let output = Output(path: Self.path(of: panel.name, in: folder, format))
    format.write([panel], nullText: nullText) { output.write($0) }
    try output.flushWaiting()
  }

  private static func path(
    of panel: String, in folder: String, _ format: ResultFormat
  ) -> String {
    (folder.hasSuffix("/") ? folder : folder + "/") + name(panel) + "." + format.extension
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

extension Arguments {
  /// The format of `--once`; tables if none is named.
  var resultFormat: ResultFormat {
    ResultFormat(rawValue: (format ?? .table).rawValue) ?? .table
  }
}
