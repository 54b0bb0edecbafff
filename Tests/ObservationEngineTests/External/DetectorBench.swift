import Testing

@testable import ObservationEngine

/// A detector with a clock that is moved by hand, and short words for what it may be told.
struct DetectorBench {
  typealias Action = Detector.Action
  typealias Input = Detector.Input

  private(set) var detector: Detector
  private(set) var now: UInt64 = 1_000_000_000_000

  static let millisecond: UInt64 = 1_000_000
  static let second: UInt64 = 1_000_000_000

  static let file = FileIdentity(device: 1, inode: 1)
  static let otherFile = FileIdentity(device: 1, inode: 2)
  static let log = WALFiles(
    log: FileIdentity(device: 1, inode: 3), index: FileIdentity(device: 1, inode: 4))
  static let progress = CheckpointProgress(salts: 7, frames: 3)
  static let fingerprint = FileFingerprint(
    database: FileStamp(inode: 1, size: 8_192, modified: 5),
    wal: FileStamp(inode: 3, size: 4_152, modified: 5))

  init(_ settings: Detector.Settings = Detector.Settings()) { detector = Detector(settings) }

  var state: String { detector.state }
  /// Nanoseconds until the thread is to wake; `nil` when it needn't wait.
  var wait: UInt64? { detector.deadline.map { $0 > now ? $0 - now : 0 } }

  @discardableResult
  mutating func tell(_ input: Input, after time: UInt64 = 0) -> [Action] {
    now += time
    let state = state
    if let actions = detector.reaction(to: input, now: now) { return actions }
    Issue.record("the detector is \(state), and was told \(input)")
    return []
  }

  /// What the detector would do now; `nil` when the input can't come in its state.
  func reaction(to input: Input) -> (actions: [Action], state: String)? {
    var copy = detector
    return copy.reaction(to: input, now: now).map { ($0, copy.state) }
  }

  // MARK: - Words

  static func header(_ change: UInt32, frame: UInt32 = 10, salts: UInt8 = 1) -> WALIndexHeader {
    var copy = [UInt8](repeating: 0, count: 48)
    withUnsafeBytes(of: change) { copy.replaceSubrange(8..<12, with: $0) }
    copy[12] = 1
    withUnsafeBytes(of: frame) { copy.replaceSubrange(16..<20, with: $0) }
    copy[32] = salts
    copy = copy.withWALIndexChecksum
    return WALIndexHeader(copies: copy + copy)!
  }

  static func wal(
    _ change: UInt32, frame: UInt32 = 10, salts: UInt8 = 1, own: UInt32 = 0
  ) -> CommitWatch {
    CommitWatch(position: .wal(header(change, frame: frame, salts: salts)), accounted: own)
  }

  static func map(_ change: UInt32, isAsReported: Bool = true) -> Detector.BuiltMap {
    Detector.BuiltMap(position: wal(change).last, isAsReported: isAsReported)
  }

  static func rollback(_ counter: UInt32, own: UInt32 = 0) -> CommitWatch {
    CommitWatch(position: .rollback(counter: counter), accounted: own)
  }

  static func open(_ commits: CommitWatch = wal(5), file: FileIdentity = file) -> Input {
    var notes = CheckpointNotes()
    for _ in 0..<2 { notes.add(progress) }
    return .opened(
      .watching(
        Detector.OpenFile(
          identity: file, commits: commits, log: log, notes: notes, stamp: fingerprint.database,
          fingerprint: fingerprint)))
  }

  static func wake(_ change: (inout Detector.Wake) -> Void = { _ in }) -> Input {
    var wake = Detector.Wake(
      identity: file, fingerprint: fingerprint, progress: progress)
    change(&wake)
    return .woke(wake)
  }

  static func checked(
    _ commits: CommitWatch = wal(5), _ finding: CommitWatch.Finding = .quiet,
    answer: TableTracker.Answer? = nil, map: TableTracking.Map = .complete
  ) -> Input {
    .checked(Detector.Checked(commits: commits, finding: finding, answer: answer, map: map))
  }

  static func users(_ change: (inout Detector.Users) -> Void = { _ in }) -> Input {
    var users = Detector.Users(logSize: 4_152)
    change(&users)
    return .foundUsers(users)
  }

  static let foundLog = Input.foundLog(log, isOpenElsewhere: false)

  static func all(_ reason: String, kind: Commit.Kind = .data, count: Int = 1) -> Action {
    var change = TableTracking.Change(everything: reason)
    change.kind = kind
    return .publish(change, count: count)
  }

  /// What is done with a file that is closed because it is to be opened again.
  static let replacing: [Action] = [
    .close, .announceDormant(false), .advanceEpoch, .closeOutdated, .ask(.findFile),
  ]

  // MARK: - Ways to a state

  /// A detector that has opened a file, and has nothing to do.
  static func watching(
    _ settings: Detector.Settings = Detector.Settings(), _ commits: CommitWatch = wal(5)
  ) -> DetectorBench {
    var bench = DetectorBench(settings)
    bench.tell(.start(.inotify))
    bench.tell(open(commits))
    bench.comeToWatch(commits)
    // The WAL need not be saved: no program has it open, and it is empty.
    bench.tell(wake(), after: 30 * millisecond)
    bench.tell(checked(commits))
    if bench.state == "checking: usersToSave" { bench.tell(users { $0.logSize = 0 }) }
    return bench
  }

  /// Answers every question of a check as if nothing had happened.
  mutating func comeToWatch(_ commits: CommitWatch = wal(5)) {
    if state == "watching" { tell(Self.wake()) }
    while state != "watching" {
      switch state {
      case "checking: log": tell(Self.foundLog)
      case "checking: position": tell(Self.checked(commits))
      case "checking: usersToSave": tell(Self.users { $0.logSize = 0 })
      default:
        Issue.record("no way from \(state) to watching")
        return
      }
    }
  }

  /// A detector that was idle for long enough to go dormant.
  static func idle() -> DetectorBench {
    var bench = watching()
    bench.tell(wake(), after: 2 * second)
    bench.tell(foundLog)
    bench.tell(checked())
    return bench
  }

  /// A detector that has closed all connections.
  static func dormant(_ closing: Detector.Closing? = nil) -> DetectorBench {
    var bench = idle()
    bench.tell(users())
    bench.tell(.shutOpenings(true))
    bench.tell(checked())
    bench.tell(.closedForDormancy(closing ?? Detector.Closing(fingerprint: fingerprint)))
    return bench
  }
}

extension FileWatcher.Events {
  static let database = FileWatcher.Events(database: true)
  static let wal = FileWatcher.Events(wal: true)
  static let overflow = FileWatcher.Events(overflow: true)
  static let closed = FileWatcher.Events(closed: true)
  static let files = FileWatcher.Events(files: true)
}
