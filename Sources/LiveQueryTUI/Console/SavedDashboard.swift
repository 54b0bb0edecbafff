import Dashboard
import Glibc
import ObservationEngine

/// The dashboard file that `:save` writes; each panel is appended, and nothing is ever rewritten.
///
/// A file that the user wrote is only appended to if the user has seen the lines and agreed:
/// otherwise the first line of an existing file must say that `:save` made it. Removing that line
/// protects the file.
struct SavedDashboard {
  /// The first line of a file that is appended to.
  static let mark = "-- made by livequery with :save, which adds panels while this line is here"

  let path: String
  /// Whether it is the user's own: it exists, and may be a link.
  var isUsers = false

  /// The result of appending panels.
  struct Result: Equatable {
    /// The appended panels.
    var added: [String]
    /// The panels that the file already has, identically.
    var present: [String]
    /// How many panels the file has now.
    var count: Int
  }

  /// Whether two paths lead to one file.
  static func isSame(_ first: String, _ second: String) -> Bool {
    var (one, other) = (stat(), stat())
    return stat(first, &one) == 0 && stat(second, &other) == 0 && one.st_dev == other.st_dev
      && one.st_ino == other.st_ino
  }

  /// The lines that ``append(_:confirmed:)`` would write now.
  ///
  /// - Throws: ``Failure`` with the reason, also if all panels are there already.
  func addition(of panels: [PanelDefinition]) throws(Failure) -> String {
    let present = try TextFile.readRegular(path)
    let (text, result) = try addition(of: panels, to: present)
    guard !result.added.isEmpty else {
      throw Failure(result.description(file: path.lastPathPart), status: ExitStatus.usage)
    }
    return text
  }

  /// Appends panels, all or none; identical panels that the file already has are skipped.
  ///
  /// - Parameter confirmed: The lines that the user has seen, for a file of the user's own.
  /// - Throws: ``Failure`` with the reason: the file is the user's own, has a different panel of
  ///   the same name, or can't be written.
  func append(
    _ panels: [PanelDefinition], confirmed: String? = nil
  ) throws(Failure) -> Result {
    let descriptor = try TextFile.openRegular(
      path, O_RDWR | O_APPEND | (isUsers ? 0 : O_CREAT | O_NOFOLLOW))
    defer { close(descriptor) }
    // Two sessions must not both start the file, nor must the screen block until another one is
    // done. If files can't be locked, they are written without a lock.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw Failure(
        "\(path): another program has locked it; try again when that is done",
        status: ExitStatus.cannotOpen)
    }
    let present = try TextFile.read(descriptor, named: path)
    if !isUsers, !present.isEmpty, !present.hasPrefix(Self.mark) {
      throw Failure(
        "\(path) is your own file; :save does not touch it. Choose another name",
        status: ExitStatus.usage)
    }
    let (text, result) = try addition(of: panels, to: present)
    if let confirmed, confirmed != text {
      throw Failure(
        "\(path.lastPathPart) has changed since these lines were shown; :save again",
        status: ExitStatus.usage)
    }
    if !result.added.isEmpty { try write(text, to: descriptor) }
    return result
  }

  /// What makes panels a part of a file with this text.
  private func addition(
    of panels: [PanelDefinition], to present: String
  ) throws(Failure) -> (text: String, result: Result) {
    let known = DashboardParser.parse(present).definition
    var result = Result(added: [], present: [], count: known.panels.count)
    var text = present.isEmpty && !isUsers ? Self.mark + "\n" : ""
    if !present.isEmpty, !present.hasSuffix("\n") { text += "\n" }
    // Without it, the last query would go on in these lines.
    if let last = SQLTokenizer.tokens(of: present).last, !last.isSymbol(";") { text += ";\n" }
    for panel in panels {
      if let same = known.panels.first(where: { $0.name == panel.name }) {
        guard Self.sql(of: panel)?.isExactly(same.sql) == true else {
          throw Failure(
            "\(path) has another panel \(panel.name) already; :pin OTHERNAME, and save that",
            status: ExitStatus.usage)
        }
        result.present.append(panel.name)
      } else {
        text += Self.text(of: panel, isBelow: !known.layout.isEmpty || !known.presets.isEmpty)
        result.added.append(panel.name)
      }
    }
    result.count += result.added.count
    // A dashboard could read a comment within the query as a directive, or these lines as a part of
    // its last query.
    let parsed = DashboardParser.parse(present + text)
    if let error = parsed.diagnostics.first(where: { $0.severity == .error }) {
      throw Failure("\(path) would be no dashboard: \(error.message)", status: ExitStatus.usage)
    }
    guard parsed.definition.panels.map(\.sql).starts(with: known.panels.map(\.sql)),
      parsed.definition.panels.count == result.count
    else {
      throw Failure(
        "\(path) would have other queries with these lines; end its last one with \";\"",
        status: ExitStatus.usage)
    }
    return (text, result)
  }

  /// The query as it reads back from a file.
  private static func sql(of panel: PanelDefinition) -> String? {
    DashboardParser.parse(text(of: panel)).definition.panels.first?.sql
  }

  /// The text of a panel in a dashboard file, after an empty line.
  ///
  /// - Parameter isBelow: Whether it gets a row of its own below a layout.
  static func text(of panel: PanelDefinition, isBelow: Bool = false) -> String {
    // After a comment, a semicolon would be part of it.
    let end = SQLTokenizer.tokens(of: panel.sql).last?.range.upperBound ?? 0
    let semicolon = end == panel.sql.utf8.count ? ";" : "\n;"
    let place = isBelow ? "-- place: below\n" : ""
    return "\n-- name: \(panel.name)\n\(panel.directiveLines)\(place)\(panel.sql)\(semicolon)\n"
  }

  private func write(_ text: String, to descriptor: Int32) throws(Failure) {
    let length = lseek(descriptor, 0, SEEK_END)
    let number = TextFile.write(Array(text.utf8), to: descriptor)
    guard number != 0 else { return }
    // Half a query would not be a valid dashboard.
    if length >= 0 { _ = ftruncate(descriptor, length) }
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
