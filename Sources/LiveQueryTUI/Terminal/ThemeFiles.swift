import Dashboard
import ObservationEngine

/// The themes that can be chosen: `NAME.theme` in `$XDG_CONFIG_HOME/livequery/themes`, in the
/// `share/livequery/themes` next to the program's `bin`, and those that the program contains. The
/// first of a name counts.
struct ThemeFiles: Sendable {
  let files: NamedFiles

  /// Those of this user and this program.
  static let usual = ThemeFiles(
    files: .usual("themes", suffix: ".theme", embedded: EmbeddedThemes.self))

  /// Themes in these folders, and those that the program contains.
  init(folders: [String]) {
    self.init(
      files: NamedFiles(suffix: ".theme", folders: folders, embedded: EmbeddedThemes.self))
  }

  private init(files: NamedFiles) { self.files = files }

  /// Their names, in order.
  ///
  /// - Complexity: O(files in the folders), which are read.
  var names: [String] { files.names }

  /// Reads a theme, and finds the faults of its file, each with its place and the remedy.
  ///
  /// The theme is complete even so: faulty lines count as left out.
  func load(_ name: String) -> (theme: Theme, faults: [String]) {
    var faults: [String] = []
    var standard = ThemeFile.Standard.builtIn
    // Other themes are completed by these two, as the user's files have them.
    if !["dark", "light"].contains(name) {
      for base in ["dark", "light"] where files.path(of: base) != nil {
        let (theme, found) = load(base)
        faults += found
        standard.dark = theme.dark ?? standard.dark
        standard.light = theme.light ?? standard.light
      }
    }
    var (text, path) = (EmbeddedThemes.text(of: name), name)
    if let file = files.path(of: name) {
      path = file
      do throws(Failure) {
        text = try TextFile.readRegular(path)
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
    files.folders.reduce(fault) { $0.substituting("", for: "\($1)/") }
  }
}
