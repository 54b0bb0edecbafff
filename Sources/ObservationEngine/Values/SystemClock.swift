internal import Glibc

/// The system's clocks, for stamping what is observed.
package enum SystemClock {
  /// Civil time.
  package static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
  }

  /// Nanoseconds of the monotonic clock.
  package static func monotonic() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Nanoseconds that the calling thread has run on a processor.
  package static func thread() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

extension Duration {
  /// The duration in nanoseconds, clamped to 64 bits.
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    guard isTooLong || overflow else { return sum }
    return seconds < 0 ? .min : .max
  }

  /// Nanoseconds to add to a time of the monotonic clock: none for a negative duration, and 146 years
  /// at most, so that no sum of a few overflows.
  var clockNanoseconds: UInt64 { UInt64(min(max(0, nanoseconds), 1 << 62)) }

  /// The duration, or about a century: a `Clock` stops the program when it is to sleep for longer than
  /// it can count.
  var sleepable: Duration { min(self, .seconds(3_000_000_000)) }
}
