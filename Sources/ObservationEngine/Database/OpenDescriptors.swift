internal import Glibc

/// The open descriptors of this process. See proc_pid_fd(5).
enum OpenDescriptors {
  /// The files on which this process has descriptors; `nil` when the system doesn't say.
  ///
  /// - Parameter ignored: Descriptors that don't count.
  static func identities(except ignored: Set<Int32> = []) -> Set<FileIdentity>? {
    var identities: Set<FileIdentity> = []
    let isComplete = forEach { descriptor, info in
      if !ignored.contains(descriptor) { identities.insert(FileIdentity(info)) }
    }
    return isComplete ? identities : nil
  }

  /// Whether this process has a file open that is not empty, and was deleted from this path.
  static func haveDeleted(_ path: String) -> Bool {
    var isOpen = false
    forEach { descriptor, info in
      if info.st_nlink == 0, info.st_size > 0, name(descriptor) == path + " (deleted)" {
        isOpen = true
      }
    }
    return isOpen
  }

  private static func name(_ descriptor: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX) + 16)
    let count = readlink("/proc/self/fd/\(descriptor)", &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }

  /// - Returns: Whether the system said which there are.
  @discardableResult
  private static func forEach(_ body: (_ descriptor: Int32, _ info: stat) -> Void) -> Bool {
    guard let folder = opendir("/proc/self/fd") else { return false }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let number = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { Int32(String(cString: $0)) }
      }
      var info = stat()
      // Another thread may have closed it meanwhile.
      guard let number, fstat(number, &info) == 0 else { continue }
      body(number, info)
    }
    return true
  }
}
