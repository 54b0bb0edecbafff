import CNcurses
import Dashboard
import Glibc

/// The user's terminal, through ncurses: the only code that knows curses.
///
///     let terminal = try Terminal.open(color: .auto)
///     terminal.draw(grid)                  // writes what differs from the last one
///     let keys = terminal.readKeys()       // when terminal.inputDescriptor can be read
///     terminal.close()
///
/// ## Guarantees
/// - However the process ends, except by SIGKILL, the terminal is restored.
/// - Output of the process to standard error meanwhile appears after that, if standard error is a
///   terminal, and does not disturb the screen.
/// - Only characters that have a width are written to the terminal.
@ScreenActor
final class Terminal {
  /// Why there is no screen to draw on.
  enum Unavailable: Error, Equatable, CustomStringConvertible {
    /// Standard output is a file, a pipe, …
    case outputIsNoTerminal
    /// Keys can't be read: standard input isn't a terminal, and there is no controlling one.
    case inputIsNoTerminal
    /// ncurses cannot drive a terminal of this type (the value of TERM).
    case unsuitable(type: String)

    /// The reason, for a message that says what happens instead.
    var description: String {
      switch self {
      case .outputIsNoTerminal: "standard output is not a terminal"
      case .inputIsNoTerminal: "there is no terminal to read keys from"
      case .unsuitable(""): "TERM is not set"
      case .unsuitable(let type): "the terminal type \(type) cannot show a screen"
      }
    }
  }

  /// The descriptor that keys are read from; see ``MainLoop/Input``.
  let inputDescriptor: Int32
  /// Whether characters beyond ASCII can be shown: the user's locale is UTF-8.
  let isUnicode: Bool
  /// A new one changes the look of everything: the next grid is written completely.
  private(set) var palette: Palette {
    didSet {
      looks = [:]
      shown = nil
    }
  }

  var size: Size
  /// Holds incomplete keys: a sequence may arrive in pieces.
  var decoder: KeyDecoder
  /// What the terminal shows; nil when that is unknown.
  var shown: Grid?
  /// The pair of each combination of colours in use.
  var pairs: [Int64: Int32] = [:]
  var looks: [Style: Palette.Look] = [:]
  /// When the terminal was asked for its background, on ``MonotonicClock``; nil if it was not.
  var backgroundAskedAt: UInt64?
  /// What it answered.
  var reportedBackground: Palette.Background?

  /// How many colours to use.
  private let colors: Int
  private var isOpen = true
  private let ownsInput: Bool

  /// Bracketed paste, and with a mouse its buttons, drags and decimal positions; terminals without
  /// these ignore them.
  private let modesOn: String
  private let modesOff: String

  /// Takes over the terminal: alternate screen, raw keys.
  ///
  /// - Throws: ``Unavailable``, without having changed anything.
  static func open(
    color: ColorChoice, theme: Theme = .builtIn("auto"), usesMouse: Bool = false
  ) throws(Unavailable) -> Terminal {
    guard isatty(STDOUT_FILENO) == 1 else { throw .outputIsNoTerminal }
    let type = environment("TERM") ?? ""
    guard !["", "dumb", "unknown"].contains(type) else { throw .unsuitable(type: type) }
    // A dashboard may come through standard input; keys still come from the terminal.
    let ownsInput = isatty(STDIN_FILENO) != 1
    let input = ownsInput ? Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC) : STDIN_FILENO
    guard input >= 0 else { throw .inputIsNoTerminal }
    let isUnicode = lq_locale_setup() == 1
    guard lq_screen_open(input, STDOUT_FILENO, knowsAnyColor ? 1 : 0) == 0 else {
      if ownsInput { Glibc.close(input) }
      throw .unsuitable(type: type)
    }
    return Terminal(
      input: input, ownsInput: ownsInput, isUnicode: isUnicode, color: color, theme: theme,
      usesMouse: usesMouse)
  }

  private init(
    input: Int32, ownsInput: Bool, isUnicode: Bool, color: ColorChoice, theme: Theme,
    usesMouse: Bool
  ) {
    modesOn = "\u{1b}[?2004h" + (usesMouse ? "\u{1b}[?1000h\u{1b}[?1002h\u{1b}[?1006h" : "")
    // A frame may have been cut short.
    modesOff =
      "\u{1b}[?2026l" + (usesMouse ? "\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1000l" : "")
      + "\u{1b}[?2004l"
    inputDescriptor = input
    self.ownsInput = ownsInput
    self.isUnicode = isUnicode
    let isColored =
      switch color {
      case .auto: (Self.environment("NO_COLOR") ?? "").isEmpty
      case .always: true
      case .never: false
      }
    colors = isColored ? Int(lq_screen_colors()) : 0
    palette = Palette(colors: colors, background: Self.toldBackground ?? .dark, theme: theme)
    decoder = KeyDecoder(known: Self.knownSequences())
    size = Self.reportedSize()
    begin()
  }

  /// Shows everything in the colours of this theme.
  func use(_ theme: Theme) {
    let background = Self.toldBackground ?? reportedBackground ?? .dark
    palette = Palette(colors: colors, background: background, theme: theme)
    askBackground()
  }

  /// Whether the terminal declares that it knows colours by red, green and blue. terminfo doesn't
  /// show that: the entries for it are seldom installed, and seldom chosen.
  private static var knowsAnyColor: Bool {
    ["truecolor", "24bit"].contains(environment("COLORTERM") ?? "")
  }

  /// Restores the terminal. Nothing can be drawn afterwards.
  func close() {
    guard isOpen else { return }
    isOpen = false
    awaitReports()
    write(modesOff)
    lq_screen_close()
    lq_restoration_finish()
    if ownsInput { Glibc.close(inputDescriptor) }
  }

  /// Restores the terminal from any thread, as after a crash, even while the owner is in the middle
  /// of a frame: the process ends.
  nonisolated static func restore() { lq_restoration_perform() }

  /// Reads the size again, after ``Signal/resize``; the next grid is written completely.
  func resize() {
    size = Self.reportedSize()
    lq_screen_resize(Int32(size.width), Int32(size.height))
    shown = nil
  }

  /// Forgets the screen's content: the next grid is written completely (Ctrl-L).
  func invalidate() {
    lq_screen_invalidate()
    shown = nil
  }

  /// Restores the terminal, stops the process as Ctrl-Z does, and takes over the terminal again
  /// when the process continues. The size may have changed, and the next grid is written
  /// completely.
  func suspend() {
    awaitReports()
    leave()
    Signal.stopProcess()
    enter()
  }

  /// Takes over the terminal again after SIGSTOP, without ``suspend()``, stopped the process: the
  /// shell has changed its settings since.
  func resume() {
    leave()
    enter()
  }

  /// Restores the terminal while `body` runs, which may lend it to another program, and takes it
  /// over again. The size may have changed, and the next grid is written completely.
  func handOver<Value>(_ body: () -> Value) -> Value {
    awaitReports()
    leave()
    defer { enter() }
    return body()
  }

  /// The keys that can be read without waiting, except for the rest of an incomplete sequence.
  func readKeys() -> [Key] {
    var keys = decoder.decode(readBytes())
    while decoder.isWaiting {
      var ready = pollfd(fd: inputDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, decoder.patience) == 1, ready.revents & Int16(POLLIN) != 0 else {
        return keys + decoder.flush()
      }
      let bytes = readBytes()
      if bytes.isEmpty { return keys + decoder.flush() }
      keys += decoder.decode(bytes)
    }
    return keys
  }

  func readBytes() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
      count = max(0, read(inputDescriptor, buffer.baseAddress, buffer.count))
    }
  }

  private func leave() {
    write(modesOff)
    lq_screen_leave()
    lq_restoration_finish()
  }

  private func enter() {
    // The rest of what had begun went to the other program.
    decoder.forget()
    lq_screen_enter()
    begin()
    resize()
  }

  private func begin() {
    lq_restoration_arm(STDOUT_FILENO, modesOff)
    write(modesOn)
  }

  /// Writes bytes that aren't cells.
  func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
        continue
      }
      if errno == EINTR { continue }
      // Another program that shares the terminal made it non-blocking. Wait: half a sequence would
      // swallow more.
      var ready = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
      guard errno == EAGAIN, poll(&ready, 1, 1_000) > 0 else { return }
    }
  }

  private static func reportedSize() -> Size {
    var width: Int32 = 0
    var height: Int32 = 0
    lq_screen_size(&width, &height)
    return Size(width: Int(width), height: Int(height))
  }

  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The sequences of this terminal's keys according to terminfo.
  private static func knownSequences() -> [[UInt8]: Key] {
    let keys: [(String, Key)] = [
      ("kcuu1", .up), ("kcud1", .down), ("kcub1", .left), ("kcuf1", .right), ("khome", .home),
      ("kend", .end), ("kpp", .pageUp), ("knp", .pageDown), ("kich1", .insert),
      ("kdch1", .delete), ("kcbt", .backTab), ("kent", .enter), ("kLFT5", .wordLeft),
      ("kRIT5", .wordRight),
    ]
    let functions = (1...12).map { ("kf\($0)", Key.function($0)) }
    var known: [[UInt8]: Key] = [:]
    for (name, key) in keys + functions {
      guard let sequence = lq_key_sequence(name) else { continue }
      let bytes = Array(String(cString: sequence).utf8)
      // Only sequences that start with an Escape: any other would take a character from the
      // keyboard.
      if bytes.count > 1, bytes[0] == 0x1b { known[bytes] = key }
    }
    return known
  }
}
