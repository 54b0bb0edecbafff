/// The direction of numbers that only rise or only fall, as keys and positions do and measurements
/// seldom do.
enum Direction {
  case rising, falling

  /// - Parameter numbers: In order; nil for a value that isn't a number.
  /// - Returns: nil if two neighbours are equal or change direction, if a value isn't a number, or
  ///   if there are fewer than two.
  /// - Complexity: O(n), and O(1) when the first of them have no direction.
  init?(of numbers: some Sequence<Double?>) {
    var previous: Double?
    var direction: Direction?
    for number in numbers {
      guard let number else { return nil }
      if let previous {
        guard number != previous else { return nil }
        let step: Direction = number > previous ? .rising : .falling
        if let direction, direction != step { return nil }
        direction = step
      }
      previous = number
    }
    guard let direction else { return nil }
    self = direction
  }
}
