import CLinux
import Glibc

/// A signal that the ``MainLoop`` reads instead of being interrupted by it.
enum Signal: Int32, Sendable, CaseIterable {
  case hangUp = 1
  case interrupt = 2
  case quit = 3
  case terminate = 15
  /// The process goes on after it was stopped.
  case `continue` = 18
  /// Ctrl-Z on a terminal that turns it into a signal, or `kill -TSTP`.
  case stop = 20
  /// The window has another size.
  case resize = 28

  /// What a shell shows for a process that this signal ended, if it ends processes.
  var exitStatus: Int32? {
    switch self {
    case .hangUp, .interrupt, .quit, .terminate: 128 + rawValue
    case .continue, .stop, .resize: nil
    }
  }
}

extension Signal {
  /// Runs `body` on a thread that signals act upon as in any program: for what comes before a loop
  /// that reads them, and waits for somebody.
  static func delivering<Output>(_ body: () throws -> Output) rethrows -> Output {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in allCases { sigaddset(&set, signal.rawValue) }
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    defer { pthread_sigmask(SIG_BLOCK, &set, nil) }
    return try body()
  }

  /// Stops this process and those that share its terminal with it, as Ctrl-Z would.
  ///
  /// Returns when it is continued. Nothing stops when no shell is there to continue it.
  static func stopProcess() {
    // ncurses may have put a handler of its own here; it must not run.
    var standard = sigaction()
    standard.__sigaction_handler.sa_handler = SIG_DFL
    var former = sigaction()
    sigaction(SIGTSTP, &standard, &former)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGTSTP)
    kill(0, SIGTSTP)
    // The process stops within this call, where the signal is let through.
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    sigaction(SIGTSTP, &former, nil)
    // The caller knows that it was continued. A second notice would come as if from a SIGSTOP.
    sigemptyset(&set)
    sigaddset(&set, SIGCONT)
    var noWait = timespec(tv_sec: 0, tv_nsec: 0)
    sigtimedwait(&set, nil, &noWait)
  }
}
