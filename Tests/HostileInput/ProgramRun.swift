import CProcess
import Glibc

/// The program, run once within bounds.
struct ProgramRun {
  private let limits: Limits
  private let child: pid_t

  init(_ words: [String], _ limits: Limits) throws {
    self.limits = limits
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for stream in 0...2 as ClosedRange<Int32> {
      posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    let environment =
      [
        "SWIFT_BACKTRACE=enable=no", "LC_ALL=C.UTF-8", "XDG_STATE_HOME=/dev/null",
        "XDG_CONFIG_HOME=/dev/null", "PATH=/usr/bin:/bin", "HOME=/nonexistent",
      ] + (getenv("ASAN_OPTIONS").map { ["ASAN_OPTIONS=\(String(cString: $0))"] } ?? [])
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
    defer { for word in arguments + variables { free(word) } }
    var child: pid_t = 0
    let number = posix_spawn(&child, words[0], &actions, nil, &arguments, &variables)
    guard number == 0 else {
      errno = number
      throw FileTrouble(words[0])
    }
    self.child = child
  }

  /// Waits for its end.
  ///
  /// - Returns: What is wrong with it.
  func complaint() -> String? {
    var status: Int32 = 0
    var usage = rusage()
    var end = pollfd(fd: lq_pidfd_open(child), events: Int16(POLLIN), revents: 0)
    defer { close(end.fd) }
    let limit = limits.programSeconds
    let hasEnded = poll(&end, 1, limit * 1_000) == 1
    if !hasEnded { kill(child, SIGKILL) }
    wait4(child, &status, 0, &usage)
    if !hasEnded { return "did not end within \(limit) s" }
    if status & 0x7f != 0 { return "ended by signal \(status & 0x7f)" }
    let code = status >> 8 & 0xff
    if code > 5 { return "ended with status \(code)" }
    let megabytes = Int(usage.ru_maxrss) / 1_024
    return megabytes > limits.megabytes ? "took \(megabytes) MB" : nil
  }
}
