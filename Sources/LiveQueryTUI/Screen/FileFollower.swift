import Dispatch
import Glibc
import ObservationEngine

/// Calls a handler whenever a file may have another content, or is gone.
///
/// It listens to the kernel where that tells of changes (``FileWatch``). It looks once a second where it
/// does not: on the file system of another machine, or when all inotify instances of the user are
/// taken (`fs.inotify.max_user_instances`, 128 by default).
@ScreenActor
final class FileFollower {
  private let onChange: @ScreenActor () -> Void
  private let watch: FileWatch?
  private var looking: Task<Void, Never>?

  /// - Parameter lookInterval: Between two looks, where nothing tells of changes.
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

  /// Tells of a change when it has stood for a whole interval: until then somebody may be writing.
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

/// What changes of a file when it is written or replaced; that of a missing one is like nothing else.
private struct FileStamp: Equatable {
  private var device: dev_t = 0
  private var inode: ino_t = 0
  private var size: off_t = -1
  /// When its content changed, and when that or what is said of it did: seconds and nanoseconds.
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

  /// Elsewhere than on the screen's thread: a file server that does not answer holds up nothing else.
  static func read(_ path: String) async -> FileStamp {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: FileStamp(path: path)) }
    }
  }
}
