/// The column of each requested key, in order of request; the next row probably requests the same.
///
/// It uses manual memory because it is read for every property of every row: an array would count
/// references on each read.
final class StepList {
  private struct Step {
    let key: String
    /// The column; -1 when the result has none of this name.
    let column: Int
  }

  private var steps: UnsafeMutablePointer<Step>
  private var capacity: Int
  private var count = 0
  private var next = 0

  init(capacity: Int) {
    self.capacity = max(capacity, 1)
    steps = .allocate(capacity: self.capacity)
  }

  deinit {
    steps.deinitialize(count: count)
    steps.deallocate()
  }

  /// Starts a row.
  func rewind() { next = 0 }

  /// The column of the expected key; `nil` when another key is requested, or the result has no such
  /// column.
  @inline(__always)
  func take(_ key: String) -> Int? {
    let index = next
    guard index < count, Self.isSame(steps + index, key) else { return nil }
    next = index + 1
    let column = steps[index].column
    return column < 0 ? nil : column
  }

  /// The column of any key that was requested before.
  ///
  /// - Returns: `nil` for a new key; an inner `nil` when the result has no such column.
  func find(_ key: String) -> Int?? {
    for index in 0..<count where steps[index].key == key {
      next = index + 1
      let column = steps[index].column
      return .some(column < 0 ? nil : column)
    }
    return nil
  }

  func append(_ key: String, column: Int?) {
    if count == capacity {
      let grown = UnsafeMutablePointer<Step>.allocate(capacity: capacity * 2)
      grown.moveInitialize(from: steps, count: count)
      steps.deallocate()
      steps = grown
      capacity *= 2
    }
    (steps + count).initialize(to: Step(key: key, column: column ?? -1))
    count += 1
    next = count
  }

  /// Whether two strings are certainly equal, because their bits are.
  ///
  /// Proof: a string is two words, either its own short text or the address and length of one. The
  /// step keeps its text alive, so no other text can be at that address. Equal text elsewhere is
  /// found by ``find(_:)``.
  @inline(__always)
  private static func isSame(_ step: UnsafeMutablePointer<Step>, _ key: String) -> Bool {
    let known = UnsafeRawPointer(step).loadUnaligned(as: Words.self)
    let asked = unsafeBitCast(key, to: Words.self)
    return known.0 == asked.0 && known.1 == asked.1
  }

  private typealias Words = (UInt64, UInt64)
}
