/// What an input may take.
struct Limits {
  let name: String
  /// Seconds in a worker; most inputs take a thousandth of one.
  let seconds: Int
  /// Seconds of the program; a limit that it is given allows much less.
  let programSeconds: Int32
  let megabytes: Int
  /// Bytes that a worker may reserve.
  let addresses: UInt64

  static let usual = Limits(
    name: "usual", seconds: 20, programSeconds: 12, megabytes: 300, addresses: 8 << 30)
  /// For what was built with a sanitizer, which reserves most addresses that there are, and keeps what was
  /// freed.
  static let sanitized = Limits(
    name: "sanitized", seconds: 120, programSeconds: 60, megabytes: 1_500,
    addresses: .max)
}
