/// Divides an area among panels.
enum Arrangement {
  /// A panel smaller than this is of no use; what does not fit goes to another page.
  static let minimum = Size(width: 20, height: 4)

  /// Divides `area` as a layout matrix says; a repeated index spans. Nil when a panel would be too
  /// small.
  static func matrix<Cell: Hashable>(_ layout: [[Cell?]], in area: Rect) -> [Cell: Rect]? {
    guard let columns = layout.first?.count, columns > 0 else { return nil }
    let x = edges(area.width, parts: columns)
    let y = edges(area.height, parts: layout.count)
    var frames: [Cell: Rect] = [:]
    for (row, cells) in layout.enumerated() {
      for (column, panel) in cells.prefix(columns).enumerated() {
        guard let panel else { continue }
        let cell = Rect(
          x: area.x + x[column], y: area.y + y[row],
          width: x[column + 1] - x[column], height: y[row + 1] - y[row])
        frames[panel] = frames[panel].map { union($0, cell) } ?? cell
      }
    }
    return frames.values.allSatisfy(isUseful) ? frames : nil
  }

  /// Arranges panels to fit: tables to the left, numbers and bars in a column beside them.
  ///
  /// Nil when a panel would be too small.
  static func automatic(_ kinds: [ViewKind], in area: Rect) -> [Rect]? {
    guard kinds.count > 1 else { return kinds.map { _ in area } }
    let large = kinds.indices.filter { kinds[$0] == .table }
    let small = kinds.indices.filter { kinds[$0] != .table }
    var frames = Array(repeating: area, count: kinds.count)
    if !large.isEmpty, !small.isEmpty, area.width >= 60 {
      let left = area.width * 5 / 8
      let sides = [
        (large, Rect(x: area.x, y: area.y, width: left, height: area.height)),
        (
          small,
          Rect(x: area.x + left, y: area.y, width: area.width - left, height: area.height)
        ),
      ]
      for (panels, side) in sides {
        for (panel, frame) in zip(panels, grid(panels.count, in: side, cellWidth: 48)) {
          frames[panel] = frame
        }
      }
    } else if kinds.count == 3, area.width >= 60, area.width < 120 {
      let left = area.width * 5 / 8
      frames[0].width = left
      let right = Rect(x: area.x + left, y: area.y, width: area.width - left, height: area.height)
      frames.replaceSubrange(1..., with: grid(2, in: right, cellWidth: right.width))
    } else {
      frames = grid(kinds.count, in: area, cellWidth: large.isEmpty ? 30 : 38)
    }
    return frames.allSatisfy(isUseful) ? frames : nil
  }

  /// How many panels a page holds when they cannot all be shown.
  static func pageCapacity(of area: Rect) -> Int {
    columns(.max, width: area.width, cellWidth: 38) * max(1, area.height / (minimum.height + 1))
  }

  /// Rows of equal cells, as many columns as fit; the cells of an incomplete last row are wider.
  static func grid(_ count: Int, in area: Rect, cellWidth: Int) -> [Rect] {
    guard count > 0 else { return [] }
    var columns = columns(count, width: area.width, cellWidth: cellWidth)
    // No more columns than keep the rows full: four are two and two, not three and one.
    let rows = (count + columns - 1) / columns
    columns = (count + rows - 1) / rows
    let y = edges(area.height, parts: rows)
    return (0..<count).map { index in
      let row = index / columns
      let inRow = min(columns, count - row * columns)
      let x = edges(area.width, parts: inRow)
      let column = index - row * columns
      return Rect(
        x: area.x + x[column], y: area.y + y[row],
        width: x[column + 1] - x[column], height: y[row + 1] - y[row])
    }
  }

  private static func columns(_ count: Int, width: Int, cellWidth: Int) -> Int {
    max(1, min(count, width / max(1, cellWidth)))
  }

  /// The edges of `parts` nearly equal parts, larger ones first.
  private static func edges(_ length: Int, parts: Int) -> [Int] {
    (0...parts).map { ($0 * length + parts - 1) / parts }
  }

  private static func isUseful(_ frame: Rect) -> Bool {
    frame.width >= minimum.width && frame.height >= minimum.height
  }

  private static func union(_ a: Rect, _ b: Rect) -> Rect {
    let x = min(a.x, b.x)
    let y = min(a.y, b.y)
    return Rect(
      x: x, y: y, width: max(a.x + a.width, b.x + b.width) - x,
      height: max(a.y + a.height, b.y + b.height) - y)
  }
}
