import Glibc
import TestSupport

/// One database, those who write to it, and the program that watches it.
final class Ground {
  /// How many writers have a row in `commits`.
  static let writerLimit = 6

  struct Writer {
    let number: Int
    let process: ExternalProcess
  }

  let options: Options
  let seed: UInt64
  let folder: String
  let database: String
  let traits: Traits
  var random: SeededRandom
  var isWAL: Bool
  /// Those who have the database open.
  var writers: [Writer] = []
  /// Commits that SQLite acknowledged, by writer.
  var acknowledged = [Int](repeating: 0, count: writerLimit)
  /// Writers that were killed without saying how many of their commits came to an end.
  var uncertain: Set<Int> = []
  private var program: RunningProgram?
  private var replica: Replica?
  private var reader: TruthReader?
  private let journal: Int32

  init(_ options: Options, seed: UInt64) throws {
    self.options = options
    self.seed = seed
    random = SeededRandom(seed: seed)
    traits = Traits(using: &random)
    isWAL = traits.isWAL
    mkdir(".build", 0o755)
    mkdir(options.evidence, 0o755)
    folder = "\(options.evidence)/seed-\(seed)"
    Self.empty(folder)
    guard mkdir(folder, 0o755) == 0 else { throw Unexpected("\(folder) cannot be made") }
    database = "\(folder)/app.db"
    journal = open("\(folder)/operations.log", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
  }

  deinit { close(journal) }

  /// Removes what was made.
  func discard() { Self.empty(folder) }

  private static func empty(_ folder: String) {
    if let entries = opendir(folder) {
      while let entry = readdir(entries) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        unlink("\(folder)/\(name)")
      }
      closedir(entries)
    }
    rmdir(folder)
  }

  func note(_ text: String) {
    let line = "\(text)\n"
    _ = line.withCString { write(journal, $0, strlen($0)) }
  }

  // MARK: - A case

  func run(_ report: inout Report) async throws {
    note("seed \(seed): \(traits)")
    let maker = try await ExternalProcess.serve(database)
    for line in traits.creation { try await maker.send(line) }
    await maker.finish()
    try start()
    reader = try await TruthReader(folder: folder, panels: traits.panels)
    do {
      try await fence(&report, after: "the start")
      for round in 1...options.rounds {
        let work = chooseWork()
        note("round \(round): \(work.rawValue)")
        report.work[work.rawValue, default: 0] += 1
        try await perform(work, &report)
        try await fence(&report, after: work.rawValue)
      }
      await closeAll()
      try await fence(&report, after: "the end", mustCheck: true)
      try await stop()
    } catch {
      // The evidence: the files before anybody closes them.
      for suffix in Files.suffixes {
        Files.copy(database + suffix, to: "\(folder)/at-failure.db\(suffix)")
      }
      note("\(error)")
      await end()
      throw error
    }
    await end()
  }

  private func chooseWork() -> Work {
    // Those that a case has no use for stand for plain writing.
    let classes = Work.allCases.filter { options.classes.contains($0) }
    var rest = Int.random(in: 0..<classes.reduce(0) { $0 + $1.weight }, using: &random)
    for work in classes {
      rest -= work.weight
      if rest < 0 { return isPossible(work) ? work : .write }
    }
    return .write
  }

  private func isPossible(_ work: Work) -> Bool {
    switch work {
    case .copy, .truncate: !isWAL
    case .copyBesideLog, .copyBesideFrames: isWAL
    default: true
    }
  }

  // MARK: - The program

  private func start() throws {
    var dashboard = ""
    for panel in traits.panels { dashboard += "-- name: \(panel.name)\n\(panel.query(""));\n" }
    let file = open("\(folder)/panels.sql", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    _ = dashboard.withCString { write(file, $0, strlen($0)) }
    close(file)
    let stream = "\(folder)/stream.ndjson"
    close(open(stream, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644))
    replica = try Replica(path: stream)
    let path = try options.program ?? BuiltProgram.path("livequery")
    // A file takes what is written, whether it is read or not, and is evidence.
    program = try RunningProgram([
      "/bin/sh", "-c", "exec \"$0\" --stream \"$1\" \"$2\" >>\"$3\" 2>\"$4\"", path, database,
      "\(folder)/panels.sql", stream, "\(folder)/errors.txt",
    ])
  }

  /// Ends the program as a user does: it must heed that at once.
  private func stop() async throws {
    guard let program else { return }
    program.signal(SIGTERM)
    let ending = ContinuousClock.now
    try await program.waitForEnd()
    let status = try await program.result().status
    let duration = ContinuousClock.now - ending
    guard [0, 128 + SIGTERM].contains(status) else {
      throw Failure(kind: "exit status", text: "livequery ended with \(status)")
    }
    guard duration < .seconds(options.patience) else {
      throw Failure(kind: "slow end", text: "livequery took \(duration) to end")
    }
  }

  private func end() async {
    for writer in writers { writer.process.kill() }
    writers = []
    program?.signal(SIGKILL)
    program = nil
    replica?.end()
    replica = nil
    reader = nil
  }

  // MARK: - Comparing

  /// Waits until livequery has said what is in the database.
  ///
  /// - Parameters:
  ///   - expected: What must be in the file, where that is known.
  ///   - mustCheck: Whether the structure of the file is checked; else now and then.
  @discardableResult
  func fence(
    _ report: inout Report, after work: String, expected: Truth? = nil, mustCheck: Bool = false
  ) async throws -> Truth {
    guard let reader else { throw Unexpected("nothing is read yet") }
    let start = ContinuousClock.now
    let checks = mustCheck || random.onceIn(8)
    var stamps: [[Int]] = []
    var truth = Truth()
    var difference: String? = "nothing was read"
    while true {
      let now = Files.stamps(of: database)
      let isOther = now != stamps
      if isOther {
        stamps = now
        truth = try await reader.read(database, mustCheck: checks)
      }
      let hasNews = replica!.read()
      if let complaint = replica!.complaint {
        throw Failure(kind: "stream after \(work)", text: complaint)
      }
      if isOther || hasNews {
        difference = compare(truth, with: expected)
        if difference == nil { break }
      }
      if ContinuousClock.now - start > .seconds(options.patience) {
        let isInFile = expected.map { $0.panels != truth.panels } ?? false
        throw Failure(
          kind: (isInFile ? "another content after " : "stale after ") + work,
          text: "after \(work), \(options.patience) s later: \(difference ?? "?")")
      }
      usleep(difference == nil ? 0 : 500)
    }
    try settle(truth, after: work)
    report.fences += 1
    report.checks += checks ? 1 : 0
    report.rows += truth.rowCount
    let delay = (ContinuousClock.now - start).milliseconds
    report.delays.append(delay)
    if delay > 900 { note("the fence after \(work) took \(Int(delay)) ms") }
    return truth
  }

  /// What differs between the stream and the file, or between the file and what it must hold.
  private func compare(_ truth: Truth, with expected: Truth?) -> String? {
    for panel in traits.panels.map(\.name) {
      let rows = truth.panels[panel] ?? [:]
      if let expected, expected.panels[panel] ?? [:] != rows {
        return "the file does not hold what was restored, in \(panel)"
      }
      let shown = replica!.panels[panel] ?? [:]
      if rows == shown { continue }
      let missing = rows.filter { (shown[$0.key] ?? 0) < $0.value }.keys.sorted().prefix(3)
      let surplus = shown.filter { (rows[$0.key] ?? 0) < $0.value }.keys.sorted().prefix(3)
      return """
        panel \(panel) has \(shown.values.reduce(0, +)) rows, the file \
        \(rows.values.reduce(0, +)); not shown: \(missing); shown and not there: \(surplus)
        """
    }
    return nil
  }

  /// Nothing that SQLite acknowledged may be gone.
  private func settle(_ truth: Truth, after work: String) throws {
    for (number, count) in truth.commits.enumerated() {
      let isRight =
        uncertain.contains(number) ? count >= acknowledged[number] : count == acknowledged[number]
      guard isRight else {
        throw Failure(
          kind: "lost commits after \(work)",
          text: "after \(work) the file has \(count) commits of writer \(number), "
            + "acknowledged were \(acknowledged[number])")
      }
    }
    acknowledged = truth.commits
    uncertain = []
  }
}

extension Duration {
  fileprivate var milliseconds: Double {
    Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
  }
}
