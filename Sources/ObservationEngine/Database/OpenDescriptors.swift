internal import Glibc

/// The open descriptors of this process.
enum OpenDescriptors {
  /// The files on which this process has descriptors; `nil` when the system doesn't say.
  ///
  /// See proc_pid_fd(5).
  static func identities() -> Set<FileIdentity>? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var identities: Set<FileIdentity> = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { Int32(String(cString: $0)) }
      }
      var info = stat()
      // Another thread may have closed it meanwhile.
      guard let name, fstat(name, &info) == 0 else { continue }
      identities.insert(FileIdentity(info))
    }
    return identities
  }
}
