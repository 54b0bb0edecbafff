import Glibc

/// `$XDG_STATE_HOME/livequery`, where the program keeps what it must know the next time.
enum StateFolder {
  /// - Returns: nil without a home.
  static func path(_ name: String, environment: (String) -> String?) -> String? {
    if let folder = environment("XDG_STATE_HOME"), folder.hasPrefix("/") {
      return folder + "/livequery/" + name
    }
    guard let home = environment("HOME"), !home.isEmpty else { return nil }
    return home + "/.local/state/livequery/" + name
  }

  /// Makes the folders above a path, for this user alone; those that exist stay as they are.
  static func makeFolders(above path: String) {
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += "/" + part
      // If it cannot be made, opening the file says why.
      mkdir(folder, 0o700)
    }
  }
}
