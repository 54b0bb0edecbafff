import Glibc

/// Starts workers, ends those that hang, and counts.
struct Parent {
  let seed: UInt64
  let share: Int
  let folder: String
  let own: String
  let limits: Limits
  let keep: String
  let count: Int
  let seconds: Int
  private(set) var failures: [String] = []
  private var tried: [String: Int] = [:]
  private var slowest: [String: (time: Int, number: String)] = [:]
  private var largest: [String: (megabytes: Int, number: String)] = [:]
  private var total: Int { tried.values.reduce(0, +) }

  init(
    seed: UInt64, share: Int, folder: String, own: String, limits: Limits, keep: String,
    count: Int, seconds: Int
  ) {
    self.seed = seed
    self.share = share
    self.folder = folder
    self.own = own
    self.limits = limits
    self.keep = keep
    self.count = count
    self.seconds = seconds
  }

  private final class Child {
    let process: pid_t
    let output: Int32
    let folder: String
    var text: [UInt8] = []
    /// The input that it has begun, and not ended.
    var begun: (number: UInt64, kind: String)?
    private var heard = time(nil)
    private var busy = 0
    let first: UInt64

    init(_ process: pid_t, _ output: Int32, _ folder: String, first: UInt64) {
      (self.process, self.output, self.folder, self.first) = (process, output, folder, first)
    }

    /// Seconds of processor time, of all threads.
    private var processorTime: Int {
      var clock = clockid_t()
      var time = timespec()
      guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
        return 0
      }
      return time.tv_sec
    }

    func noteSign() { (heard, busy) = (time(nil), processorTime) }

    /// A worker that gets no processor isn't one that hangs; but one that waits for something needs none.
    func hangs(after seconds: Int) -> Bool {
      let silence = time(nil) - heard
      return silence > 10 * seconds || silence > seconds && processorTime - busy >= seconds
    }
  }

  mutating func run(workers: Int) throws {
    say("hostile: seed \(seed), one input in \(share) to the program")
    let end = time(nil) + seconds
    var children = try (0..<workers).map { try start($0, from: UInt64($0)) }
    while time(nil) < end, total < count {
      var ready = children.map { pollfd(fd: $0.output, events: Int16(POLLIN), revents: 0) }
      poll(&ready, nfds_t(ready.count), 500)
      for (index, child) in children.enumerated() {
        var hasEnded = false
        if ready[index].revents != 0 {
          var buffer = [UInt8](repeating: 0, count: 65_536)
          let count = read(child.output, &buffer, buffer.count)
          if count > 0 {
            child.noteSign()
            child.text += buffer[..<count]
            take(child)
          } else {
            hasEnded = true
          }
        }
        let hangs = child.hangs(after: limits.seconds)
        guard hasEnded || hangs else { continue }
        let status = stop(child)
        guard let begun = child.begun else {
          throw FileTrouble("a worker cannot begin (status \(status))")
        }
        let what =
          hasEnded ? "crashed (status \(status))" : "did not end in \(limits.seconds) s"
        fail(begun.number, begun.kind, what, child.folder)
        tried[begun.kind, default: 0] += 1
        children[index] = try start(index, from: begun.number + UInt64(workers))
      }
    }
    for child in children { _ = stop(child) }
    summarize()
  }

  private func start(_ index: Int, from first: UInt64) throws -> Child {
    let folder = folder + "/\(index)"
    mkdir(folder, 0o700)
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw FileTrouble("pipe") }
    _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addclose(&actions, ends[1])
    let words = [
      own, "--from", "\(first)", "--seed", "\(seed)", "--share", "\(share)", "--folder", folder,
      "--limits", limits.name,
    ]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for word in arguments { free(word) } }
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    var process: pid_t = 0
    let number = posix_spawn(&process, own, &actions, nil, &arguments, environ)
    close(ends[1])
    guard number == 0 else {
      errno = number
      throw FileTrouble(own)
    }
    return Child(process, ends[0], folder, first: first)
  }

  private func stop(_ child: Child) -> Int32 {
    kill(child.process, SIGKILL)
    close(child.output)
    var status: Int32 = 0
    waitpid(child.process, &status, 0)
    return status & 0x7f != 0 ? 128 + status & 0x7f : status >> 8 & 0xff
  }

  /// Reads the lines that a worker has written.
  private mutating func take(_ child: Child) {
    while let end = child.text.firstIndex(of: 0x0a) {
      let line = String(decoding: child.text[..<end], as: UTF8.self)
      child.text.removeSubrange(...end)
      let words = line.split(separator: " ", maxSplits: 5).map(String.init)
      guard words.count >= 3, let number = UInt64(words[1]) else { continue }
      if words[0] == "+" {
        child.begun = (number, words[2])
      } else if words.count >= 5, let time = Int(words[3]), let megabytes = Int(words[4]) {
        child.begun = nil
        let kind = words[2]
        tried[kind, default: 0] += 1
        if time > slowest[kind]?.time ?? -1 { slowest[kind] = (time, words[1]) }
        if megabytes > largest[kind]?.megabytes ?? -1 { largest[kind] = (megabytes, words[1]) }
        if words.count > 5 { fail(number, kind, words[5], child.folder) }
      }
    }
  }

  /// Keeps the files of an input that failed.
  private mutating func fail(_ number: UInt64, _ kind: String, _ what: String, _ from: String) {
    let line = "seed \(seed) input \(number) (\(kind)): \(what)"
    failures.append(line)
    say("FAILED \(line)")
    mkdir(keep, 0o755)
    let place = keep + "/\(seed)-\(number)"
    mkdir(place, 0o755)
    for name in HostileInput.names(in: from) where name.hasPrefix("input.") {
      if let content = try? bytes(from + "/" + name) { try? write(content, to: place + "/" + name) }
    }
  }

  private func summarize() {
    func pad(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    say("kind           inputs      slowest (input)         most memory (input)")
    for kind in Input.Kind.allCases.map(\.rawValue) {
      guard let count = tried[kind] else { continue }
      let slow = slowest[kind].map { "\($0.time / 1_000) ms (\($0.number))" } ?? "-"
      let large = largest[kind].map { "\($0.megabytes) MB (\($0.number))" } ?? "-"
      say(
        kind + pad("\(count)", 21 - kind.count) + pad(slow, 22) + pad(large, 24))
    }
    say("hostile: \(total) inputs, \(failures.count) failed")
    for failure in failures { say("  \(failure)") }
  }
}
