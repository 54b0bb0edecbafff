/// Which column each key led to, in the order of asking; the next row probably asks likewise.
///
/// Memory of its own, because this is read for every property of every row: in an array each reading
/// would count references.
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

  /// Begins a row.
  func rewind() { next = 0 }

  /// The column of the key that is expected next; `nil` when another one is asked for, or the result has
  /// no such column.
  @inline(__always)
  func take(_ key: String) -> Int? {
    let index = next
    guard index < count, Self.isSame(steps + index, key) else { return nil }
    next = index + 1
    let column = steps[index].column
    return column < 0 ? nil : column
  }

  /// The column of any key asked for before.
  ///
  /// - Returns: `nil` when it was not; within, `nil` when the result has no such column.
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

  /// Whether two strings are surely equal: the same bits.
  ///
  /// Proof: a string is two words, either its own short text or the address and length of one. The step
  /// holds its text alive, so that nothing else can lie at that address. Equal text elsewhere is found
  /// by ``find(_:)``.
  @inline(__always)
  private static func isSame(_ step: UnsafeMutablePointer<Step>, _ key: String) -> Bool {
    let known = UnsafeRawPointer(step).loadUnaligned(as: Words.self)
    let asked = unsafeBitCast(key, to: Words.self)
    return known.0 == asked.0 && known.1 == asked.1
  }

  private typealias Words = (UInt64, UInt64)
}
