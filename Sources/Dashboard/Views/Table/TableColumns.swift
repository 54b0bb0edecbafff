import ObservationEngine

/// Where the columns of a table stand, and what is left out because it does not fit.
struct TableColumns {
  /// What a column shows.
  enum Content: Equatable {
    /// The column of the result with this index.
    case value(Int)
    /// By how much the ranked column grew.
    case delta
  }

  struct Column {
    var content: Content
    var x: Int
    var width: Int
    var alignment: DisplayText.Alignment
  }

  /// Wide enough for `+99 999`, so that the column does not move with its numbers.
  private static let deltaWidth = 7
  /// No text is made narrower than this to make room for another column.
  private static let minimumWidth = 12

  private(set) var columns: [Column] = []
  /// Whether columns to the right were left out.
  private(set) var hasMore = false

  /// Places columns from `firstColumn` on in `width` cells.
  ///
  /// - Parameter widths: What the values in view take, by column.
  init(
    _ summaries: [ColumnSummary], widths: [Int], firstColumn: Int, deltaAfter rank: Int?,
    sorted: Int?, width: Int, glyphs: GlyphSet
  ) {
    for index in summaries.indices.dropFirst(firstColumn) {
      let summary = summaries[index]
      let name =
        DisplayText.width(summary.name, limit: 40, glyphs: glyphs) + (index == sorted ? 1 : 0)
      let values = min(max(summary.width, widths[index]), 200)
      columns.append(
        Column(
          content: .value(index), x: 0, width: max(values, min(name, max(values, 12)), 1),
          alignment: summary.isNumeric ? .trailing : .leading))
      if index == rank {
        columns.append(
          Column(content: .delta, x: 0, width: Self.deltaWidth, alignment: .trailing))
      }
    }
    fit(into: width)
  }

  private mutating func fit(into width: Int) {
    guard !columns.isEmpty, width > 0 else {
      columns = []
      return
    }
    func taken(gap: Int) -> Int {
      columns.reduce(0) { $0 + $1.width } + gap * (columns.count - 1)
    }
    var gap = 2
    // Better fewer columns than many that say nothing.
    while columns.count > 1, leastWidth(gap: gap) > width {
      columns.removeLast()
      hasMore = true
    }
    var excess = taken(gap: gap) - width
    // Text gives way, the widest most.
    while excess > 0, let widest = widestText() {
      let second =
        columns.indices
        .filter { $0 != widest && columns[$0].alignment == .leading }
        .map { columns[$0].width }.max() ?? 0
      let step = max(1, columns[widest].width - max(second, Self.minimumWidth))
      columns[widest].width -= min(excess, step)
      excess = taken(gap: gap) - width
    }
    if excess > 0 { columns[0].width = width }
    // What is left over sets the columns apart, up to a point where the eye loses the line.
    if columns.count > 1, excess < 0 { gap += min(1 + width / 40, -excess / (columns.count - 1)) }
    var x = 0
    for index in columns.indices {
      columns[index].x = x
      x += columns[index].width + gap
    }
    // The last text may use what nobody else needs.
    if let last = columns.indices.last, columns[last].alignment == .leading {
      columns[last].width = max(columns[last].width, width - columns[last].x)
    }
  }

  /// What the columns take when every text has given way as far as it does.
  private func leastWidth(gap: Int) -> Int {
    columns.reduce(gap * (columns.count - 1)) { total, column in
      let isText = column.alignment == .leading
      return total + (isText ? min(column.width, Self.minimumWidth) : column.width)
    }
  }

  private func widestText() -> Int? {
    columns.indices
      .filter { columns[$0].alignment == .leading && columns[$0].width > Self.minimumWidth }
      .max { columns[$0].width < columns[$1].width }
  }
}
