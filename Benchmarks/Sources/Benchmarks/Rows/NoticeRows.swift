import Dispatch
import ObservationEngine
import Synchronization

/// From the return of another process's COMMIT to the moment at which the engine knows of it.
struct NoticeRows {
  let project: Project
  private let pace = Pace(milliseconds: 5...9)
  private let warmUp = 20
  private let count = 400

  func run() throws -> [Row] {
    var rows: [Row] = []
    var normal: Samples?
    for (journal, sync) in [
      ("WAL", "OFF"), ("WAL", "NORMAL"), ("WAL", "FULL"), ("DELETE", "FULL"),
    ] {
      let samples = try byEngine(journal: journal, sync: sync)
      let isMain = sync == "NORMAL"
      if isMain { normal = samples }
      rows.append(
        "foreign commit → noticed, \(journal) \(sync)", samples, .microseconds,
        target: isMain ? .atMost(25) : nil)
    }
    let spinning = try byLoop(.none)
    rows.append("  plain loop of data_version, no pause", spinning, .microseconds)
    let pausing = try byLoop(.nanoseconds(1_000_000))
    rows.append("  plain loop of data_version, every 1 ms", pausing, .microseconds)
    let waiting = try byLoop(.untilLogIsWritten)
    rows.append("  plain loop asleep in inotify, then no pause", waiting, .microseconds)
    rows.append("  a sleeping thread of this process, woken by another", try wakes(), .microseconds)
    if let normal {
      rows.append(
        Row("  noticed, WAL NORMAL / plain loop in inotify", normal.median / waiting.median, .ratio)
      )
    }
    return rows
  }

  private func byEngine(journal: String, sync: String) throws -> Samples {
    let path = try newDatabase(journal)
    let database = try Database(path: path)
    defer { database.close() }
    let times = Times()
    let subscription = database.onCommit { times.append(Clock.nanoseconds($0.observedAt)) }
    return try withExtendedLifetime(subscription) {
      try measure(path, journal, sync) { times.all }
    }
  }

  private func byLoop(_ pause: DataVersionLoop.Pause) throws -> Samples {
    let path = try newDatabase("WAL")
    // A connection that stays keeps the log in its place.
    let keeper = try PlainConnection(path)
    _ = try keeper.prepare(PlayerTable.count).integer()
    defer { withExtendedLifetime(keeper) {} }
    let loop = try DataVersionLoop(path, pause: pause)
    defer { loop.stop() }
    // The thread is to have had its first look.
    Clock.sleep(100_000_000)
    return try measure(path, "WAL", "NORMAL") { loop.noticed }
  }

  /// What it costs each time that one thread leaves work to another.
  private func wakes() throws -> Samples {
    let times = Times()
    let signal = DispatchSemaphore(value: 0)
    let thread = PlainThread {
      guard signal.wait(timeout: .now() + .milliseconds(100)) == .success else { return }
      times.append(Clock.now)
    }
    defer { thread.stop() }
    var samples = Samples()
    for index in 0..<warmUp + count {
      Clock.sleep(pace.next())
      let start = Clock.now
      signal.signal()
      while times.all.count == index { Clock.sleep(200_000) }
      if index >= warmUp { samples.append(from: start, to: times.all[index]) }
    }
    return samples
  }

  private func newDatabase(_ journal: String) throws -> String {
    let path = project.newDatabase("notice.db")
    try PlayerTable.make(path, journal: journal)
    return path
  }

  private func measure(
    _ path: String, _ journal: String, _ sync: String, noticed: () -> [UInt64]
  ) throws -> Samples {
    let writer = try ServingWriter(project, path, ["--journal", journal, "--sync", sync])
    Clock.sleep(50_000_000)
    var samples = Samples()
    for index in 0..<warmUp + count {
      let known = noticed().count
      let committed = try writer.commit("UPDATE counter SET value = value + 1")
      Clock.sleep(pace.next())
      let end = Clock.now + 3_000_000_000
      while noticed().count == known {
        guard Clock.now < end else {
          throw Failure("a commit was not noticed (\(journal) \(sync))")
        }
        Clock.sleep(1_000_000)
      }
      if index >= warmUp { samples.append(from: committed, to: noticed()[known]) }
    }
    return samples
  }

  /// Times noted on one thread and read on another.
  private final class Times: Sendable {
    private let times = Mutex<[UInt64]>([])

    var all: [UInt64] { times.withLock { $0 } }

    func append(_ time: UInt64) { times.withLock { $0.append(time) } }
  }
}
