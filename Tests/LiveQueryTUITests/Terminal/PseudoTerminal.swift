import Dashboard
import Dispatch
import Glibc
import TestSupport

/// A terminal whose far end is the test: what a program writes to it can be read, and its settings
/// be asked, after the program has died.
final class PseudoTerminal: Sendable {
  /// To be opened by the program.
  let path: String
  private let near: Int32
  /// Held open, so that what was written outlives the writer.
  private let far: Int32

  /// - Parameter size: In cells; a terminal without one is taken to be 80 by 24.
  init(_ size: Size? = nil) {
    near = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN; what grantpt and ptsname do is not imported into Swift.
    var unlocked: Int32 = 0
    var number: UInt32 = 0
    precondition(
      ioctl(near, 0x4004_5431, &unlocked) == 0 && ioctl(near, 0x8004_5430, &number) == 0,
      "no pseudo-terminal")
    path = "/dev/pts/\(number)"
    far = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    if let size { resize(size) }
  }

  deinit {
    close(near)
    close(far)
  }

  /// Gives the window another size, which the program in the foreground is told.
  func resize(_ size: Size) {
    var window = winsize(
      ws_row: UInt16(size.height), ws_col: UInt16(size.width), ws_xpixel: 0, ws_ypixel: 0)
    precondition(ioctl(near, UInt(TIOCSWINSZ), &window) == 0, "no size")
  }

  /// What was written and not read yet.
  func written() -> String { String(decoding: writtenBytes(), as: UTF8.self) }

  /// The same, as bytes: a character may be cut in two.
  func writtenBytes() -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = read(near, &buffer, buffer.count), count > 0 {
      all += buffer.prefix(count)
    }
    return all
  }

  /// Presses keys, given as the bytes that they send.
  func type(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard write(near, bytes, bytes.count) == bytes.count else {
      throw Unexpected("a full terminal")
    }
  }

  /// All that is written while `body` runs: more than the terminal itself can hold.
  func collecting(_ body: () async -> Void) async -> [UInt8] {
    let reader = Reader(self)
    await body()
    return await reader.rest()
  }

  /// Reads on a queue of its own: the threads of Swift's pool are for what does not block.
  ///
  /// Proof of `@unchecked`: `bytes` is touched on `queue` alone.
  private final class Reader: @unchecked Sendable {
    private let terminal: PseudoTerminal
    private let queue = DispatchQueue(label: "livequery.test.terminal")
    private let timer: any DispatchSourceTimer
    private var bytes: [UInt8] = []

    init(_ terminal: PseudoTerminal) {
      self.terminal = terminal
      timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now(), repeating: .milliseconds(1))
      timer.setEventHandler { [unowned self] in bytes += terminal.writtenBytes() }
      timer.resume()
    }

    func rest() async -> [UInt8] {
      await withCheckedContinuation { continuation in
        queue.async { [self] in
          timer.cancel()
          continuation.resume(returning: bytes + terminal.writtenBytes())
        }
      }
    }
  }

  /// Whether it edits lines and echoes, as a shell leaves it.
  var isCooked: Bool {
    var settings = termios()
    tcgetattr(far, &settings)
    let wanted = tcflag_t(ICANON | ECHO | ISIG)
    return settings.c_lflag & wanted == wanted
  }

  /// Makes the terminal at `path` the standard streams of this process.
  static func adopt(_ path: String) {
    let descriptor = open(path, O_RDWR | O_NOCTTY)
    for standard in 0...2 as ClosedRange<Int32> { dup2(descriptor, standard) }
    setenv("TERM", "xterm-256color", 1)
  }
}
