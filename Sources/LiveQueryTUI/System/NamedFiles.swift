import Glibc

/// Files that the program contains, each with its name.
protocol EmbeddedFiles: SendableMetatype {
  static var files: [(name: String, text: String)] { get }
}

extension EmbeddedFiles {
  static var names: [String] { files.map(\.name) }

  /// The text of the file of this name; nil without one.
  static func text(of name: String) -> String? {
    files.first { $0.name == name }?.text
  }
}

/// Files that are chosen by their names: those in the user's folder, in the `share` next to the
/// program's `bin`, and those that the program contains. The first of a name counts.
struct NamedFiles: Sendable {
  /// How the files' names end.
  let suffix: String
  /// The folders, the user's first.
  let folders: [String]
  let embedded: any EmbeddedFiles.Type

  /// Those of this user and this program.
  ///
  /// - Parameter folder: Where they are below `$XDG_CONFIG_HOME/livequery` and `share/livequery`.
  static func usual(
    _ folder: String, suffix: String, embedded: any EmbeddedFiles.Type
  ) -> NamedFiles {
    NamedFiles(
      suffix: suffix,
      folders: [Paths.configuration(folder), Paths.installed(folder)].compactMap(\.self),
      embedded: embedded)
  }

  /// Their names, in order.
  ///
  /// - Complexity: O(files in the folders), which are read.
  var names: [String] { Set(embedded.names + folders.flatMap(names(in:))).sorted() }

  /// The path of the file of this name; nil when only the program contains it, or nothing does.
  func path(of name: String) -> String? {
    folders.first { names(in: $0).contains(name) }.map { "\($0)/\(name)\(suffix)" }
  }

  /// The names of the files in a folder; none if there is no such folder.
  ///
  /// Names can be typed and completed: they have letters, digits, `-`, `_` and `.` only.
  private func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let file = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard file.hasSuffix(suffix), file.utf8.count > suffix.utf8.count, file.first != "." else {
        continue
      }
      let name = String(file.dropLast(suffix.count))
      let isPlain = name.allSatisfy {
        $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0))
      }
      if isPlain { names.append(name) }
    }
    return names
  }
}
