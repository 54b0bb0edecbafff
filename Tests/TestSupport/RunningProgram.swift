internal import Dispatch
internal import Glibc
internal import ObservationEngine
internal import Synchronization

/// What a program left behind.
package struct ProgramResult: Sendable {
  /// Its exit status; 128 and the signal's number when a signal killed it.
  package let status: Int32
  package let outputBytes: [UInt8]
  package let errors: String

  /// Standard output as text.
  package var output: String { String(decoding: outputBytes, as: UTF8.self) }
}

/// A program that a test started: what it prints can be waited for.
///
/// Proof of `@unchecked`: what was read, and the descriptors, are touched on `queue` alone.
package final class RunningProgram: @unchecked Sendable {
  /// What the program reads.
  package enum Input {
    /// Nothing: the end comes at once.
    case empty
    /// Less than a pipe holds (64 KB), then the end.
    case text(String)
    /// There is no standard input at all.
    case closed
  }

  /// How long a program may say nothing, in milliseconds: far beyond what a loaded machine needs.
  private static let patience: Int32 = 60_000

  package let identifier: Int32
  private let queue = DispatchQueue(label: "livequery.test.program")
  /// Standard output and standard error; -1 once they have ended.
  private var streams: [Int32]
  private var read: [[UInt8]] = [[], []]
  /// Where the next line of standard output begins, and up to where there is no end of it.
  private var lineStart = 0
  private var searched = 0
  private let status = Mutex<Int32?>(nil)

  /// Starts a program, without most of this process's environment.
  ///
  /// - Parameters:
  ///   - words: The program, with its path unless PATH finds it, and its arguments.
  ///   - environment: Variables beside the few that every program gets.
  package init(
    _ words: [String], input: Input = .empty, environment: [String: String] = [:]
  ) throws {
    let output = try Self.pipe()
    let errors = try Self.pipe()
    let input = try Self.descriptor(for: input)
    defer { for end in [output.write, errors.write, input] where end >= 0 { close(end) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if input >= 0 {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addclose(&actions, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, output.write, 1)
    posix_spawn_file_actions_adddup2(&actions, errors.write, 2)
    var attributes = posix_spawnattr_t()
    Self.makeSignalsDefault(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      Self.environment.merging(environment) { $1 }.map { strdup("\($0)=\($1)") } + [nil]
    defer { for word in arguments + variables { free(word) } }
    var child: pid_t = 0
    let result = posix_spawnp(&child, words[0], &actions, &attributes, &arguments, &variables)
    guard result == 0 else {
      close(output.read)
      close(errors.read)
      throw Unexpected("\(words[0]) cannot be started: \(String(cString: strerror(result)))")
    }
    identifier = child
    streams = [output.read, errors.read]
  }

  deinit {
    signal(SIGKILL)
    _ = reap()
    for stream in streams where stream >= 0 { close(stream) }
  }

  /// Runs a program to its end.
  package static func run(
    _ words: [String], input: Input = .empty, environment: [String: String] = [:]
  ) async throws -> ProgramResult {
    try await RunningProgram(words, input: input, environment: environment).result()
  }

  /// Sends a signal, unless the program has ended.
  package func signal(_ number: Int32) {
    status.withLock { if $0 == nil { _ = kill(identifier, number) } }
  }

  /// Stops the program, and returns when all its threads stand still.
  package func stop() async throws {
    signal(SIGSTOP)
    try await wait(for: "process \(identifier) to stop") {
      var info = siginfo_t()
      return waitid(P_PID, id_t(identifier), &info, WSTOPPED | WNOHANG) == 0
        && info.si_signo == SIGCHLD
    }
  }

  /// The kinds of the program's locks on files: READ or WRITE. See proc_locks(5).
  package func locks() throws -> [String] {
    try textOfProcessFile("/proc/locks").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      // 1: POSIX  ADVISORY  WRITE 3568 fd:00:2531452 0 EOF
      guard words.count >= 8, words[4] == "\(identifier)" else { return nil }
      return String(words[3])
    }
  }

  /// Stops reading standard output, as `head` does.
  package func closeOutput() async {
    await onQueue {
      if self.streams[0] >= 0 { close(self.streams[0]) }
      self.streams[0] = -1
    }
  }

  /// The next whole line of standard output.
  package func line() async throws -> String { try await timedLine().text }

  /// The same with the time at which it was read, on the monotonic clock: before this task goes on.
  package func timedLine() async throws -> (text: String, readAt: UInt64) {
    try await onQueue {
      while true {
        if let end = self.read[0][self.searched...].firstIndex(of: 0x0a) {
          let now = SystemClock.monotonic()
          defer { (self.lineStart, self.searched) = (end + 1, end + 1) }
          return (String(decoding: self.read[0][self.lineStart..<end], as: UTF8.self), now)
        }
        self.searched = self.read[0].count
        guard self.streams[0] >= 0 else { throw Unexpected("it ended: \(self.told)") }
        try self.readMore()
      }
    }
  }

  /// Waits for a text on standard error.
  package func waitForErrors(containing text: String) async throws {
    try await onQueue {
      while !String(decoding: self.read[1], as: UTF8.self).contains(text) {
        guard self.streams[1] >= 0 else {
          throw Unexpected("it ended without \"\(text)\": \(self.told)")
        }
        // Standard output is left alone: it may have to be full.
        try self.readMore(from: 1...1)
      }
    }
  }

  /// Whether it has ended; false again behind ``result()``.
  package var hasEnded: Bool {
    var info = siginfo_t()
    // It is still to be reaped: then its signal is there.
    return waitid(P_PID, id_t(identifier), &info, WEXITED | WNOHANG | WNOWAIT) == 0
      && info.si_signo == SIGCHLD
  }

  /// Waits for the end of the program, and leaves what it printed unread.
  package func waitForEnd() async throws {
    try await wait(for: "the end of process \(identifier)") { hasEnded }
  }

  /// Waits for the end of the program.
  package func result() async throws -> ProgramResult {
    try await onQueue {
      // A program has ended when nobody holds its streams any more.
      while self.streams.contains(where: { $0 >= 0 }) { try self.readMore() }
      return ProgramResult(
        status: self.reap(), outputBytes: self.read[0],
        errors: String(decoding: self.read[1], as: UTF8.self))
    }
  }

  // MARK: - On the queue

  private func onQueue<Output: Sendable>(
    _ body: @escaping @Sendable () throws -> Output
  ) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result(catching: body)) }
    }
  }

  private func onQueue(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      queue.async {
        body()
        continuation.resume()
      }
    }
  }

  /// What to say of a program that disappoints.
  private var told: String {
    read.map { String(decoding: $0.suffix(500), as: UTF8.self) }.joined(separator: " / ")
  }

  private func readMore(from wanted: ClosedRange<Int> = 0...1) throws {
    var waiting = streams.indices.map { index in
      // poll ignores a negative descriptor.
      pollfd(
        fd: wanted.contains(index) ? streams[index] : -1, events: Int16(POLLIN), revents: 0)
    }
    guard poll(&waiting, 2, Self.patience) > 0 else {
      signal(SIGKILL)
      throw Unexpected("nothing happens; it said: \(told)")
    }
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    for index in 0...1 where waiting[index].revents != 0 {
      let count = Glibc.read(streams[index], &buffer, buffer.count)
      if count > 0 {
        read[index] += buffer[..<count]
      } else {
        close(streams[index])
        streams[index] = -1
      }
    }
  }

  private func reap() -> Int32 {
    status.withLock { status in
      if let status { return status }
      var raw: Int32 = 0
      while waitpid(identifier, &raw, 0) < 0, errno == EINTR {}
      let result = raw & 0x7f == 0 ? raw >> 8 & 0xff : 128 + raw & 0x7f
      status = result
      return result
    }
  }

  // MARK: - Starting

  /// Both ends close when any program is started, from the first moment on: a program that held the
  /// far end of another one's pipe would keep it from ending.
  package static func pipe() throws -> (read: Int32, write: Int32) {
    let folder = try TemporaryFolder()
    let path = folder.path("pipe")
    // pipe(2) cannot do that, and pipe2(2) is not imported.
    guard mkfifo(path, 0o600) == 0 else {
      throw Unexpected("mkfifo: \(String(cString: strerror(errno)))")
    }
    let read = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let write = open(path, O_WRONLY | O_CLOEXEC)
    guard read >= 0, write >= 0, fcntl(read, F_SETFL, O_RDONLY) == 0 else {
      throw Unexpected("open: \(String(cString: strerror(errno)))")
    }
    return (read, write)
  }

  private static func descriptor(for input: Input) throws -> Int32 {
    switch input {
    case .closed: return -1
    case .empty: return open("/dev/null", O_RDONLY | O_CLOEXEC)
    case .text(let text):
      let ends = try pipe()
      let bytes = Array(text.utf8)
      precondition(bytes.count < 64 * 1024, "the pipe would fill up")
      guard write(ends.write, bytes, bytes.count) == bytes.count else {
        throw Unexpected("write: \(String(cString: strerror(errno)))")
      }
      close(ends.write)
      return ends.read
    }
  }

  /// The thread that starts a program may have blocked signals; the program must not inherit that.
  private static func makeSignalsDefault(_ attributes: inout posix_spawnattr_t) {
    posix_spawnattr_init(&attributes)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    posix_spawnattr_setflags(&attributes, Int16(flags))
  }

  /// What every program gets: no locale, terminal or home of whoever runs the tests.
  private static var environment: [String: String] {
    var environment = [
      "LC_ALL": "C.UTF-8",
      // The backtracer of a crashed program would ask questions.
      "SWIFT_BACKTRACE": "enable=no",
      "HOME": "/dev/null",
      "TZ": "UTC",
    ]
    for name in ["PATH", "TMPDIR", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "ASAN_OPTIONS"] {
      if let value = getenv(name) { environment[name] = String(cString: value) }
    }
    return environment
  }
}
