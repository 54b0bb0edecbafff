import Glibc

/// A program that uses the terminal while this one waits for it.
enum ForegroundChild {
  /// How it ended.
  enum End: Equatable {
    case exited(Int32)
    case killed(signal: Int32)
    case notStarted(errno: Int32)
  }

  /// Runs a program to completion; blocks the calling thread.
  ///
  /// It handles signals like a program started from a shell. Ctrl-Z in it stops both, and `fg`
  /// continues both. Only it receives what Ctrl-C sends to both.
  ///
  /// - Parameters:
  ///   - words: The path of the program, then its arguments.
  ///   - input: The terminal, for its standard input.
  static func run(_ words: [String], input: Int32) -> End {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if input != STDIN_FILENO { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var standard = sigset_t()
    sigfillset(&standard)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &standard)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))

    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    let failure = posix_spawn(&child, words[0], &actions, &attributes, &arguments, environ)
    guard failure == 0 else { return .notStarted(errno: failure) }
    return Ending.lendingTerminal {
      defer { dropSignals() }
      return wait(for: child)
    }
  }

  private static func wait(for child: pid_t) -> End {
    while true {
      var status: Int32 = 0
      if waitpid(child, &status, WUNTRACED) < 0 {
        guard errno == EINTR else { return .notStarted(errno: errno) }
        continue
      }
      switch status & 0xff {
      case 0: return .exited(status >> 8 & 0xff)
      case 0x7f:
        // It was stopped, and waits for the shell. The shell waits for both of us.
        kill(getpid(), SIGSTOP)
      default: return .killed(signal: status & 0x7f)
      }
    }
  }

  /// Signals from the terminal and the shell meanwhile were for the child. HUP and TERM stay: they
  /// are for either.
  private static func dropSignals() {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGINT, SIGQUIT, SIGTSTP, SIGCONT] { sigaddset(&set, signal) }
    var noWait = timespec(tv_sec: 0, tv_nsec: 0)
    while sigtimedwait(&set, nil, &noWait) > 0 {}
  }
}
