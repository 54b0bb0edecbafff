import ObservationEngine

/// How many numbers fall into each of several ranges of the same width.
struct Bins: Sendable, Equatable {
  /// Where the first starts, and how wide each is.
  let axis: NumberAxis
  private(set) var counts: [Int]
  /// Values that aren't numbers, or that no scale can represent.
  private(set) var skipped = 0
  private(set) var total = 0

  /// More than this is never drawn, unless requested.
  private static let usual = 1...60

  /// Counts numbers; nil when there is none.
  ///
  /// - Parameter wanted: The approximate number of bins; nil for the square root of the number of
  ///   values.
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
    // A scale from zero is for bars; bins start where the numbers do.
    axis = NumberAxis(least...greatest, intervals: Double(count), beginsAtZero: false)
    counts = Array(repeating: 0, count: max(1, Int(axis.intervals)))
    for number in numbers {
      let bin = Int((axis.position(number) * Double(counts.count)).rounded(.down))
      counts[min(max(bin, 0), counts.count - 1)] += 1
    }
    // Rounding leaves empty bins at the end.
    while counts.count > 1, counts.last == 0 { counts.removeLast() }
  }

  /// Merged bins, each some steps of the axis wide.
  struct Merged: Equatable {
    /// The tick where the first starts; before the axis if that is a rounder number.
    var first: Int
    /// The width of each, in steps.
    var factor: Int
    var counts: [Int]
  }

  /// The counts in at most `limit` bins with round edges.
  ///
  /// - Complexity: O(bins).
  func merged(into limit: Int) -> Merged {
    let limit = max(2, limit)
    guard counts.count > limit else { return Merged(first: 0, factor: 1, counts: counts) }
    var factor = (counts.count + limit - 1) / limit
    while true {
      let merged = merged(by: factor)
      // One bin holds everything; two if the numbers lie on both sides of an edge.
      if merged.counts.count <= limit || factor >= counts.count { return merged }
      factor += 1
      while factor < counts.count, !axis.isRound(factor) { factor += 1 }
    }
  }

  private func merged(by factor: Int) -> Merged {
    // Edges are multiples of their distance, if those of the bins are.
    let excess = (axis.offset ?? 0) % factor
    let start = excess < 0 ? excess + factor : excess
    var merged = Array(repeating: 0, count: (start + counts.count + factor - 1) / factor)
    for (index, count) in counts.enumerated() { merged[(start + index) / factor] += count }
    return Merged(first: -start, factor: factor, counts: merged)
  }

  /// The edges to label, by tick: at a round distance that leaves room for their labels.
  ///
  /// - Parameters:
  ///   - cells: The width of one bin in cells.
  ///   - text: The label of an edge, with this many decimals.
  func labels(
    _ merged: Merged, cells: Double, text: (_ tick: Int, _ decimals: Int) -> String
  ) -> [(edge: Int, text: String)] {
    let offset = (axis.offset ?? 0) + merged.first
    var labels: [(edge: Int, text: String)] = []
    for count in 1...max(1, merged.counts.count) {
      let distance = count * merged.factor
      guard count == 1 || axis.isRound(distance) else { continue }
      let decimals = axis.decimals(every: distance)
      labels = (0...merged.counts.count).filter { (offset + $0 * merged.factor) % distance == 0 }
        .map { ($0, text(merged.first + $0 * merged.factor, decimals)) }
      let widest = labels.map { DisplayText.width($0.text) }.max() ?? 0
      if Double(widest + 2) <= Double(count) * cells { break }
    }
    return labels
  }
}
