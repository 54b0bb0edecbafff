@testable import ObservationEngine

/// A database file as SQLite's processes leave it, one step at a time: the position that commits are counted
/// by, the lock that writers need, and what a reader would see.
///
/// A step is what happens between two moments at which another process may act. So a history of steps
/// is one interleaving of the processes.
struct SimulatedFile {
  enum Owner: Equatable {
    case foreign(Int)
    case own
  }

  /// How far a writer is with its transaction.
  enum Phase: Equatable {
    case idle
    /// It has the lock, and wrote nothing that a reader could see.
    case writing(Int)
    /// WAL: the first of the two copies of the header is written. Rollback: the counter is.
    case publishing(Int)
    /// The commit is complete, and the lock not released yet.
    case committed
    /// The log begins anew: the first copy of its header is written.
    case resetting
  }

  /// A script leaves this out unless it is asked for: a check is known to miss it.
  enum Gap: String, CaseIterable {
    /// WAL: the index is rebuilt and counts from 0 between two checks, and the sum is what own commits explain.
    ///
    /// SQLite rebuilds an index that a process has open only if a writer dies between the two copies of the
    /// header, 48 bytes each. Besides, three things must happen before the next check, which follows the event of
    /// the writer's frames: an own transaction repairs the index, it commits, and other processes commit exactly
    /// as often as the index had counted before. The header holds nothing that tells it from a usual one.
    case rebuiltIndex
  }

  let isWAL: Bool
  /// Whether writers die while others could see half of what they do.
  private let diesVisibly: Bool
  private let gaps: Set<Gap>
  /// The tables' versions that a reader sees.
  private(set) var versions = [Int](repeating: 0, count: tableCount)
  static let tableCount = 3
  /// The versions in the files that stood at the path before, as connections to them see them.
  private var former: [[Int]] = []
  /// Which file stands at the path.
  var number: Int { former.count }

  private(set) var lockOwner: Owner?
  private var phases: [Phase] = [.idle, .idle]
  private var ownPhase = Phase.idle

  private var change: UInt32
  private var frames: UInt32 = 10
  private var salts: UInt8 = 1
  /// Which content the frames have: two logs of the same length differ in it.
  private var content: UInt32 = 1
  private(set) var isTorn = false
  /// As published last.
  private var header: WALIndexHeader?
  /// A transaction that a dead writer left: its frames are whole, and no header says so.
  private var leftBehind: Int?
  /// The counter before a transaction whose writer died.
  private var hot: UInt32?

  private(set) var ledger = CommitLedger.Entry()
  /// Commits by other processes, so far.
  private(set) var foreignCommits = 0
  /// Tables that each foreign commit changed, as bits.
  private(set) var foreignTables: [Int] = []
  /// Whether a number that others count by was set back: then only that something happened is known.
  private(set) var isCounted = true
  /// Foreign commits by the position that a look finds.
  private var counts: [Position: Int] = [:]
  /// Own commits whose hooks have run, to be published.
  var ownCommits: [Int] = []

  private struct Position: Hashable {
    var change: UInt32
    var frames: UInt32 = 0
    var salts: UInt64 = 0
    var checksum: UInt64 = 0

    init?(_ position: CommitWatch.Position) {
      switch position {
      case .rollback(nil, _): return nil
      case .rollback(let counter?, _): change = counter
      case .wal(let header):
        (change, frames) = (header.change, header.lastFrame)
        (salts, checksum) = (header.salts, header.checksum)
      }
    }
  }

  init(isWAL: Bool, diesVisibly: Bool, gaps: Set<Gap>) {
    self.isWAL = isWAL
    self.diesVisibly = diesVisibly
    self.gaps = gaps
    // A rebuilt index counts from 0: few commits later it can stand where it stood before.
    change = gaps.contains(.rebuiltIndex) ? 1 : 1_000_000
    notePosition()
  }

  private mutating func notePosition() {
    if isWAL { header = makeHeader() }
    guard let position = Position(position) else { return }
    counts[position] = foreignCommits
  }

  // MARK: - What a look finds

  var reading: CommitWatch.Reading { isTorn ? .torn : .position(position) }

  func fileLock(ignoresOwn: Bool) -> CommitWatch.FileLock {
    let phase: Phase
    switch lockOwner {
    case nil: return hot == nil ? .none : .abandoned
    case .foreign(let number): phase = phases[number]
    case .own:
      if ignoresOwn { return .none }
      phase = ownPhase
    }
    switch phase {
    case .publishing, .committed: return .exclusive
    case .idle, .resetting, .writing: return .prepared
    }
  }

  private var position: CommitWatch.Position {
    isWAL ? .wal(header!) : .rollback(counter: change)
  }

  private func makeHeader() -> WALIndexHeader {
    var copy = [UInt8](repeating: 0, count: 48)
    withUnsafeBytes(of: change) { copy.replaceSubrange(8..<12, with: $0) }
    copy[12] = 1
    withUnsafeBytes(of: frames) { copy.replaceSubrange(16..<20, with: $0) }
    withUnsafeBytes(of: content) { copy.replaceSubrange(24..<28, with: $0) }
    copy[32] = salts
    copy = copy.withWALIndexChecksum
    return WALIndexHeader(copies: copy + copy)!
  }

  /// The foreign commits up to a position that was read; `nil` when that is none that a commit made.
  func foreignCommits(upTo position: CommitWatch.Position) -> Int? {
    Position(position).flatMap { counts[$0] }
  }

  /// The tables' versions that a connection to one of the files sees.
  func versions(inFile number: Int) -> [Int] {
    number < former.count ? former[number] : versions
  }

  // MARK: - Steps

  /// Another file comes to the path, while no process writes.
  mutating func replace() {
    guard lockOwner == nil, !ledger.holdsWriteLock, !ledger.isCommitting else { return }
    former.append(versions)
    for table in versions.indices { versions[table] += 1 }
    isTorn = false
    leftBehind = nil
    hot = nil
    resetLog()
  }

  /// Takes another process a step on.
  ///
  /// - Parameter choice: Decides what it does where it may do several things.
  mutating func stepForeign(_ number: Int, choice: UInt32) {
    let mayDie = choice % 16 == 0
    switch phases[number] {
    case .idle:
      guard lockOwner == nil else { return }
      recover()
      lockOwner = .foreign(number)
      // A checkpoint that has all of the log in the file lets it begin anew.
      let resets = isWAL && choice % 5 == 0
      phases[number] = resets ? .resetting : .writing(tables(choice))
      if resets { isTorn = true }
    case .resetting:
      if mayDie, diesVisibly { return die(number) }
      resetLog()
      // Checkpoints end here; a writer that found the log done goes on.
      phases[number] = choice % 2 == 0 ? .committed : .writing(tables(choice))
    case .writing(let tables):
      if mayDie { return die(number) }
      // A rollback.
      if choice % 7 == 1 { return release(number) }
      if isWAL { isTorn = true } else { raiseCounter() }
      phases[number] = .publishing(tables)
    case .publishing(let tables):
      if mayDie, diesVisibly { return die(number) }
      publish(tables)
      foreignCommits += 1
      foreignTables.append(tables)
      notePosition()
      phases[number] = .committed
    case .committed: release(number)
    }
  }

  /// Takes the writer of this process a step on.
  mutating func stepOwn(choice: UInt32) {
    switch ownPhase {
    case .idle:
      // The lock of its last transaction is released before the ledger knows.
      if ledger.holdsWriteLock || ledger.isCommitting {
        let hasCommitted = ledger.isCommitting
        ledger.accounted &+= hasCommitted ? 1 : 0
        ledger.isCommitting = false
        ledger.holdsWriteLock = false
        if hasCommitted { ownCommits.append(ownTables) }
        return
      }
      guard lockOwner == nil else { return }
      recover()
      lockOwner = .own
      ownTables = tables(choice)
      ownPhase = .writing(ownTables)
    case .writing(let tables):
      if !ledger.holdsWriteLock {
        ledger.holdsWriteLock = true
      } else if choice % 7 == 1, !ledger.isCommitting {
        lockOwner = nil
        // The ledger hears of it when the statement has ended.
        ownPhase = .idle
      } else if !ledger.isCommitting {
        ledger.isCommitting = true
      } else {
        if isWAL { isTorn = true } else { raiseCounter() }
        ownPhase = .publishing(tables)
      }
    case .publishing(let tables):
      publish(tables)
      notePosition()
      ownPhase = .committed
    case .committed, .resetting:
      lockOwner = nil
      ownPhase = .idle
    }
  }

  private var ownTables = 0

  /// Lets every transaction that has begun come to its end.
  mutating func finish() {
    // A choice that neither dies nor changes its mind.
    let choice: UInt32 = 3
    for number in phases.indices {
      while phases[number] != .idle { stepForeign(number, choice: choice) }
    }
    while ownPhase != .idle || ledger.isCommitting || ledger.holdsWriteLock {
      stepOwn(choice: choice)
    }
  }

  /// Which tables a transaction changes: one at least, as bits.
  private func tables(_ choice: UInt32) -> Int { Int(choice >> 8) % 7 + 1 }

  private mutating func raiseCounter() {
    hot = change
    change &+= 1
  }

  private mutating func publish(_ tables: Int) {
    if isWAL {
      change &+= 1
      frames += UInt32(tables)
      content &+= 1
      isTorn = false
    } else {
      hot = nil
    }
    see(tables)
  }

  private mutating func see(_ tables: Int) {
    for table in 0..<Self.tableCount where tables >> table & 1 == 1 { versions[table] += 1 }
  }

  private mutating func resetLog() {
    frames = 0
    salts &+= 1
    content &+= 1
    isTorn = false
    notePosition()
  }

  private mutating func release(_ number: Int) {
    phases[number] = .idle
    lockOwner = nil
  }

  private mutating func die(_ number: Int) {
    if case .publishing(let tables) = phases[number] {
      isCounted = false
      if isWAL { leftBehind = tables }
    }
    release(number)
  }

  /// What the next process that opens or locks the file does first.
  mutating func recover() {
    guard lockOwner == nil else { return }
    if isTorn {
      isCounted = false
      isTorn = false
      change = 0
      if let leftBehind {
        frames += UInt32(leftBehind)
        content &+= 1
        see(leftBehind)
        foreignCommits += 1
        foreignTables.append(leftBehind)
      }
      notePosition()
    }
    leftBehind = nil
    if let hot {
      isCounted = false
      change = hot
      self.hot = nil
    }
  }
}
