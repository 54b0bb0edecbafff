internal import Glibc

/// A program that was built together with the tests.
package enum BuiltProgram {
  /// - Throws: When it is not next to the test bundle.
  package static func path(_ name: String) throws -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let own = String(decoding: buffer[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    for candidate in [own, CommandLine.arguments[0]] {
      let folder = candidate.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      let path = folder.joined(separator: "/") + "/\(name)"
      if access(path, X_OK) == 0 { return path }
    }
    throw Unexpected("\(name) is not next to \(own)")
  }
}
