import Dashboard
import Glibc

/// Determines whether the terminal is dark or light.
extension Terminal {
  /// How long an answer is awaited, in nanoseconds: a few times the delay of a slow line.
  private static let answerTime: UInt64 = 1_000_000_000

  /// Asks the terminal for its background, once, if the theme depends on it and it is unknown.
  ///
  /// The program doesn't wait for the answer: it uses the tones for a dark background until the
  /// answer arrives in ``readKeys()``, with the keys.
  func askBackground() {
    guard backgroundAskedAt == nil, palette.dependsOnBackground, Self.toldBackground == nil,
      Self.answersQuestions, isInputOfOutput
    else { return }
    backgroundAskedAt = MonotonicClock.now
    decoder.awaitsReports = true
    write(TerminalReport.questions)
  }

  /// The background from `COLORFGBG`.
  static var toldBackground: Palette.Background? {
    Palette.Background(colorFGBG: environment("COLORFGBG"))
  }

  /// Takes the terminal's answers.
  ///
  /// - Returns: Whether everything looks different now.
  func takeReports() -> Bool {
    let former = palette
    for case .background(let color?) in decoder.takeReports() {
      reportedBackground = Palette.Background(color)
      use(palette.theme)
    }
    return palette != former
  }

  /// Waits for pending answers before another program reads from the terminal, which would read
  /// them as keys. Keys typed meanwhile were meant for that program, and are lost.
  func awaitReports() {
    guard let askedAt = backgroundAskedAt else { return }
    while decoder.awaitsReports {
      // Answers that have arrived are taken, however late.
      let passed = min(MonotonicClock.now - askedAt, Self.answerTime)
      var ready = pollfd(fd: inputDescriptor, events: Int16(POLLIN), revents: 0)
      let rest = Int32((Self.answerTime - passed + 999_999) / 1_000_000)
      guard poll(&ready, 1, rest) == 1, ready.revents & Int16(POLLIN) != 0 else { return }
      let bytes = readBytes()
      if bytes.isEmpty { return }
      _ = decoder.decode(bytes)
    }
    _ = takeReports()
  }

  /// The Linux console and old hardware would show the question as text. GNU screen, unlike tmux,
  /// answers for none of the terminals on which it is shown.
  private static var answersQuestions: Bool {
    let type = environment("TERM") ?? ""
    if type.hasPrefix("screen") { return environment("TMUX") ?? "" != "" }
    return !["linux", "vt100", "vt102", "vt220", "ansi", "cons25"].contains(type)
  }

  /// Whether the terminal's answers arrive where keys are read.
  private var isInputOfOutput: Bool {
    var input = stat()
    var output = stat()
    guard fstat(inputDescriptor, &input) == 0, fstat(STDOUT_FILENO, &output) == 0 else {
      return false
    }
    // /dev/tty is a device of its own: the session's terminal, whichever that is.
    return input.st_rdev == output.st_rdev || tcgetsid(inputDescriptor) == tcgetsid(STDOUT_FILENO)
  }
}
