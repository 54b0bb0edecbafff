import Dashboard
import Glibc
import ObservationEngine

/// The dashboard file that `:save` writes: a panel below the other, each appended.
///
/// A file that a person wrote is never touched: what exists is appended to only if its first line says
/// that `:save` made it. Whoever removes that line keeps the file to themselves.
struct SavedDashboard {
  /// The first line of a file that is appended to.
  static let mark = "-- made by livequery with :save, which adds panels while this line is here"

  let path: String

  /// Appends a panel.
  ///
  /// - Returns: How many panels the file has now.
  /// - Throws: ``Failure`` with the reason: the file is somebody's own, has such a panel, cannot be
  ///   written.
  func append(_ panel: PanelDefinition) throws(Failure) -> Int {
    let descriptor = try TextFile.openRegular(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW)
    defer { close(descriptor) }
    // Two sessions must not both begin the file; nor must the screen stand still until another one is
    // done. Where files cannot be locked, they are written without.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw Failure(
        "\(path): another program has locked it; try again when that is done",
        status: ExitStatus.cannotOpen)
    }
    let present = try TextFile.read(descriptor, named: path)
    if !present.isEmpty, !present.hasPrefix(Self.mark) {
      throw Failure(
        "\(path) was not made by :save, and stays as it is; give another name",
        status: ExitStatus.usage)
    }
    let panels = DashboardParser.parse(present).definition.panels
    if panels.contains(where: { $0.name == panel.name }) {
      throw Failure(
        "\(path) has a panel \(panel.name) already; :pin OTHERNAME, and save that",
        status: ExitStatus.usage)
    }
    var text = present.isEmpty ? Self.mark + "\n" : ""
    if !present.isEmpty, !present.hasSuffix("\n") { text += "\n" }
    text += Self.text(of: panel)
    // A remark within the query can be what a dashboard takes for a directive.
    let parsed = DashboardParser.parse(present + text)
    if let error = parsed.diagnostics.first(where: { $0.severity == .error }) {
      throw Failure("\(path) would be no dashboard: \(error.message)", status: ExitStatus.usage)
    }
    try write(text, to: descriptor)
    return panels.count + 1
  }

  /// A panel as a dashboard file has it, behind an empty line.
  static func text(of panel: PanelDefinition) -> String {
    // Behind a remark a semicolon would be a part of it.
    let end = SQLTokenizer.tokens(of: panel.sql).last?.range.upperBound ?? 0
    let semicolon = end == panel.sql.utf8.count ? ";" : "\n;"
    return "\n-- name: \(panel.name)\n\(panel.sql)\(semicolon)\n"
  }

  private func write(_ text: String, to descriptor: Int32) throws(Failure) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure(count < 0 ? errno : ENOSPC) }
      bytes = bytes.dropFirst(count)
    }
  }

  private func failure(_ number: Int32) -> Failure {
    Failure("\(path): \(String(cString: strerror(number)))", status: ExitStatus.cannotOpen)
  }
}
