import CSystem
import Glibc

/// A process that this one started, and that it ends.
final class ChildProcess {
  /// Where the standard streams lead.
  enum Streams {
    /// To the same places as this process's.
    case inherited
    case pipes
    /// To a terminal of its own, which controls it.
    case terminal(columns: Int32, rows: Int32)
  }

  let pid: pid_t
  /// Right before the process was started.
  let started: UInt64
  /// What it writes to standard output or to its terminal; `nil` when inherited.
  let output: ByteSource?
  private var input: Int32
  private var status: Int32?
  /// User and system time in nanoseconds, known after the end.
  private(set) var cpuTime: UInt64 = 0

  /// - Parameter environment: Variables that differ from those of this process.
  init(
    _ program: String, _ arguments: [String], streams: Streams = .pipes,
    environment: [String: String] = [:]
  ) throws(Failure) {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var ends = Ends()
    switch streams {
    case .inherited: break
    case .pipes:
      ends = try Ends.pipes()
      posix_spawn_file_actions_adddup2(&actions, ends.childInput, 0)
      posix_spawn_file_actions_adddup2(&actions, ends.childOutput, 1)
    case .terminal(let columns, let rows):
      let terminal = try PseudoTerminal(columns: columns, rows: rows)
      ends = Ends(input: -1, output: terminal.descriptor)
      // A session leader that opens a terminal gets it as its controlling one.
      posix_spawnattr_setflags(&attributes, Int16(BENCH_SPAWN_SETSID))
      posix_spawn_file_actions_addopen(&actions, 0, terminal.path, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
    }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = Self.variables(environment).map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    var pid: pid_t = 0
    started = Clock.now
    let result = posix_spawn(&pid, program, &actions, &attributes, &words, &variables)
    ends.closeChildEnds()
    input = ends.input
    output = ends.output < 0 ? nil : ByteSource(ends.output)
    self.pid = pid
    guard result == 0 else {
      status = 0
      throw Failure(call: program, number: result)
    }
  }

  deinit {
    closeInput()
    if status == nil {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
  }

  func write(_ text: String) throws(Failure) {
    var text = text
    let count = text.utf8.count
    let written = text.withUTF8 { Glibc.write(input, $0.baseAddress, $0.count) }
    guard written == count else { throw Failure(call: "writing to process \(pid)") }
  }

  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  func signal(_ number: Int32) { kill(pid, number) }

  /// Reads the rest of the output and waits for the end.
  ///
  /// - Returns: The exit status; 128 and the signal's number when a signal ended the process.
  @discardableResult
  func waitForEnd() -> Int32 {
    if let status { return status }
    while let output, !output.hasEnded, ByteSource.wait([output], until: Clock.now + 5_000_000_000)
    {
      output.read()
    }
    var raw: Int32 = 0
    var usage = rusage()
    while wait4(pid, &raw, 0, &usage) < 0, errno == EINTR {}
    cpuTime = [usage.ru_utime, usage.ru_stime].reduce(0) {
      $0 + UInt64($1.tv_sec) * 1_000_000_000 + UInt64($1.tv_usec) * 1_000
    }
    let ended = raw & 0x7f == 0 ? (raw >> 8) & 0xff : 128 + raw & 0x7f
    status = ended
    return ended
  }

  private static func variables(_ changes: [String: String]) -> [String] {
    var kept: [String] = []
    var entry = environ
    while let variable = entry.pointee {
      let text = String(cString: variable)
      if changes[String(text.prefix { $0 != "=" })] == nil { kept.append(text) }
      entry += 1
    }
    return kept + changes.map { "\($0)=\($1)" }
  }

  /// The descriptors of both sides; -1 for none.
  private struct Ends {
    var input: Int32 = -1
    var output: Int32 = -1
    var childInput: Int32 = -1
    var childOutput: Int32 = -1

    static func pipes() throws(Failure) -> Ends {
      var toChild: [Int32] = [-1, -1]
      var fromChild: [Int32] = [-1, -1]
      guard bench_pipe(&toChild) == 0, bench_pipe(&fromChild) == 0 else {
        throw Failure(call: "pipe")
      }
      return Ends(
        input: toChild[1], output: fromChild[0], childInput: toChild[0], childOutput: fromChild[1])
    }

    func closeChildEnds() {
      if childInput >= 0 { close(childInput) }
      if childOutput >= 0 { close(childOutput) }
    }
  }
}
