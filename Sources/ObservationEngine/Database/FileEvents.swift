internal import CLinux

/// How the system reports changes to files: by inotify, where that is available and sees them.
package struct FileEvents: Sendable {
  /// Opens an inotify descriptor; -1 when none is available.
  package var open: @Sendable () -> Int32
  /// The name of the file system at a path, if changes by other machines cause no events there.
  package var blindFileSystem: @Sendable (String) -> String?

  package init(
    open: @escaping @Sendable () -> Int32,
    blindFileSystem: @escaping @Sendable (String) -> String?
  ) {
    self.open = open
    self.blindFileSystem = blindFileSystem
  }

  /// The kernel's own.
  package static let system = FileEvents(
    open: { lq_inotify_open() }, blindFileSystem: { blindName(of: lq_filesystem_type($0)) })

  /// The numbers are from statfs(2).
  private static func blindName(of type: Int64) -> String? {
    switch type & 0xffff_ffff {
    case 0x6969: "NFS"
    case 0x0102_1997: "9p"
    case 0x6573_5546: "FUSE"
    case 0xff53_4d42, 0xfe53_4d42, 0x517b: "SMB"
    case 0x00c3_6400: "Ceph"
    default: nil
    }
  }
}
