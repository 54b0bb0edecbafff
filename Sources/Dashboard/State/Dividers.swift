/// A line between panes that can be moved.
enum Divider: Sendable, Hashable {
  /// Between two columns or rows of the layout of a preset.
  case column(preset: Int, Int)
  case row(preset: Int, Int)
  /// Between two rows of panels that are arranged to fit, and two panels in one of these rows; `side`
  /// tells the group that stands on one side of another apart.
  case gridRow(side: Int, Int)
  case gridColumn(side: Int, row: Int, Int)
  /// Between the tables and what stands beside them.
  case side
  /// Between panels and what stands below them, and between two panes there.
  case bottom
  case below(Int)
}

/// The dividers that the person moved, and the one that is being moved.
struct Dividers: Sendable, Equatable {
  /// Where each stands, as a part of the length that it divides.
  private(set) var places: [Divider: Double] = [:]
  /// The divider under the button, and how far from it the button went down.
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

/// Where a divider stands on the screen.
struct PlacedDivider: Sendable, Hashable {
  var divider: Divider
  /// Whether it goes from top to bottom, and moves sideways.
  var isVertical: Bool
  /// The first cell behind it, counted from the edge of the screen.
  var position: Int
  /// The length that it divides, and where that begins.
  var origin: Int
  var length: Int
  /// Where it stands, the other way.
  var extent: Range<Int>
}
