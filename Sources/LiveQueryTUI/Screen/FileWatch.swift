import CLinux
import Glibc
import ObservationEngine

/// Listens for one file being saved, however an editor does that: in place, or by renaming another
/// file over it; and for its being gone. A symbolic link is followed, and noticed when it points elsewhere.
///
/// inotify watches folders here, not the file: the file that an editor replaces is another one then.
@ScreenActor
final class FileWatch {
  /// Readable when something happened in one of the folders.
  let descriptor: Int32
  private let path: String
  /// The names to look out for, by the watch of their folder.
  private var names: [Int32: Set<String>] = [:]

  private static let saving = UInt32(
    LQ_IN_CLOSE_WRITE | LQ_IN_MOVED_TO | LQ_IN_CREATE | LQ_IN_DELETE | LQ_IN_MOVED_FROM)

  /// - Returns: nil when no event would come: inotify is not to be had, or another machine may write.
  init?(path: String, events: FileEvents) {
    self.path = path
    descriptor = events.blindFileSystem(path) == nil ? events.open() : -1
    guard descriptor >= 0, watch() else { return nil }
  }

  // It runs after an initializer that returns nil, too.
  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Takes what happened. Returns whether the file may have another content now, or none.
  func takeEvents() -> Bool {
    var buffer = [CChar](repeating: 0, count: 16_384)
    var isSaved = false
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
      isSaved = buffer.withUnsafeBufferPointer { tellsOfSaving($0, count) } || isSaved
    }
    // A link may lead to another folder now.
    if isSaved { _ = self.watch() }
    return isSaved
  }

  private func tellsOfSaving(_ buffer: UnsafeBufferPointer<CChar>, _ count: Int) -> Bool {
    var isSaved = false
    var cursor = 0
    var watch: Int32 = 0
    var mask: UInt32 = 0
    var name: UnsafePointer<CChar>?
    while lq_inotify_next(buffer.baseAddress, count, &cursor, &watch, &mask, &name) != 0 {
      if mask & UInt32(LQ_IN_Q_OVERFLOW) != 0 { isSaved = true }
      guard let name, names[watch]?.contains(String(cString: name)) == true else { continue }
      // A file that was created is empty until it is closed; a link is whole at once.
      if mask & UInt32(LQ_IN_CREATE) == 0 || isLink { isSaved = true }
    }
    return isSaved
  }

  private var isLink: Bool {
    var status = stat()
    return lstat(path, &status) == 0
      && (status.st_mode & S_IFMT == S_IFLNK || status.st_nlink > 1)
  }

  /// Watches the folder of the path and that of the file it leads to.
  private func watch() -> Bool {
    var places = [path]
    if let real = realpath(path, nil) {
      places.append(String(cString: real))
      free(real)
    }
    for place in places {
      let name = place.split(separator: "/").last.map(String.init) ?? place
      let folder = String(place.dropLast(name.count))
      let number = lq_inotify_add(descriptor, folder.isEmpty ? "." : folder, Self.saving)
      if number >= 0 { names[number, default: []].insert(name) }
    }
    return !names.isEmpty
  }
}
