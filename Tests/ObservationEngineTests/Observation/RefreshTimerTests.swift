import Glibc
import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// What setting the alarm of refreshes costs after many of them.
struct RefreshTimerTests {
  /// The alarm was once a closure that grew by two calls each time it was set, until the stack overflowed.
  @Test
  func `the alarm is set as cheaply after many commits as after the first`() async throws {
    let depths = Mutex<[Int]>([])
    var configuration = TemporaryDatabase.alwaysOpen
    // Each commit comes while the query rests, so that each sets the alarm.
    configuration.minimumRefreshInterval = .milliseconds(2)
    let system = configuration.refreshTimer
    configuration.refreshTimer = RefreshTimer(now: system.now) { queue, action in
      let alarm = system.makeAlarm(queue, action)
      return RefreshTimer.Alarm { time in
        depths.withLock { $0.append(Self.stackDepth()) }
        alarm.ring(at: time)
      }
    }
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    var count = 0
    while depths.withLock({ $0.count }) < 200 {
      count += 1
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      try await recorder.expect(count)
    }
    let (first, last) = depths.withLock { ($0.prefix(20).max()!, $0.suffix(20).max()!) }
    #expect(last < first + 2_000, "\(first) bytes deep at first, \(last) in the end")
  }

  /// Bytes of the thread's stack that are in use: glibc keeps what describes a thread at the top of its stack.
  private static func stackDepth() -> Int {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { here in
      Int(pthread_self()) - Int(bitPattern: here.baseAddress!)
    }
  }
}
