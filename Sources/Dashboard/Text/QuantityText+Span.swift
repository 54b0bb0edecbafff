import ObservationEngine

/// Time spans and sizes of any magnitude, as columns may have them.
extension QuantityText {
  /// Returns a span with its two largest units: `3.1 ms`, `12 s`, `5 min 03 s`, `2 d 04 h`.
  static func span(nanoseconds: Double) -> String {
    guard nanoseconds.isFinite else { return NumberText.real(nanoseconds, decimals: 0) }
    let sign = nanoseconds < 0 ? "-" : ""
    let size = nanoseconds.magnitude
    if size == 0 { return "0 s" }
    if size < 1000 { return sign + NumberText.real(size, decimals: 0) + " ns" }
    if size < 1e6 { return sign + short(size / 1e3) + " us" }
    if size < 1e9 { return sign + short(size / 1e6) + " ms" }
    if size < 6e10 { return sign + short(size / 1e9) + " s" }
    // Beyond that, a count of days is useless.
    guard size < 1e20 else { return sign + NumberText.compact(size / 86_400e9) + " d" }
    let seconds = Int(size / 1e9)
    if seconds < 3600 { return sign + pair(seconds, 60, "min", "s") }
    if seconds < 86_400 { return sign + pair(seconds / 60, 60, "h", "min") }
    if seconds < 100 * 86_400 { return sign + pair(seconds / 3600, 24, "d", "h") }
    return sign + NumberText.grouped(seconds / 86_400) + " d"
  }

  /// Returns how long ago something was, `seconds` before now: `12 s ago`, `in 5 min`, `now`.
  static func relative(_ seconds: Double) -> String {
    guard seconds.magnitude >= 1 else { return "now" }
    let size = seconds.magnitude
    let text =
      switch size {
      case ..<60: "\(Int(size)) s"
      case ..<3600: "\(Int(size / 60)) min"
      case ..<86_400: "\(Int(size / 3600)) h"
      case ..<(60 * 86_400): "\(Int(size / 86_400)) d"
      case ..<(730 * 86_400): "\(Int(size / (30.44 * 86_400))) months"
      default: NumberText.real((size / (365.25 * 86_400)).rounded(.down), decimals: 0) + " years"
      }
    return seconds < 0 ? "in " + text : text + " ago"
  }

  /// Returns a size of any magnitude and sign: `1.2 MB`, `-184 KB`.
  static func bytes(_ count: Double) -> String {
    guard count.magnitude < 9e17 else { return NumberText.compact(count) + "B" }
    return (count < 0 ? "-" : "") + bytes(Int64(count.magnitude.rounded()))
  }

  /// Returns a time as SQLite's `datetime()` shows it; as a number if no calendar has it.
  static func dateAndTime(_ seconds: Double) -> String {
    guard seconds.magnitude < 2.5e11 else { return NumberText.real(seconds, decimals: 0) }
    let time = CivilTime(seconds: seconds)
    return time.date + " " + time.clock
  }

  /// Returns the date of a time; as a number if no calendar has it.
  static func date(_ seconds: Double) -> String {
    guard seconds.magnitude < 2.5e11 else { return NumberText.real(seconds, decimals: 0) }
    return CivilTime(seconds: seconds).date
  }

  /// Returns the time of day of a time; as a number if no calendar has it.
  static func timeOfDay(_ seconds: Double) -> String {
    guard seconds.magnitude < 2.5e11 else { return NumberText.real(seconds, decimals: 0) }
    return CivilTime(seconds: seconds).clock
  }

  /// Returns the approximate length of a span, in its largest unit: `10 min`, `3 d`.
  static func roughSpan(seconds: Double) -> String {
    switch seconds {
    case ..<1: return span(nanoseconds: seconds * 1e9)
    case ..<90: return "\(Int(seconds.rounded())) s"
    case ..<5400: return "\(Int((seconds / 60).rounded())) min"
    case ..<129_600: return "\(Int((seconds / 3600).rounded())) h"
    case ..<1e8: return NumberText.grouped(Int((seconds / 86_400).rounded())) + " d"
    default: return NumberText.real((seconds / 31_557_600).rounded(), decimals: 0) + " years"
    }
  }

  /// One decimal below ten.
  private static func short(_ number: Double) -> String {
    let tenths = (number * 10).rounded(.down)
    return tenths >= 100 || tenths.truncatingRemainder(dividingBy: 10) == 0
      ? String(Int(tenths / 10)) : "\(Int(tenths) / 10).\(Int(tenths) % 10)"
  }

  private static func pair(_ amount: Int, _ unit: Int, _ large: String, _ small: String) -> String {
    let rest = amount % unit
    return "\(amount / unit) \(large) " + (rest < 10 ? "0" : "") + "\(rest) \(small)"
  }
}

extension CivilTime {
  /// The civil time in UTC of seconds since the Unix epoch, within some thousand years of it.
  init(seconds: Double) {
    self.init(Timestamp(microseconds: Int64((seconds * 1e6).rounded())))
  }

  /// `2026-11-20`.
  var date: String { "\(year)-" + Self.two(month) + "-" + Self.two(day) }

  /// `12:04:31`.
  var clock: String { Self.two(hour) + ":" + Self.two(minute) + ":" + Self.two(second) }

  static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
