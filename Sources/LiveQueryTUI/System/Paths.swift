import Dashboard
import Glibc

/// Where the user's files are, and the parts of a path.
enum Paths {
  /// The value of an environment variable; nil for none.
  typealias Environment = (String) -> String?

  /// The environment of this process.
  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The user's home; nil without one.
  static var home: String? { home(environment) }

  private static func home(_ environment: Environment) -> String? {
    environment("HOME").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Expands `~/` to the home, as a shell does.
  static func expanded(_ path: String, home: String? = home) -> String {
    guard path.hasPrefix("~/"), let home, !home.isEmpty else { return path }
    return home + path.dropFirst(1)
  }

  /// `$XDG_CONFIG_HOME/livequery/NAME`, which the program only reads; nil without a home.
  static func configuration(_ name: String, _ environment: Environment = environment) -> String? {
    folder("XDG_CONFIG_HOME", else: ".config", environment).map { $0 + name }
  }

  /// `$XDG_STATE_HOME/livequery/NAME`, where the program stores its state between runs; nil without
  /// a home.
  static func state(_ name: String, _ environment: Environment = environment) -> String? {
    folder("XDG_STATE_HOME", else: ".local/state", environment).map { $0 + name }
  }

  private static func folder(
    _ variable: String, else usual: String, _ environment: Environment
  ) -> String? {
    if let folder = environment(variable), folder.hasPrefix("/") { return folder + "/livequery/" }
    return home(environment).map { "\($0)/\(usual)/livequery/" }
  }

  /// `share/livequery/NAME`, which is installed next to the `bin` of this program; nil if it is
  /// unknown where the program is.
  static func installed(_ name: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard readlink("/proc/self/exe", &buffer, buffer.count - 1) > 0 else { return nil }
    let path = String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let parts = path.split(separator: "/").dropLast(2)
    return "/" + (parts + ["share", "livequery", name[...]]).joined(separator: "/")
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
