/// The statements of earlier sessions, in `$XDG_STATE_HOME/livequery/history`.
struct HistoryFile {
  /// Entries read at the start.
  static let limit = LineFile.limit

  private let file: LineFile

  var path: String { file.path }

  /// - Returns: nil without a home.
  init?(environment: Paths.Environment = Paths.environment) {
    let file = LineFile("history", of: "the console's history", environment: environment)
    guard let file else { return nil }
    self.file = file
  }

  /// The entries; empty when there is no file, or it can't be read.
  func read() -> [String] { file.read() }

  /// Adds an entry.
  ///
  /// - Throws: ``Failure`` with the reason; the session continues without.
  func append(_ entry: String) throws(Failure) { try file.append(entry) }
}
