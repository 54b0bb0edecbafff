/// A movement through lines, whatever they are lines of.
enum Motion: Sendable {
  case down, up, pageDown, pageUp, halfDown, halfUp, first, last

  /// How many lines it goes down: more than there are for the ends.
  func lines(page: Int, half: Int) -> Int {
    switch self {
    case .down: 1
    case .up: -1
    case .pageDown: max(1, page)
    case .pageUp: -max(1, page)
    case .halfDown: max(1, half)
    case .halfUp: -max(1, half)
    case .first: -(1 << 40)
    case .last: 1 << 40
    }
  }

  /// The same through a view of so many lines: a page leaves one line in view.
  func lines(visible: Int) -> Int { lines(page: visible - 1, half: visible / 2) }
}
