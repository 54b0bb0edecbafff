import ObservationEngine

/// Durations, ages, sizes and times of day, short enough for a status line.
enum QuantityText {
  /// Returns a duration of some nanoseconds with at most two significant digits: `0.4 ms`, `11 ms`.
  static func duration(nanoseconds: UInt64) -> String {
    switch nanoseconds {
    case ..<100_000: "<0.1 ms"
    case ..<10_000_000: tenths(nanoseconds, unit: 1_000_000) + " ms"
    case ..<1_000_000_000: "\(nanoseconds / 1_000_000) ms"
    case ..<100_000_000_000: tenths(nanoseconds, unit: 1_000_000_000) + " s"
    default: NumberText.grouped(Int64(nanoseconds / 1_000_000_000)) + " s"
    }
  }

  static func duration(_ duration: Duration) -> String {
    let parts = duration.components
    guard parts.seconds >= 0, parts.attoseconds >= 0 else { return "<0.1 ms" }
    let seconds = min(parts.seconds, 1_000_000_000)
    let nanoseconds = UInt64(seconds) * 1_000_000_000 + UInt64(parts.attoseconds / 1_000_000_000)
    return self.duration(nanoseconds: nanoseconds)
  }

  /// Returns an age in whole seconds as a clock shows it: `00:14`, `1:02:03`.
  static func age(seconds: UInt64) -> String {
    let minutes = seconds / 60
    let tail = twoDigits(Int(minutes % 60)) + ":" + twoDigits(Int(seconds % 60))
    return minutes < 60 ? tail : "\(minutes / 60):" + tail
  }

  /// Returns a size in the largest unit in which it is at least one: `1.2 MB`, `184 KB`.
  static func bytes(_ count: Int64) -> String {
    var size = UInt64(max(0, count)) * 10
    for unit in ["B", "KB", "MB", "GB"] {
      if size < 10_240 {
        let shown = unit == "B" || size >= 100 ? "\(size / 10)" : "\(size / 10).\(size % 10)"
        return shown + " " + unit
      }
      size /= 1024
    }
    return "\(size / 10) TB"
  }

  /// Returns the time of day `12:04:31`, or with milliseconds `12:04:31.204`.
  static func clock(
    _ time: Timestamp, utcOffsetSeconds: Int, milliseconds: Bool = false
  ) -> String {
    let day: Int64 = 86_400_000_000
    let local = time.microseconds + Int64(utcOffsetSeconds) * 1_000_000
    let ofDay = ((local % day) + day) % day
    let seconds = Int(ofDay / 1_000_000)
    let clock =
      twoDigits(seconds / 3600) + ":" + twoDigits(seconds / 60 % 60) + ":" + twoDigits(seconds % 60)
    guard milliseconds else { return clock }
    let thousandths = Int(ofDay / 1000 % 1000)
    return clock + "." + (thousandths < 100 ? "0" : "") + twoDigits(thousandths)
  }

  /// Returns `1 row`, `3 rows`.
  static func count(_ number: Int, _ noun: String) -> String {
    NumberText.grouped(number) + " " + noun + (number == 1 ? "" : "s")
  }

  private static func tenths(_ amount: UInt64, unit: UInt64) -> String {
    let tenths = amount / (unit / 10)
    return tenths >= 100 || tenths % 10 == 0 && tenths > 0
      ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
