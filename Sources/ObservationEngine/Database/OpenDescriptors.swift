internal import Glibc

/// What this process has open.
enum OpenDescriptors {
  /// The files that a descriptor of this process is open on; `nil` where the system does not tell.
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
