import CSystem
import Glibc
import Synchronization

/// How people notice foreign commits today: a thread asks `PRAGMA data_version` again and again.
final class DataVersionLoop: Sendable {
  enum Pause {
    /// Takes a whole core.
    case none
    case nanoseconds(UInt64)
    /// Sleeps until the log is written to, then asks without a pause for up to 5 ms: the least that
    /// a program can do which does not look all the time.
    case untilLogIsWritten
  }

  private let look: Look
  private let thread: PlainThread

  /// - Parameter action: What its thread does after each change.
  init(
    _ path: String, pause: Pause, action: @escaping @Sendable () -> Void = {}
  ) throws(Failure) {
    let look = try Look(path, action)
    self.look = look
    switch pause {
    case .none:
      thread = PlainThread { _ = look.take() }
    case .nanoseconds(let interval):
      thread = PlainThread {
        _ = look.take()
        Clock.sleep(interval)
      }
    case .untilLogIsWritten:
      let watcher = bench_watch_writes(path + "-wal")
      guard watcher >= 0 else { throw Failure(call: "watching \(path)-wal") }
      let events = ByteSource(watcher)
      thread = PlainThread {
        guard ByteSource.wait([events], until: Clock.now + 100_000_000) else { return }
        events.read()
        events.clear()
        let end = Clock.now + 5_000_000
        while !look.take(), Clock.now < end {}
      }
    }
  }

  /// When a change was seen, in order.
  var noticed: [UInt64] { look.noticed }

  /// Ends the thread; it must be called once.
  func stop() { thread.stop() }

  /// One connection's look at the version.
  ///
  /// Proof of `@unchecked`: the statement and what it gave last are used by the thread alone.
  private final class Look: @unchecked Sendable {
    private let action: @Sendable () -> Void
    private let connection: PlainConnection
    private let statement: PlainStatement
    private var last: Int64
    private let times = Mutex<[UInt64]>([])

    init(_ path: String, _ action: @escaping @Sendable () -> Void) throws(Failure) {
      self.action = action
      connection = try PlainConnection(path)
      statement = try connection.prepare("PRAGMA data_version")
      last = try statement.integer()
    }

    var noticed: [UInt64] { times.withLock { $0 } }

    /// Looks, and notes the time when there is something new.
    func take() -> Bool {
      // A look that finds the file locked is repeated by the next one.
      guard let version = try? statement.integer(), version != last else { return false }
      let now = Clock.now
      times.withLock { $0.append(now) }
      last = version
      action()
      return true
    }
  }
}
