/// Divides an area among panels, with dividers where the user moved them.
struct Arrangement {
  /// A smaller panel is of no use; panels that do not fit go to another page.
  static let minimum = Size(width: 20, height: 4)
  /// With less than this, automatically arranged panels stand next to each other rather than in one
  /// column: the height shows four rows below a heading, the width a name and a number.
  private static let comfortable = Size(width: 30, height: 7)

  private let moved: [Divider: Double]
  /// The movable dividers of everything that was arranged.
  private(set) var dividers: [PlacedDivider] = []

  init(moved: [Divider: Double] = [:]) {
    self.moved = moved
  }

  /// Divides `area` by a layout matrix; a repeated index spans. Nil when a panel would be too
  /// small, which no divider position makes it.
  mutating func matrix<Cell: Hashable>(
    _ layout: [[Cell?]], preset: Int = 0, in area: Rect
  ) -> [Cell: Rect]? {
    guard let columns = layout.first?.count, columns > 0 else { return nil }
    let former = dividers
    if let frames = matrix(layout, columns, preset, in: area), frames.values.allSatisfy(isUseful) {
      return frames
    }
    dividers = former
    var even = Arrangement()
    guard let frames = even.matrix(layout, columns, preset, in: area),
      frames.values.allSatisfy(isUseful)
    else { return nil }
    dividers += even.dividers
    return frames
  }

  private mutating func matrix<Cell: Hashable>(
    _ layout: [[Cell?]], _ columns: Int, _ preset: Int, in area: Rect
  ) -> [Cell: Rect]? {
    // Which cells of the matrix each panel has.
    var spans: [Cell: Rect] = [:]
    for (row, cells) in layout.enumerated() {
      for (column, panel) in cells.prefix(columns).enumerated() {
        guard let panel else { continue }
        let cell = Rect(x: column, y: row, width: 1, height: 1)
        spans[panel] = spans[panel].map { union($0, cell) } ?? cell
      }
    }
    let x = columnEdges(
      area, parts: columns, least: 1,
      rooms: spans.values.map { Room(parts: $0.columns, least: Self.minimum.width) }
    ) { .column(preset: preset, $0) }
    let y = rowEdges(
      area, parts: layout.count, least: 1,
      rooms: spans.values.map { Room(parts: $0.rows, least: Self.minimum.height) }
    ) { .row(preset: preset, $0) }
    return spans.mapValues { span in
      let (left, top) = (x[span.columns.lowerBound], y[span.rows.lowerBound])
      return Rect(
        x: area.x + left, y: area.y + top, width: x[span.columns.upperBound] - left,
        height: y[span.rows.upperBound] - top)
    }
  }

  /// Arranges panels to fit: long or wide ones to the left, small ones in a column next to them.
  ///
  /// Nil when a panel would be too small.
  mutating func automatic(_ kinds: [ViewKind], in area: Rect) -> [Rect]? {
    guard kinds.count > 1 else { return kinds.map { _ in area } }
    let former = dividers
    let large = kinds.indices.filter { kinds[$0].has(.roomy) }
    let small = kinds.indices.filter { !kinds[$0].has(.roomy) }
    var frames = Array(repeating: area, count: kinds.count)
    if !large.isEmpty, !small.isEmpty, area.width >= 60 {
      for (side, (panels, rect)) in zip([large, small], sides(of: area)).enumerated() {
        let cells = comfortableGrid(panels.count, in: rect, cellWidth: 48, side: side)
        for (panel, frame) in zip(panels, cells) { frames[panel] = frame }
      }
    } else if kinds.count == 3, area.width >= 60, area.width < 120 {
      let sides = sides(of: area)
      frames[0] = sides[0]
      frames.replaceSubrange(1..., with: grid(2, columns: 1, in: sides[1], side: 1))
    } else {
      frames = comfortableGrid(kinds.count, in: area, cellWidth: large.isEmpty ? 30 : 38)
    }
    guard frames.allSatisfy(isUseful) else {
      dividers = former
      return nil
    }
    return frames
  }

  /// The wider left part and the narrower right part of an area.
  private mutating func sides(of area: Rect) -> [Rect] {
    let left = split(
      area.width, at: area.width * 5 / 8, .side, isVertical: true, in: area,
      least: Self.minimum.width)
    return [
      Rect(x: area.x, y: area.y, width: left, height: area.height),
      Rect(x: area.x + left, y: area.y, width: area.width - left, height: area.height),
    ]
  }

  /// Divides an area in two: the length of the first part, `usual` unless the user moved it.
  mutating func split(
    _ length: Int, at usual: Int, _ divider: Divider, isVertical: Bool, in area: Rect, least: Int
  ) -> Int {
    var first = usual
    if let place = moved[divider], length >= 2 * least {
      first = min(max(Int((place * Double(length)).rounded()), least), length - least)
    }
    let origin = isVertical ? area.x : area.y
    dividers.append(
      PlacedDivider(
        divider: divider, isVertical: isVertical, position: origin + first, origin: origin,
        length: length, extent: isVertical ? area.rows : area.columns))
    return first
  }

  private static let pageCellWidth = 38

  /// How many panels fit on a page when not all can be shown.
  static func pageCapacity(of area: Rect) -> Int {
    columns(.max, width: area.width, cellWidth: pageCellWidth)
      * max(1, area.height / (minimum.height + 1))
  }

  /// Rows of cells at least `cellWidth` wide; of narrower ones, where they would be low.
  private mutating func comfortableGrid(
    _ count: Int, in area: Rect, cellWidth: Int, side: Int = 0
  ) -> [Rect] {
    var columns = Self.columns(count, width: area.width, cellWidth: cellWidth)
    while columns < count,
      area.height < Self.comfortable.height * ((count + columns - 1) / columns),
      area.width >= Self.comfortable.width * (columns + 1)
    {
      columns += 1
    }
    return grid(count, columns: columns, in: area, side: side)
  }

  /// The panels of a page, when not all can be shown.
  mutating func page(_ count: Int, in area: Rect) -> [Rect] {
    let columns = Self.columns(count, width: area.width, cellWidth: Self.pageCellWidth)
    return grid(count, columns: columns, in: area)
  }

  /// Rows of equal cells; an incomplete last row has wider ones.
  private mutating func grid(
    _ count: Int, columns: Int, in area: Rect, side: Int = 0
  ) -> [Rect] {
    guard count > 0 else { return [] }
    let rows = (count + columns - 1) / columns
    let y = rowEdges(area, parts: rows, least: Self.minimum.height) { .gridRow(side: side, $0) }
    return (0..<rows).flatMap { row in
      let inRow = min(columns, count - row * columns)
      let strip = Rect(
        x: area.x, y: area.y + y[row], width: area.width, height: y[row + 1] - y[row])
      let x = columnEdges(strip, parts: inRow, least: Self.minimum.width) {
        .gridColumn(side: side, row: row, $0)
      }
      return (0..<inRow).map { column in
        Rect(
          x: strip.x + x[column], y: strip.y, width: x[column + 1] - x[column],
          height: strip.height)
      }
    }
  }

  private static func columns(_ count: Int, width: Int, cellWidth: Int) -> Int {
    max(1, min(count, width / max(1, cellWidth)))
  }

  // MARK: Edges

  /// Divides a row of panes by their weights.
  mutating func line(_ area: Rect, weights: [Int]) -> [Rect] {
    let whole = max(1, weights.reduce(0, +))
    let usual = weights.indices.map { weights[..<$0].reduce(0, +) * area.width / whole }
    let x = columnEdges(
      area, parts: weights.count, least: Self.minimum.width, usual: usual + [area.width]
    ) { .below($0) }
    return weights.indices.map {
      Rect(x: area.x + x[$0], y: area.y, width: x[$0 + 1] - x[$0], height: area.height)
    }
  }

  /// The length that a pane needs, which may span several parts.
  private struct Room {
    var parts: Range<Int>
    var least: Int
  }

  private mutating func columnEdges(
    _ area: Rect, parts: Int, least: Int, usual: [Int]? = nil, rooms: [Room] = [],
    _ divider: (Int) -> Divider
  ) -> [Int] {
    let edges = edges(area.width, parts: parts, least: least, usual: usual, rooms, divider)
    for index in 1..<max(parts, 1) {
      dividers.append(
        PlacedDivider(
          divider: divider(index), isVertical: true, position: area.x + edges[index],
          origin: area.x, length: area.width, extent: area.rows))
    }
    return edges
  }

  private mutating func rowEdges(
    _ area: Rect, parts: Int, least: Int, rooms: [Room] = [], _ divider: (Int) -> Divider
  ) -> [Int] {
    let edges = edges(area.height, parts: parts, least: least, rooms, divider)
    for index in 1..<max(parts, 1) {
      dividers.append(
        PlacedDivider(
          divider: divider(index), isVertical: false, position: area.y + edges[index],
          origin: area.y, length: area.height, extent: area.columns))
    }
    return edges
  }

  /// The edges of `parts` parts: nearly equal, larger ones first, unless a divider was moved.
  private func edges(
    _ length: Int, parts: Int, least: Int, usual: [Int]? = nil, _ rooms: [Room],
    _ divider: (Int) -> Divider
  ) -> [Int] {
    var edges = usual ?? (0...parts).map { ($0 * length + parts - 1) / parts }
    guard parts > 1, length >= parts * least else { return edges }
    var isMoved = false
    for index in 1..<parts {
      guard let place = moved[divider(index)] else { continue }
      edges[index] = Int((place * Double(length)).rounded())
      isMoved = true
    }
    guard isMoved else { return edges }
    // No part is pushed out or collapsed, and no pane becomes useless: a divider stops there.
    let rooms = rooms + (0..<parts).map { Room(parts: $0..<$0 + 1, least: least) }
    for index in 1..<parts {
      for room in rooms where room.parts.upperBound == index {
        edges[index] = max(edges[index], edges[room.parts.lowerBound] + room.least)
      }
    }
    for index in (1..<parts).reversed() {
      for room in rooms where room.parts.lowerBound == index {
        edges[index] = min(edges[index], edges[room.parts.upperBound] - room.least)
      }
    }
    return edges
  }

  private func isUseful(_ frame: Rect) -> Bool {
    frame.width >= Self.minimum.width && frame.height >= Self.minimum.height
  }

  private func union(_ a: Rect, _ b: Rect) -> Rect {
    let x = min(a.x, b.x)
    let y = min(a.y, b.y)
    return Rect(
      x: x, y: y, width: max(a.x + a.width, b.x + b.width) - x,
      height: max(a.y + a.height, b.y + b.height) - y)
  }
}
