// The members of `timespec` reach Swift with the first C module that includes <time.h>.
import Dashboard
import Glibc
import ObservationEngine

/// The clock of deadlines and latencies: it never jumps.
enum MonotonicClock {
  /// Nanoseconds since some fixed time.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// The time zone of the user.
enum LocalTime {
  /// The offset of local time from UTC now, in seconds.
  static var utcOffset: Int {
    var now = time(nil)
    var local = tm()
    localtime_r(&now, &local)
    return local.tm_gmtoff
  }
}

extension Moment {
  /// Now, as the system's clocks show it.
  static var now: Moment {
    Moment(monotonic: MonotonicClock.now, civil: SystemClock.now())
  }
}

extension Duration {
  /// A duration as a user writes it: `10 s`, `0.5 s`.
  var shortText: String {
    let milliseconds = nanoseconds / 1_000_000
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000)
    if rest == 0 { return "\(seconds) s" }
    var digits = String(1000 + rest).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(seconds).\(digits) s"
  }
}
