/// When the detector checks again while another process holds the write lock.
///
/// 20 µs, growing by half up to 200 µs; after 50 ms every 2 ms, since a sync is slow then; after 10
/// s it stops, because a commit writes to a file in the end, which causes an event of its own.
struct Backoff: Equatable {
  private var began: UInt64?
  private var step: UInt64 = 20_000
  /// When the next check is due; `nil` when the detector doesn't wait for a writer.
  private(set) var due: UInt64?

  private static let slow: UInt64 = 50_000_000

  /// Schedules the next check.
  ///
  /// - Parameter isWritten: The writer is at work, so checks continue as if it had only just become
  ///   slow.
  mutating func again(now: UInt64, isWritten: Bool = false) {
    if began == nil {
      began = now
      step = 20_000
    }
    if isWritten, elapsed(now: now) > Self.slow { began = now - Self.slow }
    let elapsed = elapsed(now: now)
    if elapsed > 10_000_000_000 {
      due = nil
    } else if elapsed >= Self.slow {
      due = now + 2_000_000
    } else {
      due = now + step
      step = min(step + step / 2, 200_000)
    }
  }

  mutating func stop() { self = Backoff() }

  /// Whether a check found a writer, and no later one found that it ended.
  var isOn: Bool { began != nil }

  /// Nanoseconds since the first of these checks; 0 when there is none.
  func elapsed(now: UInt64) -> UInt64 { began.map { now - $0 } ?? 0 }
}
