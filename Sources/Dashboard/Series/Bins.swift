import ObservationEngine

/// How many numbers fall into each of some ranges of the same width.
struct Bins: Sendable, Equatable {
  /// Where the first begins, and how wide each is.
  let axis: NumberAxis
  private(set) var counts: [Int]
  /// What was no number, or none that a scale can hold.
  private(set) var skipped = 0
  private(set) var total = 0

  /// More than this is never drawn; who wants fewer says so.
  private static let usual = 1...60

  /// Counts numbers; nil when there is none.
  ///
  /// - Parameter wanted: About how many bins; nil for the square root of the number of values.
  /// - Complexity: O(values).
  init?(_ values: [Value], wanted: Int?) {
    var least = Double.infinity
    var greatest = -Double.infinity
    var numbers: [Double] = []
    numbers.reserveCapacity(values.count)
    for value in values where value != .null {
      guard let number = ColumnSummary.number(value), number.isFinite else {
        skipped += 1
        continue
      }
      numbers.append(number)
      least = min(least, number)
      greatest = max(greatest, number)
    }
    guard !numbers.isEmpty else { return nil }
    total = numbers.count
    let root = Int(Double(numbers.count).squareRoot().rounded(.up))
    let count = wanted ?? min(max(root, Self.usual.lowerBound), Self.usual.upperBound)
    // A scale from zero is for bars; bins begin where the numbers do.
    axis = NumberAxis(least...greatest, intervals: Double(count), beginsAtZero: false)
    counts = Array(repeating: 0, count: max(1, Int(axis.intervals)))
    for number in numbers {
      let bin = Int((axis.position(number) * Double(counts.count)).rounded(.down))
      counts[min(max(bin, 0), counts.count - 1)] += 1
    }
    // Rounding leaves bins at the end into which nothing can fall.
    while counts.count > 1, counts.last == 0 { counts.removeLast() }
  }

  /// The counts in at most `limit` bins, and how many bins of this went into each.
  func merged(into limit: Int) -> (counts: [Int], factor: Int) {
    guard counts.count > max(1, limit) else { return (counts, 1) }
    let factor = (counts.count + max(1, limit) - 1) / max(1, limit)
    let merged = stride(from: 0, to: counts.count, by: factor).map { start in
      counts[start..<min(start + factor, counts.count)].reduce(0, +)
    }
    return (merged, factor)
  }
}
