import CProcess
import Glibc

/// A signal that the ``MainLoop`` reads instead of being interrupted by it.
enum Signal: Sendable, Hashable {
  /// Ends the process: HUP, INT, QUIT, TERM, and all others that do so by default, except faults
  /// and PROF.
  case end(Int32)
  /// The process continues after it was stopped.
  case `continue`
  /// Ctrl-Z on a terminal that turns it into a signal, or `kill -TSTP`.
  case stop
  /// The window has another size.
  case resize

  /// - Parameter number: The system's number; 0 for none.
  init?(number: Int32) {
    switch number {
    case 0: return nil
    case SIGCONT: self = .continue
    case SIGTSTP: self = .stop
    case SIGWINCH: self = .resize
    default: self = .end(number)
    }
  }

  /// The status that a shell shows for a process ended by this signal, if it ends processes.
  var exitStatus: Int32? {
    if case .end(let number) = self { 128 + number } else { nil }
  }
}

extension Signal {
  /// Runs `body` on a thread where signals act as in any other program: for blocking work before a
  /// loop reads them.
  static func delivering<Output>(_ body: () throws -> Output) rethrows -> Output {
    lq_signals_unblock()
    defer { lq_signals_block() }
    return try body()
  }

  /// Stops this process and those that share its terminal, as Ctrl-Z would.
  ///
  /// Returns when it is continued. Nothing stops if no shell could continue it.
  static func stopProcess() {
    // ncurses may have installed its own handler, which must not run.
    var standard = sigaction()
    standard.__sigaction_handler.sa_handler = SIG_DFL
    var former = sigaction()
    sigaction(SIGTSTP, &standard, &former)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGTSTP)
    kill(0, SIGTSTP)
    // The process stops within this call, which unblocks the signal.
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    sigaction(SIGTSTP, &former, nil)
    // The caller knows that it was continued. A second notice would look like one after a SIGSTOP.
    sigemptyset(&set)
    sigaddset(&set, SIGCONT)
    var noWait = timespec(tv_sec: 0, tv_nsec: 0)
    sigtimedwait(&set, nil, &noWait)
  }
}
