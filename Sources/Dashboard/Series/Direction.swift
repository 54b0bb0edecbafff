/// Where numbers go that only rise or only fall, as keys and positions do and measurements seldom do.
enum Direction {
  case rising, falling

  /// - Parameter numbers: In their order; nil stands for what is none.
  /// - Returns: nil where two neighbours are equal or go another way than those before, where one is no
  ///   number, and where there are not two.
  /// - Complexity: O(n), and O(1) when the first of them go neither way.
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
