import CLinux
import Dashboard
import Glibc
import ObservationEngine

/// Listens for one file being saved, however the editor does that: in place, or by renaming another
/// file over it; and for its removal. Follows a symbolic link, and notices when its target changes.
///
/// Watches the file itself, and its folder only while there is no file. A database in the same
/// folder causes several events for each commit, in its writer's time.
@ScreenActor
final class FileWatch {
  /// Readable when something happened.
  let descriptor: Int32
  private let path: String
  /// The file that the path last led to, without symbolic links.
  private var realPath: String?
  /// The watched objects, by their inotify number.
  private var watches: [Int32: Watched] = [:]

  private enum Watched: Equatable {
    /// The file, or the symbolic link that leads to it.
    case file, link
    /// A folder in which a file is missing: the link and its target may have been in the same one.
    case folder(Set<String>)
  }

  /// Removing a file, or renaming another over it, lowers its link count: that changes its
  /// attributes.
  private static let changes = UInt32(
    LQ_IN_CLOSE_WRITE | LQ_IN_ATTRIB | LQ_IN_MOVE_SELF | LQ_IN_DELETE_SELF)
  private static let arrivals = UInt32(LQ_IN_CLOSE_WRITE | LQ_IN_MOVED_TO | LQ_IN_CREATE)

  /// - Returns: nil when no event would come: inotify isn't available, or another machine may
  ///   write.
  init?(path: String, events: FileEvents) {
    self.path = path
    descriptor = events.blindFileSystem(path) == nil ? events.open() : -1
    guard descriptor >= 0 else { return nil }
    renewWatches()
    guard !watches.isEmpty else { return nil }
  }

  // It runs even after an initializer that returns nil.
  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Reads the events. Returns whether the file may have different content now, or none.
  func takeEvents() -> Bool {
    var buffer = [CChar](repeating: 0, count: 16_384)
    var isChanged = false
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
      isChanged = buffer.withUnsafeBufferPointer { hasChange($0, count) } || isChanged
    }
    // Another file may be at the path now. It is read after this, so nothing in between is missed.
    if isChanged { renewWatches() }
    return isChanged
  }

  private func hasChange(_ buffer: UnsafeBufferPointer<CChar>, _ count: Int) -> Bool {
    var isChanged = false
    var cursor = 0
    var watch: Int32 = 0
    var mask: UInt32 = 0
    var name: UnsafePointer<CChar>?
    while lq_inotify_next(buffer.baseAddress, count, &cursor, &watch, &mask, &name) != 0 {
      if mask & UInt32(LQ_IN_Q_OVERFLOW) != 0 { isChanged = true }
      switch watches[watch] {
      case .file, .link: isChanged = true
      case .folder(let missing):
        guard let name, missing.contains(String(cString: name)) else { break }
        // A new file is empty until its writer closes it; a link is complete immediately.
        if mask & UInt32(LQ_IN_CREATE) == 0 || isLink { isChanged = true }
      case nil: break
      }
      if mask & UInt32(LQ_IN_IGNORED) != 0 { watches[watch] = nil }
    }
    return isChanged
  }

  private var isLink: Bool {
    var status = stat()
    return lstat(path, &status) == 0
      && (status.st_mode & S_IFMT == S_IFLNK || status.st_nlink > 1)
  }

  /// Watches what is at the path now, and nothing else.
  private func renewWatches() {
    if let real = realpath(path, nil) {
      realPath = String(cString: real)
      free(real)
    }
    let former = watches
    watches = [:]
    if !watchFile() {
      watchFolders()
      // It may have come back before its folder was watched: then the next change ends that watch.
      _ = watchFile()
    }
    for number in former.keys where watches[number] == nil {
      _ = lq_inotify_remove(descriptor, number)
    }
  }

  /// Returns whether there is a file.
  private func watchFile() -> Bool {
    // Without a link both are the same file, with the same number.
    for (watched, flag) in [(Watched.link, UInt32(LQ_IN_DONT_FOLLOW)), (.file, 0)] {
      let number = lq_inotify_add(descriptor, path, Self.changes | flag)
      guard number >= 0 else { return false }
      watches[number] = watched
    }
    return true
  }

  private func watchFolders() {
    for place in Set([path, realPath ?? path]) {
      let name = place.lastPathPart
      let folder = String(place.dropLast(name.count))
      let number = lq_inotify_add(descriptor, folder.isEmpty ? "." : folder, Self.arrivals)
      guard number >= 0 else { continue }
      if case .folder(let others) = watches[number] {
        watches[number] = .folder(others.union([name]))
      } else {
        watches[number] = .folder([name])
      }
    }
  }
}
