/// The last numbers of a series, up to its capacity.
///
/// A missing number is NaN. Memory grows with use, up to the capacity.
struct SampleRing: Sendable, Equatable {
  let capacity: Int
  private var samples: [Double] = []
  /// The index of the oldest once the ring is full.
  private var start = 0

  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  var count: Int { samples.count }
  var last: Double? { samples.isEmpty ? nil : self[samples.count - 1] }

  /// The samples from the oldest.
  subscript(index: Int) -> Double { samples[(start + index) % samples.count] }

  mutating func append(_ sample: Double) {
    if samples.count < capacity {
      samples.append(sample)
    } else {
      samples[start] = sample
      start = (start + 1) % capacity
    }
  }

  /// Forgets the newest `count` samples.
  ///
  /// - Complexity: O(samples).
  mutating func removeLast(_ count: Int) {
    samples = (0..<max(0, samples.count - count)).map { self[$0] }
    start = 0
  }

  /// Missing numbers are equal to each other.
  static func == (left: Self, right: Self) -> Bool {
    left.capacity == right.capacity && left.count == right.count
      && (0..<left.count).allSatisfy { left[$0].bitPattern == right[$0].bitPattern }
  }

  /// The last `count` samples, oldest first; fewer if there aren't as many.
  ///
  /// - Complexity: O(count).
  func suffix(_ count: Int) -> [Double] {
    (max(0, samples.count - count)..<samples.count).map { self[$0] }
  }
}
