/// A movable line between panes.
enum Divider: Sendable, Hashable {
  /// Between two columns or rows of the layout of a preset.
  case column(preset: Int, Int)
  case row(preset: Int, Int)
  /// Between two rows of automatically arranged panels, and between two panels in such a row;
  /// `side` distinguishes the groups on either side.
  case gridRow(side: Int, Int)
  case gridColumn(side: Int, row: Int, Int)
  /// Between the tables and the panes next to them.
  case side
  /// Between panels and the panes below them, and between two panes there.
  case bottom
  case below(Int)
}

/// The dividers that the user moved, and the one being moved.
struct Dividers: Sendable, Equatable {
  /// The position of each, as a fraction of the length that it divides.
  private(set) var places: [Divider: Double] = [:]
  /// The divider being dragged, and the distance from it to where the button went down.
  private(set) var dragged: (divider: PlacedDivider, offset: Int)?

  mutating func grab(_ divider: PlacedDivider, at position: Int) {
    dragged = (divider, position - divider.position)
  }

  mutating func drag(to position: Int) {
    guard let (divider, offset) = dragged, divider.length > 0 else { return }
    let place = Double(position - offset - divider.origin) / Double(divider.length)
    places[divider.divider] = min(max(place, 0), 1)
  }

  mutating func drop() { dragged = nil }

  mutating func reset() { places = [:] }

  static func == (left: Dividers, right: Dividers) -> Bool {
    left.places == right.places && left.dragged?.divider == right.dragged?.divider
      && left.dragged?.offset == right.dragged?.offset
  }
}

/// The position of a divider on the screen.
struct PlacedDivider: Sendable, Hashable {
  var divider: Divider
  /// Whether it is vertical, and moves sideways.
  var isVertical: Bool
  /// The first cell after it, counted from the edge of the screen.
  var position: Int
  /// The length that it divides, and where that starts.
  var origin: Int
  var length: Int
  /// Its extent in the other direction.
  var extent: Range<Int>
}
