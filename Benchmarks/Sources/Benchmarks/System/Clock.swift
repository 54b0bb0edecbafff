import Glibc

/// The monotonic clock, which all processes of a machine share, in nanoseconds.
enum Clock {
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// A moment of the same clock, as the engine gives it.
  static func nanoseconds(_ time: Duration) -> UInt64 {
    let (seconds, attoseconds) = time.components
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }

  static func sleep(_ nanoseconds: UInt64) {
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    nanosleep(&time, nil)
  }
}

/// Times between commits: never the same twice, so that no timer of the measured program can fall
/// in step with them.
struct Pace {
  private let range: ClosedRange<UInt64>

  init(milliseconds range: ClosedRange<UInt64>) {
    self.range = range.lowerBound * 1_000_000...range.upperBound * 1_000_000
  }

  /// The next pause in nanoseconds.
  func next() -> UInt64 { UInt64.random(in: range) }
}
