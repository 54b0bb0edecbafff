import Dashboard
import Glibc

/// The hooks that the user has confirmed, in `$XDG_STATE_HOME/livequery/trusted`.
///
/// A line is a SHA-256 digest and, for the user, its subject. The digest covers the dashboard's
/// path and its whole text, so a file that was changed or copied elsewhere is asked about again;
/// removing a line revokes the confirmation.
struct TrustFile {
  /// Bytes that are read: thousands of confirmations.
  private static let readLimit = 1_000_000

  let path: String

  /// - Returns: nil without a home.
  init?(environment: (String) -> String?) {
    guard let path = Paths.state("trusted", environment) else { return nil }
    self.path = path
  }

  init?() {
    self.init(environment: Paths.environment)
  }

  /// The digest of a dashboard file.
  static func digest(path: String, text: String) -> String {
    ContentDigest.sha256(Array("file\0\(path)\0\(text)".utf8))
  }

  /// The digest of a command of `--exec`, in the folder where it runs.
  static func digest(command: String, folder: String) -> String {
    ContentDigest.sha256(Array("exec\0\(folder)\0\(command)".utf8))
  }

  /// Whether this was confirmed. A file that can't be read confirms nothing.
  func contains(_ digest: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.readLimit)
    let count = read(descriptor, &bytes, bytes.count)
    return bytes[..<max(0, count)].split(separator: 0x0a).contains {
      $0.prefix { $0 != UInt8(ascii: " ") }.elementsEqual(digest.utf8)
    }
  }

  /// Adds a confirmation.
  ///
  /// - Throws: ``Failure`` with the reason; the confirmation then applies to this session only.
  func add(_ digest: String, of subject: String) throws(Failure) {
    Paths.makeFolders(above: path)
    let descriptor = open(
      path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw failure(errno) }
    defer { close(descriptor) }
    let line = "\(digest)  \(subject.split(whereSeparator: \.isNewline).joined(separator: " "))\n"
    var bytes = Array(line.utf8)
    let count = write(descriptor, &bytes, bytes.count)
    guard count == bytes.count else { throw failure(count < 0 ? errno : ENOSPC) }
  }

  private func failure(_ number: Int32) -> Failure {
    Failure(
      "the confirmation holds for this session only: \(path): \(String(cString: strerror(number)))",
      status: ExitStatus.cannotOpen)
  }
}
