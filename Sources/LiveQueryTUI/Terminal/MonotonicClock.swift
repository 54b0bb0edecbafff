// The members of `timespec` reach Swift with the first C module that includes <time.h>.
import Glibc

/// The clock of deadlines and latencies: it never jumps.
enum MonotonicClock {
  /// Nanoseconds since some fixed time.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
