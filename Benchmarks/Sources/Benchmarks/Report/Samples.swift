/// Measured times, in nanoseconds.
///
/// A time can be negative: a commit is visible to others a moment before COMMIT returns.
struct Samples {
  private var values: [Int64] = []

  var count: Int { values.count }

  mutating func append(from start: UInt64, to end: UInt64) {
    values.append(Int64(bitPattern: end &- start))
  }

  /// The value below which `percent` of all are, in nanoseconds.
  func percentile(_ percent: Double) -> Double {
    precondition(!values.isEmpty, "nothing was measured")
    let sorted = values.sorted()
    let index = Int((percent / 100 * Double(sorted.count - 1)).rounded())
    return Double(sorted[index])
  }

  var median: Double { percentile(50) }
}

extension [Double] {
  /// The middle value.
  var median: Double {
    precondition(!isEmpty, "nothing was measured")
    return sorted()[count / 2]
  }
}
