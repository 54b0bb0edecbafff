import CSQLite
import Dashboard
import Glibc
import ObservationEngine

/// One input: made from a seed and a number, given to a parser of this process or to the program.
struct Input {
  enum Kind: String, CaseIterable {
    /// A database, its log, both; and commits by another connection while it is followed.
    case database, log
    /// The index of a log that is in use.
    case index
    case dashboard, recording, keys
    /// The program itself, with any of the above or with a configuration.
    case program
  }

  let kind: Kind
  private var random: SeededRandom
  private let corpus: Corpus
  private let folder: String
  private let recording: [UInt8]
  private let program: String
  private let limits: Limits

  /// - Parameters:
  ///   - folder: Where files may be written; each input leaves those that it was made of.
  ///   - share: One input in so many goes to the program.
  init(
    seed: UInt64, number: UInt64, _ corpus: Corpus, folder: String, recording: [UInt8],
    program: String, share: Int, limits: Limits
  ) {
    var random = SeededRandom(seed: seed &* 0x1_0000_0001 &+ number)
    // Texts are quick, so that there are more of them.
    let kinds: [Kind] = [
      .database, .log, .index, .dashboard, .dashboard, .recording, .recording, .keys,
    ]
    kind = random.onceIn(share) ? .program : kinds.randomElement(using: &random) ?? .database
    self.random = random
    self.corpus = corpus
    self.folder = folder
    self.recording = recording
    self.program = program
    self.limits = limits
  }

  private var path: String { folder + "/input.db" }

  /// Tries the input.
  ///
  /// - Returns: What is wrong, beside crashes and what takes too long, which the parent sees.
  mutating func run() throws -> String? {
    switch kind {
    case .database, .log:
      try writeFiles(damagesLog: kind == .log)
      follow()
    case .index:
      try writeFiles(damagesLog: nil)
      follow(damagesIndex: true)
    case .dashboard: parseDashboard(try text(Corpus.dashboard, Corpus.dashboardWords, "input.sql"))
    case .recording: play(try text(recording, Corpus.recordingWords, "input.rec"))
    case .keys: pressKeys()
    case .program: return try runProgram()
    }
    return nil
  }

  // MARK: - Files

  private mutating func text(_ base: [UInt8], _ words: [String], _ name: String) throws -> [UInt8] {
    var bytes = base
    Mutation.damageText(&bytes, words: words, using: &random)
    try write(bytes, to: folder + "/" + name)
    return bytes
  }

  /// - Parameter damagesLog: Whether to damage the log, or the database; nil for neither.
  private mutating func writeFiles(damagesLog: Bool?) throws {
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    let base = corpus.databases[random.index(corpus.databases.count)]
    var (database, log) = (base.database, base.log)
    if damagesLog == false || random.onceIn(3) && damagesLog != nil {
      Mutation.damage(&database, unit: base.pageSize, using: &random)
    }
    if damagesLog == true {
      // Frames may claim any number of pages; their checksums can be right all the same.
      let frame = 24 + base.pageSize
      if random.onceIn(3), log.count > 32 + frame {
        let place = 32 + random.index((log.count - 32) / frame) * frame
        let counts: [UInt32] = [1, 2, 7, 0xffff, 0x7fff_ffff, 0xffff_fffe, 0xffff_ffff]
        Mutation.put(counts.randomElement(using: &random) ?? 1, in: &log, at: place + 4)
      } else {
        var frames = Array(log.dropFirst(32))
        Mutation.damage(&frames, unit: frame, using: &random)
        log = Array(log.prefix(32)) + frames
      }
      if !random.onceIn(3) { Mutation.sign(log: &log) }
    }
    try write(database, to: path)
    if damagesLog == true || random.onceIn(2) { try write(log, to: path + "-wal") }
  }

  // MARK: - In this process

  /// Follows the file while another connection commits to it.
  private mutating func follow(damagesIndex: Bool = false) {
    // What SQLite refuses is refused: that is all right.
    guard let file = try? TrackedFile(path: path), let writer = try? Writer(path) else { return }
    defer { writer.close() }
    try? file.build(within: 2_000_000_000)
    for step in 0..<3 {
      writer.attempt("UPDATE deep SET body = 'z' || id WHERE id % 30 = \(step)")
      writer.attempt(
        "INSERT INTO fine (name) VALUES ('\(step)'); DELETE FROM long WHERE id = \(step)")
      // SQLite itself trusts the index, and crashes when it writes by one that is wrong: what writes, or
      // closes, finds it as it was.
      let sound = damagesIndex ? damageIndex() : nil
      defer { if let sound { restore(sound) } }
      if sound == nil, step == 1, random.onceIn(2) {
        writer.attempt("PRAGMA wal_checkpoint(RESTART)")
      }
      _ = file.changedTables()
      var slices = 0
      while file.search(), slices < 5_000 { slices += 1 }
      // As the detector does when it has no map.
      if sound == nil, random.onceIn(2) { try? file.build(within: 2_000_000_000) }
    }
  }

  /// Changes the index that others have mapped, its header with a checksum that is right.
  ///
  /// - Returns: What it was.
  private mutating func damageIndex() -> (file: Int32, bytes: [UInt8])? {
    let file = open(path + "-shm", O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return nil }
    // A descriptor that is closed would take the locks of this process with it.
    descriptors.append(file)
    var header = [UInt8](repeating: 0, count: 48)
    guard pread(file, &header, 48, 0) == 48 else { return nil }
    // Not the locks of readers, from 100 on, which change meanwhile.
    let sound = (file: file, bytes: header + header)
    if random.onceIn(3) {
      var frames = [UInt8](repeating: 0, count: 400)
      for index in frames.indices { frames[index] = UInt8.random(in: 0...255, using: &random) }
      let place = off_t(136 + 4 * random.index(100))
      var former = frames
      guard pread(file, &former, former.count, place) == former.count else { return nil }
      pwrite(file, frames, frames.count, place)
      whole.append((file, place, former))
      return sound
    }
    let place = [8, 14, 16, 20, 24, 32].randomElement(using: &random) ?? 16
    let words: [UInt32] = [0, 1, 2, 40, 0xffff, 0x7fff_ffff, 0xffff_fffe, 0xffff_ffff]
    let word = words.randomElement(using: &random) ?? 0
    for index in 0..<(place == 14 ? 2 : 4) {
      header[place + index] = UInt8(truncatingIfNeeded: word >> UInt32(8 * index))
    }
    var sums: (UInt32, UInt32) = (0, 0)
    func little(_ place: Int) -> UInt32 { Mutation.word(of: header, at: place).byteSwapped }
    for place in stride(from: 0, to: 40, by: 8) {
      sums.0 &+= little(place) &+ sums.1
      sums.1 &+= little(place + 4) &+ sums.0
    }
    Mutation.put(sums.0.byteSwapped, in: &header, at: 40)
    Mutation.put(sums.1.byteSwapped, in: &header, at: 44)
    pwrite(file, header + header, 96, 0)
    return sound
  }

  /// Pages of frames that were overwritten, as they were.
  private var whole: [(file: Int32, place: off_t, bytes: [UInt8])] = []

  private mutating func restore(_ sound: (file: Int32, bytes: [UInt8])) {
    pwrite(sound.file, sound.bytes, sound.bytes.count, 0)
    for (file, place, bytes) in whole.reversed() { pwrite(file, bytes, bytes.count, place) }
    whole = []
  }

  /// Open until the next input, whose files are others.
  private var descriptors: [Int32] = []

  func close() { for descriptor in descriptors { Glibc.close(descriptor) } }

  private mutating func parseDashboard(_ bytes: [UInt8]) {
    let parsed = DashboardParser.parse(String(decoding: bytes, as: UTF8.self))
    for diagnostic in parsed.diagnostics { _ = diagnostic.rendered(file: "input.sql") }
    for panel in parsed.definition.panels.prefix(20) {
      _ = QueryShape.rowRestrictions(panel.sql)
      _ = SQLParameters(panel.sql)
    }
    var state = DashboardState(definition: parsed.definition, databaseName: "input.db")
    show(&state)
  }

  private mutating func play(_ bytes: [UInt8]) {
    guard var reader = try? RecordingReader(bytes) else { return }
    var state = DashboardState(
      definition: reader.header.definition, databaseName: reader.header.databaseName)
    // A line that cannot be read ends the recording.
    while let (time, entry) = try? reader.next() {
      let moment = Moment(
        monotonic: 1_000_000_000 + time * 1_000,
        civil: Timestamp(microseconds: reader.header.started.microseconds &+ Int64(time)))
      switch entry {
      case .refresh(let refresh, let looks):
        _ = reduce(&state, .refreshed(refresh, looks: looks, at: moment))
      case .info(let info): _ = reduce(&state, .databaseInfo(info))
      case .panels(let definition): _ = reduce(&state, .panelsReplaced(definition))
      }
    }
    show(&state)
  }

  private mutating func pressKeys() {
    var script = Array(
      "j k / a Enter Escape Tab : q Escape F2 s Down Enter g G , . 0 ? x Escape".utf8)
    Mutation.damageText(
      &script, words: ["Enter ", "Tab ", "F2 ", "C-u ", "\n", "<", "Escape ", ": ", "/ "],
      using: &random)
    guard let steps = try? KeyScript.parse(String(decoding: script, as: UTF8.self)) else { return }
    let parsed = DashboardParser.parse(String(decoding: Corpus.dashboard, as: UTF8.self))
    var state = DashboardState(definition: parsed.definition, databaseName: "input.db")
    _ = reduce(&state, .resized(Size(width: 80, height: 24)))
    for case .key(let key) in steps.prefix(500) { _ = reduce(&state, .key(key)) }
    show(&state)
  }

  /// Draws a state in some sizes.
  private mutating func show(_ state: inout DashboardState) {
    let moment = Moment(
      monotonic: 2_000_000_000, civil: Timestamp(microseconds: 1_700_000_000_000_000))
    for _ in 0..<2 {
      let size = Size(width: random.index(200), height: random.index(60))
      _ = reduce(&state, .resized(size))
      _ = render(state, size: size, moment: moment)
    }
  }

  // MARK: - The program

  private mutating func runProgram() throws -> String? {
    let words: [String]
    var isStream = false
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1:
      try writeFiles(damagesLog: random.onceIn(2))
      words = ["--once", "--query-timeout", "2000", path]
    case 2, 3:
      try writeFiles(damagesLog: random.onceIn(2))
      words = ["--stream", "--timeout", "0.4", path]
      isStream = true
    case 4:
      try writeFiles(damagesLog: random.onceIn(2))
      words = ["--frame", "80x24", "--query-timeout", "2000", path]
    case 5:
      _ = try text(Corpus.dashboard, Corpus.dashboardWords, "input.sql")
      words = ["--check", folder + "/input.sql"]
    case 6:
      try writeFiles(damagesLog: nil)
      _ = try text(Corpus.dashboard, Corpus.dashboardWords, "input.sql")
      words = ["--frame", "80x24", "--query-timeout", "2000", path, folder + "/input.sql"]
    case 7:
      _ = try text(recording, Corpus.recordingWords, "input.rec")
      words = ["--replay", folder + "/input.rec", "--frame", "80x24"]
    default:
      _ = try text(Corpus.configuration, Corpus.configurationWords, "input.conf")
      words = ["--config", folder + "/input.conf", "--print-config"]
    }
    let run = try ProgramRun([program] + words, limits)
    if isStream {
      usleep(100_000)
      if let writer = try? Writer(path) {
        writer.attempt("INSERT INTO fine (name) VALUES ('zoe')")
        writer.attempt("UPDATE deep SET body = 'q' WHERE id % 7 = 0")
        writer.close()
      }
    }
    return run.complaint().map { "\(words.joined(separator: " ")): \($0)" }
  }
}
