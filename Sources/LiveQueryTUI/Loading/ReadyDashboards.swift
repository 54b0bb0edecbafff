import Dashboard
import Glibc

/// Dashboards for databases of known programs, chosen by name: `NAME.sql` in
/// `$XDG_CONFIG_HOME/livequery/dashboards`, in the `share/livequery/dashboards` next to the
/// program's `bin`, and those that the program contains.
struct ReadyDashboards {
  let files: NamedFiles

  /// Those of this user and this program.
  static let usual = ReadyDashboards(
    files: .usual("dashboards", suffix: ".sql", embedded: EmbeddedDashboards.self))

  /// Reads the dashboard that was asked for; nil unless its name is that of a ready one, and of no
  /// file.
  ///
  /// - Throws: ``Failure`` when the file cannot be read, or there is neither.
  func load(_ name: String) throws(Failure) -> LoadedDashboard? {
    guard name != "-", !name.contains("/"), access(name, F_OK) != 0 else { return nil }
    if let path = files.path(of: name) {
      var loaded = LoadedDashboard(
        reading: try TextFile.readRegular(path), named: TextFile.name(path))
      loaded.path = path
      return loaded
    }
    if let text = files.embedded.text(of: name) {
      return LoadedDashboard(reading: text, named: name + files.suffix)
    }
    guard !name.contains(".") else { return nil }
    let names = files.names
    throw Failure(
      "\(name): there is no such file, and no dashboard of this name"
        + Suggestion.phrase(for: name, among: names) + "; --dashboards lists those that are ready",
      status: ExitStatus.usage)
  }

  /// The file from which the dashboard that was asked for is read, `-` for standard input; nil when
  /// the program contains it.
  func path(of name: String) -> String? {
    guard name != "-", !name.contains("/"), access(name, F_OK) != 0 else { return name }
    return files.path(of: name)
  }

  /// A line for each: its name, what it shows, and where its file is.
  ///
  /// - Throws: ``Failure`` when a file cannot be read.
  func list() throws(Failure) -> String {
    let names = files.names
    let width = names.map(\.count).max() ?? 0
    var lines = ""
    for name in names {
      let path = files.path(of: name)
      let text = try path.map { path throws(Failure) in try TextFile.readRegular(path) }
      let description = Self.description(text ?? files.embedded.text(of: name) ?? "")
      lines += name + String(repeating: " ", count: width - name.count + 2) + description
      lines += (path.map { "  (\($0))" } ?? "") + "\n"
    }
    return lines
  }

  /// The first comment line that isn't a directive.
  private static func description(_ text: String) -> String {
    for line in text.split(separator: "\n") {
      guard line.hasPrefix("-- ") else { return "" }
      let comment = line.dropFirst(3)
      let word = comment.prefix { $0.isLetter || $0 == "-" }
      if comment.dropFirst(word.count).first != ":" { return String(comment) }
    }
    return ""
  }
}
