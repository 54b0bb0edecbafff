import Dashboard
import Glibc
import ObservationEngine

/// The dashboard file that `:save` writes; each panel is appended.
///
/// It never touches a file that the user wrote: it appends to an existing file only if its first
/// line says that `:save` made it. Removing that line protects the file.
struct SavedDashboard {
  /// The first line of a file that is appended to.
  static let mark = "-- made by livequery with :save, which adds panels while this line is here"

  let path: String

  /// The result of appending panels.
  struct Result: Equatable {
    /// The appended panels.
    var added: [String]
    /// The panels that the file already has, identically.
    var present: [String]
    /// How many panels the file has now.
    var count: Int
  }

  /// Appends panels, all or none; identical panels that the file already has are skipped.
  ///
  /// - Throws: ``Failure`` with the reason: the file is the user's own, has a different panel of
  ///   the same name, or can't be written.
  func append(_ panels: [PanelDefinition]) throws(Failure) -> Result {
    let descriptor = try TextFile.openRegular(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW)
    defer { close(descriptor) }
    // Two sessions must not both start the file, nor must the screen block until another one is
    // done. If files can't be locked, they are written without a lock.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw Failure(
        "\(path): another program has locked it; try again when that is done",
        status: ExitStatus.cannotOpen)
    }
    let present = try TextFile.read(descriptor, named: path)
    if !present.isEmpty, !present.hasPrefix(Self.mark) {
      throw Failure(
        "\(path) is your own file; :save does not touch it. Choose another name",
        status: ExitStatus.usage)
    }
    let known = DashboardParser.parse(present).definition.panels
    var result = Result(added: [], present: [], count: known.count)
    var text = present.isEmpty ? Self.mark + "\n" : ""
    if !present.isEmpty, !present.hasSuffix("\n") { text += "\n" }
    for panel in panels {
      if let same = known.first(where: { $0.name == panel.name }) {
        guard same.sql == Self.sql(of: panel) else {
          throw Failure(
            "\(path) has another panel \(panel.name) already; :pin OTHERNAME, and save that",
            status: ExitStatus.usage)
        }
        result.present.append(panel.name)
      } else {
        text += Self.text(of: panel)
        result.added.append(panel.name)
      }
    }
    guard !result.added.isEmpty else { return result }
    result.count += result.added.count
    // A dashboard could read a comment within the query as a directive.
    let parsed = DashboardParser.parse(present + text)
    if let error = parsed.diagnostics.first(where: { $0.severity == .error }) {
      throw Failure("\(path) would be no dashboard: \(error.message)", status: ExitStatus.usage)
    }
    try write(text, to: descriptor)
    return result
  }

  /// The query as it reads back from a file.
  private static func sql(of panel: PanelDefinition) -> String? {
    DashboardParser.parse(text(of: panel)).definition.panels.first?.sql
  }

  /// The text of a panel in a dashboard file, after an empty line.
  static func text(of panel: PanelDefinition) -> String {
    // After a comment, a semicolon would be part of it.
    let end = SQLTokenizer.tokens(of: panel.sql).last?.range.upperBound ?? 0
    let semicolon = end == panel.sql.utf8.count ? ";" : "\n;"
    return "\n-- name: \(panel.name)\n\(panel.sql)\(semicolon)\n"
  }

  private func write(_ text: String, to descriptor: Int32) throws(Failure) {
    let length = lseek(descriptor, 0, SEEK_END)
    let number = TextFile.write(Array(text.utf8), to: descriptor)
    guard number != 0 else { return }
    // Half a query would not be a valid dashboard.
    if length >= 0 { ftruncate(descriptor, length) }
    throw failure(number)
  }

  private func failure(_ number: Int32) -> Failure {
    Failure(path, errno: number, status: ExitStatus.cannotOpen)
  }
}

extension SavedDashboard.Result {
  /// The message for the user.
  func description(file: String) -> String {
    func isThere(_ names: [String]) -> String { names.count == 1 ? "is there" : "are there" }
    let old = present.joined(separator: ", ")
    guard !added.isEmpty else { return "\(old) \(isThere(present)) already; nothing was written" }
    let new = added.joined(separator: ", ")
    let rest = present.isEmpty ? "" : " (\(old) \(isThere(present)) already)"
    return "Saved \(new) to \(file)\(rest). Open it with: livequery DATABASE \(file)"
  }
}
