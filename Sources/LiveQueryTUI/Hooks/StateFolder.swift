import Glibc

/// `$XDG_STATE_HOME/livequery`, where the program stores its state between runs.
enum StateFolder {
  /// - Returns: nil without a home.
  static func path(_ name: String, environment: (String) -> String?) -> String? {
    if let folder = environment("XDG_STATE_HOME"), folder.hasPrefix("/") {
      return folder + "/livequery/" + name
    }
    guard let home = environment("HOME"), !home.isEmpty else { return nil }
    return home + "/.local/state/livequery/" + name
  }

  /// Creates the folders above a path, for this user only; existing ones stay unchanged.
  static func makeFolders(above path: String) {
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += "/" + part
      // If it can't be created, opening the file reports why.
      mkdir(folder, 0o700)
    }
  }
}
