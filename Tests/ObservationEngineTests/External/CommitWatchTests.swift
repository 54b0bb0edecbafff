import Synchronization
import Testing

@testable import ObservationEngine

/// Every state of the watch with everything that a look can meet, by a probe that follows a script.
struct CommitWatchTests {
  /// Answers from lists; the last answer is repeated.
  private final class ScriptedProbe: CommitWatch.Probe {
    private struct Script {
      var readings: [CommitWatch.Reading]
      var locks: [Bool]
      var files: [CommitWatch.FileLock]
      /// Whether the file is locked by other processes, or by whom the ledger says.
      var areOthers: Bool
      var entries: [CommitLedger.Entry]
    }

    private let script: Mutex<Script>

    init(
      _ readings: CommitWatch.Reading..., locks: [Bool] = [false],
      files: [CommitWatch.FileLock]? = nil,
      entries: [CommitLedger.Entry] = [CommitLedger.Entry()]
    ) {
      let locked = files ?? locks.map { $0 ? .exclusive : .none }
      script = Mutex(
        Script(
          readings: readings, locks: locks, files: locked, areOthers: files != nil, entries: entries
        ))
    }

    func read() -> CommitWatch.Reading { script.withLock { Self.next(&$0.readings) } }
    func isWriteLocked() -> Bool { script.withLock { Self.next(&$0.locks) } }
    func fileLock(ignoresOwn: Bool) -> CommitWatch.FileLock {
      script.withLock { ignoresOwn && !$0.areOthers ? .none : Self.next(&$0.files) }
    }
    func ownCommits() -> CommitLedger.Entry { script.withLock { Self.next(&$0.entries) } }

    private static func next<Answer>(_ answers: inout [Answer]) -> Answer {
      answers.count > 1 ? answers.removeFirst() : answers[0]
    }
  }

  private static func wal(
    _ change: UInt32, frame: UInt32 = 10, salts: UInt8 = 1
  ) -> CommitWatch.Position {
    var copy = [UInt8](repeating: 0, count: 48)
    withUnsafeBytes(of: change) { copy.replaceSubrange(8..<12, with: $0) }
    copy[12] = 1
    withUnsafeBytes(of: frame) { copy.replaceSubrange(16..<20, with: $0) }
    copy[32] = salts
    copy = copy.withWALIndexChecksum
    return .wal(WALIndexHeader(copies: copy + copy)!)
  }

  private static func entry(
    _ accounted: UInt32 = 0, isCommitting: Bool = false, holdsWriteLock: Bool = false
  ) -> CommitLedger.Entry {
    CommitLedger.Entry(
      accounted: accounted, isCommitting: isCommitting, holdsWriteLock: holdsWriteLock)
  }

  /// Both ways to count, from 5 on.
  enum Mode: CaseIterable, Sendable {
    case wal, rollback

    /// Why every table may have changed, if nothing else tells.
    var foreign: String {
      self == .wal
        ? "another process committed" : "a rollback journal does not show which tables changed"
    }

    func at(_ change: UInt32) -> CommitWatch.Position {
      switch self {
      case .wal: CommitWatchTests.wal(change, frame: change &* 2)
      case .rollback: .rollback(counter: change)
      }
    }

    var watch: CommitWatch { CommitWatch(position: at(5), ledger: CommitLedger.Entry()) }
  }

  @Test(arguments: Mode.allCases)
  func `an unchanged position is quiet when nobody writes`(_ mode: Mode) {
    var watch = mode.watch
    #expect(watch.look(ScriptedProbe(.position(mode.at(5)))) == .quiet)
    #expect(watch.last == mode.at(5))
  }

  @Test(arguments: Mode.allCases)
  func `an unchanged position proves nothing while somebody writes`(_ mode: Mode) {
    var watch = mode.watch
    #expect(watch.look(ScriptedProbe(.position(mode.at(5)), locks: [true])) == .pending)
    #expect(watch.look(ScriptedProbe(.position(mode.at(6)))) == .commits(1, reason: mode.foreign))
  }

  @Test
  func `a commit published between the reading and the lock's release is not missed`() {
    let probe = ScriptedProbe(.position(Self.wal(5)), .position(Self.wal(6)))
    var watch = CommitWatch(position: Self.wal(5), ledger: CommitLedger.Entry())
    #expect(watch.look(probe) == .commits(1, reason: Mode.wal.foreign))
    var rollback = Mode.rollback.watch
    let second = ScriptedProbe(
      .position(.rollback(counter: 5)), .position(.rollback(counter: 6)))
    #expect(rollback.look(second) == .commits(1, reason: Mode.rollback.foreign))
  }

  @Test(arguments: Mode.allCases)
  func `commits between two looks are counted`(_ mode: Mode) {
    var watch = mode.watch
    #expect(watch.look(ScriptedProbe(.position(mode.at(8)))) == .commits(3, reason: mode.foreign))
    #expect(watch.last == mode.at(8))
    #expect(watch.look(ScriptedProbe(.position(mode.at(8)))) == .quiet)
  }

  @Test(arguments: Mode.allCases)
  func `own commits are silent, whether seen before or with foreign ones`(_ mode: Mode) {
    var watch = mode.watch
    #expect(
      watch.look(ScriptedProbe(.position(mode.at(6)), entries: [Self.entry(1)])) == .quiet)
    #expect(
      watch.look(ScriptedProbe(.position(mode.at(9)), entries: [Self.entry(3)]))
        == .commits(1, reason: mode.foreign))
    #expect(
      watch.look(ScriptedProbe(.position(mode.at(9)), entries: [Self.entry(3)])) == .quiet)
    #expect(
      watch.look(ScriptedProbe(.position(mode.at(11)), entries: [Self.entry(3)]))
        == .commits(2, reason: mode.foreign))
  }

  @Test(arguments: Mode.allCases)
  func `while the own writer commits, nothing is decided`(_ mode: Mode) {
    var watch = mode.watch
    let probe = ScriptedProbe(.position(mode.at(6)), entries: [Self.entry(isCommitting: true)])
    #expect(watch.look(probe) == .quiet)
    #expect(watch.last == mode.at(5), "the next look decides")
    #expect(
      watch.look(ScriptedProbe(.position(mode.at(6)), entries: [Self.entry(1)])) == .quiet)
  }

  @Test(arguments: Mode.allCases)
  func `an own commit between the looks at the ledger makes it look again`(_ mode: Mode) {
    var watch = mode.watch
    // Before the reading it was not accounted for; after it, it is.
    let probe = ScriptedProbe(
      .position(mode.at(6)), entries: [Self.entry(0), Self.entry(1), Self.entry(1)])
    #expect(watch.look(probe) == .quiet)
    #expect(watch.last == mode.at(6))
    // And one that began meanwhile.
    let begun = ScriptedProbe(
      .position(mode.at(7)), entries: [Self.entry(1), Self.entry(1, isCommitting: true)])
    #expect(watch.look(begun) == .quiet)
    #expect(watch.last == mode.at(6))
  }

  @Test(arguments: Mode.allCases)
  func `the own write lock is not somebody writing`(_ mode: Mode) {
    var watch = mode.watch
    let holds = [Self.entry(holdsWriteLock: true)]
    #expect(
      watch.look(ScriptedProbe(.position(mode.at(5)), locks: [true], entries: holds)) == .quiet)
    // What was committed before the own transaction began is told all the same.
    #expect(
      watch.look(ScriptedProbe(.position(mode.at(6)), locks: [true], entries: holds))
        == .commits(1, reason: mode.foreign))
  }

  @Test
  func `a counter isn't believed while another process writes and the ledger is late`() {
    var watch = Mode.rollback.watch
    let holds = [Self.entry(holdsWriteLock: true)]
    let raised = CommitWatch.Reading.position(.rollback(counter: 6))
    for lock in [CommitWatch.FileLock.exclusive, .abandoned] {
      #expect(watch.look(ScriptedProbe(raised, files: [lock], entries: holds)) == .pending)
      #expect(watch.last == .rollback(counter: 5))
    }
    #expect(
      watch.look(ScriptedProbe(raised, files: [.prepared], entries: holds))
        == .commits(1, reason: Mode.rollback.foreign))
  }

  @Test
  func `in WAL mode a published commit counts, even while the next is written`() {
    var watch = Mode.wal.watch
    #expect(
      watch.look(ScriptedProbe(.position(Mode.wal.at(6)), locks: [true]))
        == .commits(1, reason: Mode.wal.foreign))
  }

  @Test
  func `a commit counts beside a transaction that has not touched the file yet`() {
    var watch = Mode.rollback.watch
    let commit = ScriptedProbe(.position(.rollback(counter: 6)), files: [.prepared])
    #expect(watch.look(commit) == .commits(1, reason: Mode.rollback.foreign))
    #expect(watch.last == .rollback(counter: 6))
    #expect(watch.look(commit) == .quiet, "what is prepared shows when it is committed")
  }

  @Test
  func `a counter does not count while its writer has the file, or left a journal`() {
    for lock in [CommitWatch.FileLock.exclusive, .abandoned] {
      var watch = Mode.rollback.watch
      let probe = ScriptedProbe(.position(.rollback(counter: 6)), files: [lock])
      #expect(watch.look(probe) == .pending, "\(lock)")
      #expect(watch.last == .rollback(counter: 5))
      let unchanged = ScriptedProbe(.position(.rollback(counter: 5)), files: [lock])
      #expect(watch.look(unchanged) == .pending, "\(lock)")
    }
  }

  @Test
  func `of the counter that a writer leaves while it has the file, all but one step count`() {
    var watch = Mode.rollback.watch
    let probe = ScriptedProbe(
      .position(.rollback(counter: 9)), files: [.exclusive], entries: [Self.entry(1)])
    #expect(watch.look(probe) == .commits(2, reason: Mode.rollback.foreign))
    #expect(watch.last == .rollback(counter: 8))
    #expect(watch.look(probe) == .pending, "the last one may be rolled back")
    let done = ScriptedProbe(.position(.rollback(counter: 9)), entries: [Self.entry(1)])
    #expect(watch.look(done) == .commits(1, reason: Mode.rollback.foreign))
    // A backup is being restored: the number is that of another file.
    for counter in [3, 5_000_000] as [UInt32] {
      let restored = ScriptedProbe(
        .position(.rollback(counter: counter)), files: [.exclusive], entries: [Self.entry(1)])
      #expect(watch.look(restored) == .pending)
    }
  }

  @Test
  func `a counter that is another one after the look at the lock is read again`() {
    var watch = Mode.rollback.watch
    // Rolled back in between.
    let probe = ScriptedProbe(
      .position(.rollback(counter: 6)), .position(.rollback(counter: 5)))
    #expect(watch.look(probe) == .quiet)
    #expect(watch.last == .rollback(counter: 5))
  }

  @Test(arguments: Mode.allCases)
  func `a torn header is pending, never an error`(_ mode: Mode) {
    var watch = mode.watch
    #expect(watch.look(ScriptedProbe(.torn)) == .pending)
    #expect(watch.look(ScriptedProbe(.torn, locks: [true])) == .pending)
    #expect(watch.last == mode.at(5))
  }

  @Test(arguments: Mode.allCases)
  func `a lost journal mode is told, whatever else is under way`(_ mode: Mode) {
    var watch = mode.watch
    for locked in [true, false] {
      let probe = ScriptedProbe(.lost(reason: "now WAL"), locks: [locked])
      #expect(watch.look(probe) == .lost(reason: "now WAL"))
    }
  }

  @Test
  func `a log that was reset is quiet, and commits into it are counted`() {
    var watch = CommitWatch(position: Self.wal(5), ledger: CommitLedger.Entry())
    #expect(watch.look(ScriptedProbe(.position(Self.wal(5, frame: 0, salts: 2)))) == .quiet)
    #expect(
      watch.look(ScriptedProbe(.position(Self.wal(6, frame: 3, salts: 2))))
        == .commits(1, reason: Mode.wal.foreign))
    // Reset and written to between two looks.
    #expect(
      watch.look(ScriptedProbe(.position(Self.wal(8, frame: 2, salts: 3))))
        == .commits(2, reason: Mode.wal.foreign))
  }

  @Test
  func `an index that was rebuilt may hide commits, and is told`() {
    let began = CommitWatch.Finding.commits(1, reason: "the count of commits started over")
    var watch = CommitWatch(position: Self.wal(5), ledger: CommitLedger.Entry())
    #expect(watch.look(ScriptedProbe(.position(Self.wal(0)))) == began)
    #expect(
      watch.look(ScriptedProbe(.position(Self.wal(0, frame: 12))))
        == .commits(1, reason: "the index of the WAL was rebuilt"))
  }

  @Test
  func `a change counter that goes back, or jumps, is that of another content`() {
    for (counter, reason) in [(UInt32(2), "went back"), (0, "went back"), (4_000_006, "jumped")] {
      var watch = Mode.rollback.watch
      #expect(
        watch.look(ScriptedProbe(.position(.rollback(counter: counter))))
          == .lost(reason: "the change counter of the file \(reason)"))
    }
  }

  private static func written(_ counter: UInt32, at path: String) -> CommitWatch.Reading {
    .position(.rollback(counter: counter, stamp: FileStamp(path: path)))
  }

  @Test
  func `a file that was written to without a commit is told once`() {
    var watch = Mode.rollback.watch
    let now = Self.written(5, at: "/")
    #expect(watch.look(ScriptedProbe(now)) == .written)
    #expect(watch.look(ScriptedProbe(now)) == .quiet)
    // Commits write as well.
    #expect(
      watch.look(ScriptedProbe(Self.written(6, at: "/proc")))
        == .commits(1, reason: Mode.rollback.foreign))
    #expect(
      watch.look(ScriptedProbe(Self.written(7, at: "/"), entries: [Self.entry(1)])) == .quiet)
  }

  @Test
  func `what is written under a lock is told when the lock is released`() {
    for locks in [[true], [true, false]] {
      var watch = Mode.rollback.watch
      let probe = ScriptedProbe(Self.written(5, at: "/"), locks: locks)
      #expect(watch.look(probe) == .pending, "\(locks)")
      #expect(watch.look(ScriptedProbe(Self.written(5, at: "/"))) == .written)
    }
  }

  @Test
  func `pages of the own transaction that reached the file are not told before it ends`() {
    var watch = Mode.rollback.watch
    let now = Self.written(5, at: "/")
    let holds = [Self.entry(holdsWriteLock: true)]
    #expect(watch.look(ScriptedProbe(now, locks: [true], entries: holds)) == .quiet)
    #expect(watch.look(ScriptedProbe(now)) == .written)
  }

  @Test(arguments: Mode.allCases)
  func `a jump that nobody can have made is one event`(_ mode: Mode) {
    let jumped: CommitWatch.Finding =
      mode == .wal
      ? .commits(1, reason: "the count of commits jumped")
      : .lost(reason: "the change counter of the file jumped")
    for count in [4_000_001, 1_403_891_007, UInt32(Int32.max)] {
      var watch = mode.watch
      #expect(watch.look(ScriptedProbe(.position(mode.at(5 &+ count)))) == jumped)
      // From there it is counted on.
      #expect(
        watch.look(ScriptedProbe(.position(mode.at(7 &+ count))))
          == .commits(2, reason: mode.foreign))
    }
    // A program that was stopped for a while has that many to tell.
    var watch = mode.watch
    #expect(
      watch.look(ScriptedProbe(.position(mode.at(4_000_005))))
        == .commits(4_000_000, reason: mode.foreign))
  }

  @Test
  func `a counter may pass its end`() {
    var watch = CommitWatch(
      position: .rollback(counter: .max), ledger: Self.entry(.max))
    let probe = ScriptedProbe(.position(.rollback(counter: 2)), entries: [Self.entry(1)])
    #expect(watch.look(probe) == .commits(1, reason: Mode.rollback.foreign))
  }

  @Test
  func `another way to count is another file`() {
    let anew = CommitWatch.Finding.commits(1, reason: "the file started over")
    var watch = CommitWatch(position: Self.wal(5), ledger: CommitLedger.Entry())
    #expect(watch.look(ScriptedProbe(.position(.rollback(counter: 5)))) == anew)
    #expect(watch.look(ScriptedProbe(.position(.rollback(counter: nil)))) == anew)
    #expect(watch.look(ScriptedProbe(.position(.rollback(counter: 1)))) == anew)
    #expect(watch.look(ScriptedProbe(.position(Self.wal(1)))) == anew)
  }

  @Test func `the end of an own commit is announced once, and only where it is awaited`() {
    let ledger = CommitLedger()
    let calls = Mutex(0)
    ledger.onEnd { calls.withLock { $0 += 1 } }
    ledger.willCommit()
    ledger.endCommit(steps: 1)
    ledger.announceEnd()
    #expect(calls.withLock(\.self) == 0, "nothing waited")
    ledger.willCommit()
    #expect(ledger.currentAwaitingEnd().isCommitting)
    ledger.announceEnd()
    #expect(calls.withLock(\.self) == 0, "it has not ended")
    ledger.endCommit(steps: 1)
    #expect(calls.withLock(\.self) == 0, "what it refreshes comes first")
    ledger.announceEnd()
    ledger.announceEnd()
    #expect(calls.withLock(\.self) == 1)
    #expect(ledger.current.accounted == 2)
  }
}
