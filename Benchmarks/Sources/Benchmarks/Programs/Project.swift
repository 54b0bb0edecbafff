import Glibc

/// Where things are: the project, its programs, and a place for files of this run.
struct Project {
  let root: String
  /// The folder of `livequery` and `ExternalWriter`.
  let programs: String

  var livequery: String { programs + "/livequery" }
  var externalWriter: String { programs + "/ExternalWriter" }
  var tableTimer: String { programs + "/TableTimer" }
  var frameTimer: String { programs + "/FrameTimer" }
  var windowTimer: String { programs + "/WindowTimer" }
  var panelTimer: String { programs + "/PanelTimer" }
  var report: String { root + "/.build/bench.json" }
  /// On the disk of the project, as databases are; not in memory, where /tmp may be.
  private var scratch: String { root + "/.build/bench" }

  /// Finds the project around this program, and builds the programs to measure.
  ///
  /// - Parameters:
  ///   - programs: The folder of programs that are built already.
  ///   - mustBuild: Whether they are needed, and built when they are not.
  init(programs: String?, mustBuild: Bool) throws(Failure) {
    root = try Self.findRoot()
    self.programs = programs ?? root + "/.build/release"
    mkdir(root + "/.build", 0o755)
    mkdir(scratch, 0o755)
    guard mustBuild, programs == nil else { return }
    let build = try ChildProcess(
      root + "/Scripts/build-release",
      ["livequery", "ExternalWriter", "TableTimer", "FrameTimer", "WindowTimer", "PanelTimer"],
      streams: .inherited)
    guard build.waitForEnd() == 0 else { throw Failure("the programs do not build") }
  }

  /// Where this program is.
  static func program() throws(Failure) -> String {
    guard let resolved = realpath("/proc/self/exe", nil) else { throw Failure(call: "realpath") }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The folder above this program that has the script to build with.
  private static func findRoot() throws(Failure) -> String {
    var folder = try program()
    while let slash = folder.lastIndex(of: "/") {
      folder = String(folder[..<slash])
      if access(folder + "/Scripts/build-release", X_OK) == 0 { return folder }
    }
    throw Failure("run this from the project: swift run -c release --package-path Benchmarks")
  }

  /// A path in the scratch folder.
  func path(_ name: String) -> String { scratch + "/" + name }

  /// A path in the scratch folder at which no database stands.
  func newDatabase(_ name: String) -> String {
    let path = path(name)
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    return path
  }

  /// A fresh copy of the sample database.
  func copyOfSample(_ name: String) throws(Failure) -> String {
    let path = newDatabase(name)
    let copy = try ChildProcess("/bin/cp", [root + "/sample.db", path], streams: .inherited)
    guard copy.waitForEnd() == 0, chmod(path, 0o644) == 0 else {
      throw Failure("sample.db cannot be copied")
    }
    return path
  }

  /// A dashboard file with this text.
  func dashboard(_ name: String, _ text: String) throws(Failure) -> String {
    let path = path(name)
    try TextFile.write(text, to: path)
    return path
  }

  var arena: String { root + "/arena.sql" }
  /// The 22 queries of TPC-H.
  var tpch: String { root + "/Benchmarks/tpch/tpch.sql" }
}
