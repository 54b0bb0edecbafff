internal import Glibc

/// A folder that is removed, with what is in it, when nobody refers to it any more.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/livequery-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Unexpected("mkdtemp in \(base): \(String(cString: strerror(errno)))")
    }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  // What cannot be removed stays: the next test has a folder of its own.
  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    if unlink(path) != 0, errno == EISDIR {
      for name in names(in: path) { remove("\(path)/\(name)") }
      rmdir(path)
    }
  }

  /// The path of something in the folder.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// The names of what is in the folder, sorted.
  package var names: [String] { Self.names(in: path) }

  package static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
