/// One line of a chart: its points from left to right.
struct Series: Sendable, Equatable {
  struct Point: Sendable, Equatable {
    var x: Double
    /// NaN for a gap in the line.
    var y: Double
  }

  /// More points than this are reduced: no screen shows more.
  static let maximumPoints = 1600

  var name: String
  private(set) var points: [Point]

  /// A series of points whose `x` ascends; reduced when there are too many.
  ///
  /// Of each small x range the first, smallest, greatest and last point stay, so that every peak is
  /// where it was and the line looks complete.
  ///
  /// - Complexity: O(points).
  init(name: String, points: [Point]) {
    self.name = name
    guard points.count > Self.maximumPoints, let first = points.first, let last = points.last else {
      self.points = points
      return
    }
    let stretches = Self.maximumPoints / 4
    let width = (last.x - first.x) / Double(stretches)
    var reduced: [Point] = []
    guard width.isFinite, width > 0 else {
      // If all have the same x value, they form one range, which is divided by count.
      let count = first.x < last.x ? (points.count + stretches - 1) / stretches : points.count
      for start in stride(from: 0, to: points.count, by: count) {
        Self.reduce(points[start..<min(start + count, points.count)], into: &reduced)
      }
      self.points = reduced
      return
    }
    var start = 0
    while start < points.count {
      let stretch = ((points[start].x - first.x) / width).rounded(.down)
      var end = start + 1
      while end < points.count, ((points[end].x - first.x) / width).rounded(.down) == stretch {
        end += 1
      }
      Self.reduce(points[start..<end], into: &reduced)
      start = end
    }
    self.points = reduced
  }

  private static func reduce(_ stretch: ArraySlice<Point>, into reduced: inout [Point]) {
    guard stretch.count > 4 else {
      reduced += stretch
      return
    }
    var least = stretch.startIndex
    var greatest = stretch.startIndex
    for index in stretch.indices {
      let y = stretch[index].y
      guard !y.isNaN else { continue }
      if stretch[least].y.isNaN || y < stretch[least].y { least = index }
      if stretch[greatest].y.isNaN || y > stretch[greatest].y { greatest = index }
    }
    let kept = Set([stretch.startIndex, least, greatest, stretch.endIndex - 1])
    reduced += kept.sorted().map { stretch[$0] }
  }
}
