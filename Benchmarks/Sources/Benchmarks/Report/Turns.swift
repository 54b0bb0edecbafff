/// Two ways of doing the same work, measured in turns, so that whatever else the machine does meets
/// both alike.
struct Turns {
  /// Nanoseconds of each run, in pairs.
  private(set) var pairs: [(base: Double, measured: Double)] = []

  /// - Parameters:
  ///   - most: How many pairs of runs there are.
  ///   - seconds: After so long no further pair begins, once there are five.
  ///   - base: Does the work the plain way, and returns how many nanoseconds it took.
  ///   - measured: Does it the way that is to be compared.
  init(
    most: Int = 11, seconds: UInt64 = 12, base: () throws -> UInt64, measured: () throws -> UInt64
  ) throws {
    let end = Clock.now + seconds * 1_000_000_000
    while pairs.count < most, pairs.count < 5 || Clock.now < end {
      // Who goes first changes: a drift of the machine favours neither.
      if pairs.count.isMultiple(of: 2) {
        let first = try base()
        pairs.append((Double(first), Double(try measured())))
      } else {
        let first = try measured()
        pairs.append((Double(try base()), Double(first)))
      }
    }
  }

  /// The median of measured to base, pair by pair.
  var ratio: Double { pairs.map { $0.measured / $0.base }.median }

  /// The median of the plain way, in nanoseconds.
  var base: Double { pairs.map { $0.base }.median }

  /// The median of what is compared with it, in nanoseconds.
  var measured: Double { pairs.map { $0.measured }.median }
}
