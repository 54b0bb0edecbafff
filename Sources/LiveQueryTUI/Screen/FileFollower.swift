import Glibc
import ObservationEngine

/// Calls a handler whenever a file may have different content, or is gone.
///
/// It listens to the kernel if that reports changes (``FileWatch``). Otherwise it checks once a
/// second: on the file system of another machine, or when all inotify instances of the user are
/// taken (`fs.inotify.max_user_instances`, 128 by default).
@ScreenActor
final class FileFollower {
  private let onChange: @ScreenActor () -> Void
  private let watch: FileWatch?
  private var looking: Task<Void, Never>?

  /// - Parameter lookInterval: The time between two checks, if no events report changes.
  init(
    path: String, in loop: MainLoop, events: FileEvents = .system,
    lookInterval: Duration = .seconds(1), onChange: @escaping @ScreenActor () -> Void
  ) {
    self.onChange = onChange
    watch = FileWatch(path: path, events: events)
    if let watch {
      loop.add(
        MainLoop.Input(descriptor: watch.descriptor) { [weak self] in
          if watch.takeEvents() { self?.onChange() }
        })
    } else {
      looking = look(at: path, every: lookInterval)
    }
  }

  deinit { looking?.cancel() }

  /// Reports a change once it has lasted a whole interval: until then a program may still be
  /// writing.
  private func look(at path: String, every interval: Duration) -> Task<Void, Never> {
    let first = FileStamp(path: path)
    return Task { [weak self] in
      var known = first
      var last = known
      // Cancelling ends the sleep and, with it, the loop.
      while (try? await Task.sleep(for: interval)) != nil {
        let stamp = await FileStamp.read(path)
        if stamp == last, stamp != known {
          known = stamp
          self?.onChange()
        }
        last = stamp
      }
    }
  }
}

/// The properties of a file that change when it is written or replaced; a missing file equals no
/// other.
private struct FileStamp: Equatable {
  private var device: dev_t = 0
  private var inode: ino_t = 0
  private var size: off_t = -1
  /// When its content and its metadata last changed: seconds and nanoseconds.
  private var times = [0, 0, 0, 0]

  init(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    device = status.st_dev
    inode = status.st_ino
    size = status.st_size
    times = [
      status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
    ]
  }

  /// Off the screen's thread: a file server that does not answer blocks nothing else.
  static func read(_ path: String) async -> FileStamp {
    await onOwnThread { FileStamp(path: path) }
  }
}
