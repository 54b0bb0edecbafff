/// Closes the gaps that hidden cells leave in a layout.
///
///     fame players        fame    fame
///     maps players   →    maps    maps        without players
enum LayoutGaps {
  /// The layout without these cells. A row or column that has nothing else disappears; of any other
  /// cell a neighbour whose side is as long takes over the room, if there is one.
  ///
  /// - Complexity: O(cells²).
  static func closed<Cell: Hashable>(
    _ layout: [[Cell?]], without hidden: [Cell]
  ) -> [[Cell?]] {
    guard !hidden.isEmpty else { return layout }
    let gone = Set(hidden)
    /// Whether all cells that have a name are hidden, and there is one.
    func isEmptied(_ cells: [Cell?]) -> Bool {
      let named = cells.compactMap { $0 }
      return !named.isEmpty && named.allSatisfy(gone.contains)
    }
    let rows = layout.filter { !isEmptied($0) }
    let columns = (0..<(rows.first?.count ?? 0)).filter { column in
      !isEmptied(rows.map { $0[column] })
    }
    var closed = rows.map { row in columns.map { row[$0] } }
    for cell in hidden { fill(cell, of: &closed) }
    return closed
  }

  private static func fill<Cell: Hashable>(_ cell: Cell, of layout: inout [[Cell?]]) {
    guard let place = extent(of: cell, in: layout) else { return }
    let (rows, columns) = place
    // To the left first, as one reads.
    let sides: [(line: Int, isColumn: Bool)] = [
      (columns.lowerBound - 1, true), (columns.upperBound, true), (rows.lowerBound - 1, false),
      (rows.upperBound, false),
    ]
    for side in sides {
      guard let neighbours = neighbours(side, rows, columns, layout) else { continue }
      for row in rows {
        for column in columns {
          layout[row][column] = neighbours[(side.isColumn ? row : column)]
        }
      }
      return
    }
    for row in rows { for column in columns { layout[row][column] = nil } }
  }

  /// The cells along a side, by row or column; nil if one of them reaches beyond the side.
  private static func neighbours<Cell: Hashable>(
    _ side: (line: Int, isColumn: Bool), _ rows: Range<Int>, _ columns: Range<Int>,
    _ layout: [[Cell?]]
  ) -> [Int: Cell]? {
    let width = layout.first?.count ?? 0
    guard (0..<(side.isColumn ? width : layout.count)).contains(side.line) else { return nil }
    var neighbours: [Int: Cell] = [:]
    for index in side.isColumn ? rows : columns {
      let cell = side.isColumn ? layout[index][side.line] : layout[side.line][index]
      guard let cell, let extent = extent(of: cell, in: layout) else { return nil }
      let length = side.isColumn ? extent.rows : extent.columns
      let limit = side.isColumn ? rows : columns
      guard limit.lowerBound <= length.lowerBound, length.upperBound <= limit.upperBound else {
        return nil
      }
      neighbours[index] = cell
    }
    return neighbours
  }

  private static func extent<Cell: Hashable>(
    of cell: Cell, in layout: [[Cell?]]
  ) -> (rows: Range<Int>, columns: Range<Int>)? {
    let rows = layout.indices.filter { layout[$0].contains(cell) }
    guard let top = rows.first, let bottom = rows.last else { return nil }
    let columns = layout[top].indices.filter { layout[top][$0] == cell }
    guard let left = columns.first, let right = columns.last else { return nil }
    return (top..<bottom + 1, left..<right + 1)
  }
}
