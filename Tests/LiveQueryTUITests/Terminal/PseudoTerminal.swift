import Glibc

/// A terminal whose far end is the test: what a program writes to it can be read, and its settings
/// be asked, after the program has died.
final class PseudoTerminal: Sendable {
  /// To be opened by the program.
  let path: String
  private let near: Int32
  /// Held open, so that what was written outlives the writer.
  private let far: Int32

  init() {
    near = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN; what grantpt and ptsname do is not imported into Swift.
    var unlocked: Int32 = 0
    var number: UInt32 = 0
    precondition(
      ioctl(near, 0x4004_5431, &unlocked) == 0 && ioctl(near, 0x8004_5430, &number) == 0,
      "no pseudo-terminal")
    path = "/dev/pts/\(number)"
    far = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
  }

  deinit {
    close(near)
    close(far)
  }

  /// What was written and not read yet.
  func written() -> String {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = read(near, &buffer, buffer.count), count > 0 {
      all += buffer.prefix(count)
    }
    return String(decoding: all, as: UTF8.self)
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
