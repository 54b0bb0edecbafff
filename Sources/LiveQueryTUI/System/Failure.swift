import Dashboard
import Glibc
import ObservationEngine

/// The exit statuses of the program.
enum ExitStatus {
  static let done: Int32 = 0
  static let sqlError: Int32 = 1
  static let usage: Int32 = 2
  static let cannotOpen: Int32 = 3
  static let timeout: Int32 = 4
  /// An alert was raised, and `--fail-on-alert` asked for this.
  static let alert: Int32 = 5
}

/// Why the program ends before its work is done: a message for standard error, and a status.
struct Failure: Error, Equatable {
  let message: String
  let status: Int32

  init(_ message: String, status: Int32) {
    self.message = message
    self.status = status
  }

  /// A failure of a call of the system on this file.
  ///
  /// - Parameter number: The value of `errno`.
  init(_ path: String, errno number: Int32, status: Int32) {
    self.init("\(path): \(String(cString: strerror(number)))", status: status)
  }

  /// What is found in place of a file is a folder, a pipe, a device.
  static func notRegular(_ path: String) -> Failure {
    Failure("\(path) is not a regular file", status: ExitStatus.usage)
  }

  /// A failure to open or read the database file itself.
  init(opening path: String, _ error: any Error) {
    var text = (error as? DatabaseError)?.message ?? String(describing: error)
    // As psql takes it.
    let isName = !path.isEmpty && !path.utf8.contains { "/.:".utf8.contains($0) }
    if isName, text.hasSuffix("there is no such file") {
      text += "; a database of a server is postgres:///\(path)"
    }
    self.init(
      text.hasPrefix(path) ? text : "\(path): \(text)", status: ExitStatus.cannotOpen)
  }
}

extension DatabaseError {
  /// The exit status of a program that ends with this error.
  var exitStatus: Int32 {
    switch code.primary {
    case .busy, .cannotOpen, .notADatabase, .inputOutput: ExitStatus.cannotOpen
    default: ExitStatus.sqlError
    }
  }
}
