import Dashboard
import Glibc
import ObservationEngine

/// Writes a panel's rows to a new file.
enum ExportFile {
  /// Writes an export; an existing file is never touched.
  ///
  /// Blocks for as long as the disk takes: not for the thread of the screen.
  static func write(_ export: Export, home: String?) -> ExportOutcome {
    let path = expanded(export.path, home: home)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      return .refused(
        errno == EEXIST
          ? "\(export.path) exists; choose another name"
          : "\(export.path): \(String(cString: strerror(errno)))")
    }
    var bytes = 0
    var number: Int32 = 0
    var gathered: [UInt8] = []
    func flush() {
      var rest = gathered[...]
      while number == 0, !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
          bytes += count
          rest = rest.dropFirst(count)
        } else if errno != EINTR {
          number = errno
        }
      }
      gathered.removeAll(keepingCapacity: true)
    }
    export.write { text in
      gathered += text.utf8
      if gathered.count >= 1 << 16 { flush() }
    }
    flush()
    if close(descriptor) != 0, number == 0 { number = errno }
    guard number == 0 else {
      // Half a file would pass for a whole one.
      unlink(path)
      return .refused("\(export.path): \(String(cString: strerror(number)))")
    }
    return .written(path: export.path, rows: export.rows.rows.count, bytes: bytes)
  }

  /// `~/` is the home, as a shell has it.
  private static func expanded(_ path: String, home: String?) -> String {
    guard path.hasPrefix("~/"), let home, !home.isEmpty else { return path }
    return home + path.dropFirst(1)
  }
}
