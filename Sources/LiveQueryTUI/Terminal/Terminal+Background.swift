import Dashboard
import Glibc

/// Finding out whether the terminal is dark or light.
extension Terminal {
  /// How long an answer may take until nobody waits for it, in nanoseconds: a few times the delay of a
  /// slow line.
  private static let answerTime: UInt64 = 1_000_000_000

  /// Asks the terminal for its background, once, if its theme depends on that and nothing tells it.
  ///
  /// Nobody waits for the answer: the tones for a dark background are there until it comes, with the
  /// keys, to ``readKeys()``.
  func askBackground() {
    guard backgroundAskedAt == nil, palette.dependsOnBackground, Self.toldBackground == nil,
      Self.answersQuestions, isInputOfOutput
    else { return }
    backgroundAskedAt = MonotonicClock.now
    decoder.awaitsReports = true
    write(TerminalReport.questions)
  }

  /// What `COLORFGBG` tells.
  static var toldBackground: Palette.Background? {
    Palette.Background(colorFGBG: environment("COLORFGBG"))
  }

  /// Takes what the terminal answered.
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

  /// Waits for answers that are under way, before another program reads from the terminal: it would take
  /// them for keys. What is typed meanwhile was meant for that program, and is lost.
  func awaitReports() {
    guard let askedAt = backgroundAskedAt else { return }
    while decoder.awaitsReports {
      // What has come is taken, however late.
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

  /// The Linux console and old hardware would show the question as text. GNU screen, other than tmux,
  /// answers for none of the terminals that it is shown on.
  private static var answersQuestions: Bool {
    let type = environment("TERM") ?? ""
    if type.hasPrefix("screen") { return environment("TMUX") ?? "" != "" }
    return !["linux", "vt100", "vt102", "vt220", "ansi", "cons25"].contains(type)
  }

  /// Whether what the terminal answers comes to where keys are read.
  private var isInputOfOutput: Bool {
    var input = stat()
    var output = stat()
    guard fstat(inputDescriptor, &input) == 0, fstat(STDOUT_FILENO, &output) == 0 else {
      return false
    }
    // /dev/tty is a device of its own: the terminal of the session, whichever that is.
    return input.st_rdev == output.st_rdev || tcgetsid(inputDescriptor) == tcgetsid(STDOUT_FILENO)
  }
}
