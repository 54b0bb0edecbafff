internal import CLinux
internal import Glibc

/// Listens, through inotify, for what happens to the files of one database.
///
/// Confined to the detector's thread.
final class FileWatcher {
  /// What happened since the last check, as far as it matters to the detector.
  struct Events: Equatable {
    /// A file of the database was created, deleted or renamed: check which files exist.
    var files = false
    /// One of them was created, or moved to its place.
    var created = false
    /// Bytes of the database file were written.
    var database = false
    /// Bytes of the -wal file were written.
    var wal = false
    /// A program that could write to the database file, or to the -wal file, closed it.
    var closed = false
    /// Events are missing, because the kernel dropped them or nothing listened: anything may have
    /// happened.
    var overflow = false
  }

  let descriptor: Int32
  private var folders: [Int32: Set<String>] = [:]
  private var databaseWatch: Int32 = -1
  private var walWatch: Int32 = -1
  /// Nothing is watched until ``resume(_:)``.
  private(set) var isPaused = false
  /// Whether writes to the -wal file make events.
  var watchesLog: Bool { walWatch >= 0 }
  /// Events of the pause are missing: anything may have happened in it.
  private var hasPaused = false
  private var buffer = [CChar](repeating: 0, count: 64 * 1024)
  /// Bytes of an event: its head, and a name with the zeros that end and align it.
  private static let longestEvent = 16 + 256

  /// - Returns: `nil` when the limit of inotify instances or watches is reached.
  init?(file: DatabaseFile, events: FileEvents = .system) {
    descriptor = events.open()
    guard descriptor >= 0, watchFolders(of: file) else { return nil }
    watchFiles(of: file)
  }

  // It runs even after an initializer that returns nil.
  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Adds the folder of the real file, and that of a symbolic link which leads to it.
  func watchFolders(of file: DatabaseFile) -> Bool {
    guard !isPaused else { return true }
    let name = file.name
    let names: Set = [name, name + "-wal", name + "-shm"]
    guard add(folder: file.folder, names: names) else { return false }
    if file.path != file.realPath {
      let parts = file.path.split(separator: "/", omittingEmptySubsequences: false)
      let folder = parts.dropLast().joined(separator: "/")
      let isAbsolute = file.path.hasPrefix("/")
      _ = add(
        folder: folder.isEmpty ? (isAbsolute ? "/" : ".") : folder, names: [String(parts.last!)])
    }
    return true
  }

  /// Watches the inodes that are at the paths now.
  ///
  /// Adding a watch that exists changes nothing, so this may be called at any time.
  func watchFiles(of file: DatabaseFile) {
    guard !isPaused else { return }
    let mask = UInt32(
      LQ_IN_MODIFY | LQ_IN_CLOSE_WRITE | LQ_IN_DELETE_SELF | LQ_IN_MOVE_SELF)
    let former = databaseWatch
    databaseWatch = lq_inotify_add(descriptor, file.realPath, mask)
    // A file that was renamed is watched until then, and those that come to the path one after the other would add up.
    if former >= 0, former != databaseWatch { _ = lq_inotify_remove(descriptor, former) }
    walWatch = lq_inotify_add(descriptor, file.walPath, mask)
  }

  /// Ends all watches, so that writers cause no events.
  func pause() {
    guard !isPaused else { return }
    isPaused = true
    for watch in Set(folders.keys).union([databaseWatch, walWatch]) where watch >= 0 {
      _ = lq_inotify_remove(descriptor, watch)
    }
    folders = [:]
    databaseWatch = -1
    walWatch = -1
  }

  /// Watches again; the next ``drain()`` reports an overflow.
  ///
  /// - Returns: Whether watches are available.
  func resume(_ file: DatabaseFile) -> Bool {
    isPaused = false
    hasPaused = true
    guard watchFolders(of: file) else { return false }
    watchFiles(of: file)
    return true
  }

  /// Takes all pending events.
  func drain() -> Events {
    var events = Events(overflow: hasPaused)
    hasPaused = false
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return events }
      var cursor = 0
      var watch: Int32 = 0
      var mask: UInt32 = 0
      var name: UnsafePointer<CChar>?
      while lq_inotify_next(buffer, count, &cursor, &watch, &mask, &name) != 0 {
        note(watch, mask, name.map { String(cString: $0) } ?? "", in: &events)
      }
      // The kernel fills the buffer as long as the next event fits; one that comes later wakes the thread.
      if count <= buffer.count - Self.longestEvent { return events }
    }
  }

  private func note(_ watch: Int32, _ mask: UInt32, _ name: String, in events: inout Events) {
    func has(_ bit: Int) -> Bool { mask & UInt32(bit) != 0 }
    if has(LQ_IN_Q_OVERFLOW) {
      events.overflow = true
    } else if has(LQ_IN_IGNORED) {
      return
    } else if let names = folders[watch] {
      guard names.contains(name) else { return }
      events.files = true
      if has(LQ_IN_CREATE) || has(LQ_IN_MOVED_TO) { events.created = true }
    } else if has(LQ_IN_CLOSE_WRITE) {
      events.closed = true
    } else if has(LQ_IN_MODIFY) {
      // A process that has a deleted WAL open writes to it without any event for its path.
      if watch == databaseWatch { events.database = true } else { events.wal = true }
    } else {
      events.files = true
    }
  }

  private func add(folder: String, names: Set<String>) -> Bool {
    let mask = UInt32(
      LQ_IN_CREATE | LQ_IN_DELETE | LQ_IN_MOVED_TO
        | LQ_IN_MOVED_FROM)
    let watch = lq_inotify_add(descriptor, folder, mask)
    guard watch >= 0 else { return false }
    folders[watch, default: []].formUnion(names)
    return true
  }
}
