import Dashboard
import Glibc

/// The themes that can be chosen: `NAME.theme` in `$XDG_CONFIG_HOME/livequery/themes`, in the
/// `share/livequery/themes` next to the program's `bin`, and those that the program contains. The
/// first of a name counts.
struct ThemeFiles: Sendable {
  private static let suffix = ".theme"

  /// The folders, the user's first.
  let folders: [String]

  /// Those of this user and this program.
  static let usual = ThemeFiles(
    folders: [Paths.configuration("themes"), Paths.installed("themes")].compactMap(\.self))

  /// Their names, in order.
  ///
  /// - Complexity: O(files in the folders), which are read.
  var names: [String] {
    Set(EmbeddedThemes.names + folders.flatMap(Self.names)).sorted()
  }

  /// Reads a theme, and finds the faults of its file, each with its place and the remedy.
  ///
  /// The theme is complete even so: faulty lines count as left out.
  func load(_ name: String) -> (theme: Theme, faults: [String]) {
    var faults: [String] = []
    var standard = ThemeFile.Standard.builtIn
    // Other themes are completed by these two.
    if !["dark", "light"].contains(name) {
      let (dark, light) = (load("dark"), load("light"))
      faults = dark.faults + light.faults
      standard.dark = dark.theme.dark ?? standard.dark
      standard.light = light.theme.light ?? standard.light
    }
    var (text, path) = (EmbeddedThemes.text(of: name), name)
    if let folder = folders.first(where: { Self.names($0).contains(name) }) {
      path = "\(folder)/\(name)\(Self.suffix)"
      do throws(Failure) {
        let descriptor = try TextFile.openRegular(path, O_RDONLY)
        defer { close(descriptor) }
        text = try TextFile.read(descriptor, named: path)
      } catch {
        return (ThemeFile.parse("", name: name, standard: standard).theme, faults + [error.message])
      }
    }
    if text == nil {
      let names = names
      faults.append(
        "no theme is called \"\(name)\"" + Suggestion.phrase(for: name, among: names))
    }
    let (theme, diagnostics) = ThemeFile.parse(text ?? "", name: name, standard: standard)
    return (theme, faults + diagnostics.map { $0.rendered(file: path) })
  }

  /// A fault without the folder of its file, for a line with little room.
  func shortened(_ fault: String) -> String {
    folders.reduce(fault) { $0.replacing("\($1)/", with: "") }
  }

  /// The names of the themes in a folder; none if there is no such folder.
  ///
  /// Names can be typed and completed: they have letters, digits, `-`, `_` and `.` only.
  private static func names(_ folder: String) -> [String] {
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
