import Glibc

/// Gives damaged and crafted files to what reads them, and sees that each ends, in time and in bounds.
///
///     HostileInput [--seconds N] [--count N] [--seed N] [--share N] [--keep FOLDER] [--limits sanitized]
///     HostileInput --only NUMBER --seed N          one input, in this process, for a debugger
///
/// Inputs are made from the seed and their number. Workers try them, each in a process of its own, so
/// that a crash or a hang is caught: the input that was begun last is the one. Its files are kept.
/// Ends with status 1 when an input failed.
@main
struct HostileInput {
  private static let workers = 2

  static func main() throws {
    var options: [String: String] = [:]
    var words = CommandLine.arguments.dropFirst()
    while let word = words.popFirst() { options[word] = words.popFirst() ?? "" }
    func number(_ name: String, _ usual: Int) -> Int { options[name].flatMap { Int($0) } ?? usual }
    let seed = UInt64(number("--seed", time(nil)))
    let share = max(1, number("--share", 200))
    let limits = options["--limits"] == "sanitized" ? Limits.sanitized : .usual
    let folder = try options["--folder"] ?? makeFolder()
    let own = CommandLine.arguments[0]
    let place = own.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let program = (place + ["livequery"]).joined(separator: "/")
    if let only = options["--only"] ?? options["--from"], let first = UInt64(only) {
      let step = options["--only"] != nil ? nil : UInt64(workers)
      return try Worker(
        seed: seed, share: share, folder: folder, program: program, limits: limits
      )
      .run(from: first, step: step)
    }
    var parent = Parent(
      seed: seed, share: share, folder: folder, own: own, limits: limits,
      keep: options["--keep"] ?? "hostile-failures", count: number("--count", .max),
      seconds: number("--seconds", 60))
    defer { removeFolder(folder) }
    try parent.run(workers: workers)
    exit(parent.failures.isEmpty ? 0 : 1)
  }

  static func makeFolder() throws -> String {
    let top = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((top + "/livequery-hostile-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw FileTrouble(top) }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  static func removeFolder(_ path: String) {
    for name in names(in: path) {
      if unlink(path + "/" + name) != 0 { removeFolder(path + "/" + name) }
    }
    rmdir(path)
  }

  static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

/// Writes a line at once: whoever reads it must know what came before a crash.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  var written = 0
  while written < bytes.count {
    let count = bytes[written...].withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
    guard count > 0 else { exit(2) }
    written += count
  }
}

/// Tries inputs one after the other, and says of each when it begins and what it took.
struct Worker {
  let seed: UInt64
  let share: Int
  let folder: String
  let program: String
  let limits: Limits

  /// - Parameter step: To the next input; nil for one input alone.
  func run(from first: UInt64, step: UInt64?) throws {
    // What reserves memory without end must not take that of others.
    var limit = rlimit(
      rlim_cur: rlim_t(limits.addresses), rlim_max: rlim_t(limits.addresses))
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    let corpus = try Corpus(folder: folder)
    let recording = try recording(corpus)
    var number = first
    while true {
      var input = Input(
        seed: seed, number: number, corpus, folder: folder, recording: recording,
        program: program, share: share, limits: limits)
      say("+ \(number) \(input.kind.rawValue)")
      resetPeak()
      let start = microseconds()
      let complaint = try input.run()
      let taken = microseconds() - start
      input.close()
      let peak = peakMegabytes()
      var wrong = complaint
      if wrong == nil, peak > limits.megabytes { wrong = "took \(peak) MB" }
      say("- \(number) \(input.kind.rawValue) \(taken) \(peak) \(wrong ?? "")")
      guard let step else { return }
      number += step
    }
  }

  /// A recording of a short session, by the program itself.
  private func recording(_ corpus: Corpus) throws -> [UInt8] {
    let path = folder + "/base.rec"
    unlink(path)
    try write(corpus.databases[1].database, to: folder + "/base.db")
    let run = try ProgramRun(
      [
        program, "--stream", "--timeout", "1", "--record", path, folder + "/base.db",
      ], limits)
    usleep(400_000)
    let writer = try Writer(folder + "/base.db")
    try writer.run(
      "INSERT INTO fine (name) VALUES ('eve'); UPDATE deep SET body = 'x' WHERE id = 3")
    writer.close()
    if let complaint = run.complaint() { throw FileTrouble(complaint) }
    return try bytes(path)
  }

  private func microseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
  }

  private func resetPeak() { try? write(Array("5".utf8), to: "/proc/self/clear_refs") }

  private func peakMegabytes() -> Int {
    guard let status = try? bytes("/proc/self/status") else { return 0 }
    let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("VmHWM:") }
    return (line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) } ?? 0)
      / 1_024
  }
}
