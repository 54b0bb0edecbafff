/// The positions of some rows of a result, by an integer key whose order is the order of the result.
///
///     position   0 ────── 40 ─ 79 ─────────────── 512 … 999
///     key        3        91   130                 9007   12004
///
/// Where two keys differ by as much as their positions, no key is missing between them: each is known.
struct KeyPositions: Sendable {
  struct Place: Sendable, Equatable {
    var position: Int
    var key: Int64
  }

  /// How to reach some rows.
  struct Start: Equatable {
    /// The key to begin at; `nil` begins at an end of the result.
    var key: Int64?
    /// How many rows to skip.
    var skip: Int
    /// Whether to read towards the first row.
    var isBackward: Bool
  }

  /// How many places are remembered.
  static let limit = 256

  /// How many rows there are.
  let count: Int
  let isDescending: Bool
  /// By position.
  private(set) var places: [Place] = []

  init(count: Int, isDescending: Bool) {
    self.count = count
    self.isDescending = isDescending
  }

  /// Whether the first row and the last are known.
  var knowsEnds: Bool { places.first?.position == 0 && places.last?.position == count - 1 }

  /// The shortest way to the rows at `range`, which is not empty.
  ///
  /// - Complexity: O(log of the places known).
  func start(_ range: Range<Int>) -> Start {
    let after = firstIndex { $0.position > range.lowerBound }
    let before = after > 0 ? places[after - 1] : nil
    if let before, after < places.count, let key = key(at: range.lowerBound, before, places[after])
    {
      return Start(key: key, skip: 0, isBackward: false)
    }
    let forward = Start(
      key: before?.key, skip: range.lowerBound - (before?.position ?? 0), isBackward: false)
    let last = range.upperBound - 1
    let next = firstIndex { $0.position >= last }
    let behind = next < places.count ? places[next] : nil
    let backward = Start(
      key: behind?.key, skip: (behind?.position ?? count - 1) - last, isBackward: true)
    return backward.skip < forward.skip ? backward : forward
  }

  /// The key at a position between two places, if none is missing between them.
  private func key(at position: Int, _ before: Place, _ after: Place) -> Int64? {
    let (high, low) = isDescending ? (before.key, after.key) : (after.key, before.key)
    let (distance, isTooFar) = high.subtractingReportingOverflow(low)
    guard !isTooFar, distance == Int64(after.position - before.position) else { return nil }
    let step = Int64(position - before.position)
    return isDescending ? before.key - step : before.key + step
  }

  /// Remembers a place. When there are too many, forgets one where they are closest together.
  ///
  /// - Complexity: O(places known).
  mutating func insert(_ place: Place) {
    let index = firstIndex { $0.position >= place.position }
    if index < places.count, places[index].position == place.position { return }
    places.insert(place, at: index)
    guard places.count > Self.limit else { return }
    let inner = 1..<(places.count - 1)
    let closest = inner.min { width(at: $0) < width(at: $1) }
    if let closest { places.remove(at: closest) }
  }

  /// How far the neighbours of a place are from each other.
  private func width(at index: Int) -> Int {
    places[index + 1].position - places[index - 1].position
  }

  private func firstIndex(where isBeyond: (Place) -> Bool) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if isBeyond(places[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
