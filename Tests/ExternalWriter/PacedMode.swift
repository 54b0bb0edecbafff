import Glibc

/// `paced`: the arena of sample.db, played by people: a commit or two a second, now and then a
/// burst, until the count, the time or a signal ends it.
enum PacedMode {
  static func run(_ arguments: Arguments) throws {
    let connection = try Connection(arguments)
    var random = Random(seed: arguments.seed)
    var arena = try Arena(connection)
    let limit = arguments.count ?? Int.max
    let end = arguments.seconds.map { Clock.nanoseconds + UInt64($0 * 1e9) } ?? UInt64.max
    StopSignal.install()

    var commits = 0
    while commits < limit, Clock.nanoseconds < end, !StopSignal.arrived {
      let play = Play.any(using: &random)
      let repeats = play == .burst ? Int.random(in: 8...25, using: &random) : 1
      for _ in 0..<min(repeats, limit - commits) {
        do {
          try arena.play(play, using: &random)
        } catch let error as WriterError where error.code & 0xff == 5 {
          // Somebody holds the lock for longer than --busy. A person would try later, too.
          Output.complaint(error.description)
        }
        commits += 1
      }
      if arguments.isVerbose { Output.line("\(play.rawValue) \(repeats)") }
      // People are uneven: between a third of the mean pause and five thirds of it.
      pause(Double.random(in: 0.33...1.67, using: &random) / arguments.rate)
    }
  }

  /// Sleeps, unless a signal comes.
  private static func pause(_ seconds: Double) {
    var time = timespec(
      tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
    nanosleep(&time, nil)
  }
}

/// A polite end: the connection is closed, and with it the -wal goes away.
private enum StopSignal {
  // Written by the handler alone, from 0 to 1, and read by the loop.
  nonisolated(unsafe) private static var flag: sig_atomic_t = 0

  static var arrived: Bool { flag != 0 }

  static func install() {
    // sigaction without SA_RESTART, so that the signal ends the pause as well.
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in StopSignal.flag = 1 }
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaction(number, &action, nil) }
  }
}
