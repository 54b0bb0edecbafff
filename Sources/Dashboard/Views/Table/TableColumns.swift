import ObservationEngine

/// Where the columns of a table stand, and what is left out because it does not fit.
struct TableColumns {
  /// What a column shows.
  enum Content: Equatable {
    /// The column of the result with this index.
    case value(Int)
    /// By how much the ranked column grew.
    case delta
    /// What a column of the row was in earlier results.
    case spark
  }

  struct Column {
    var content: Content
    var x = 0
    var width: Int
    var alignment: DisplayText.Alignment
    /// How wide it may become when there is room: for bars and histories, which say more then.
    var limit: Int
    /// Whether it can be cut.
    let isText: Bool

    init(_ content: Content, width: Int, alignment: DisplayText.Alignment, limit: Int? = nil) {
      self.content = content
      self.width = width
      self.alignment = alignment
      self.limit = limit ?? width
      isText = limit == nil && alignment == .leading
    }
  }

  /// What decides how a table is divided.
  struct Request {
    /// The columns of the result to show, in their order.
    var shown: [Int]
    /// The ranked column, which has its growth beside it.
    var rank: Int?
    /// Whether the growth is shown.
    var hasDelta = false
    /// Whether a history is shown.
    var hasSpark = false
    /// Columns without which the others say nothing.
    var essential: Set<Int> = []
    var sorted: Int?
    /// Whether columns to the left are scrolled out of view.
    var isScrolled = false
  }

  /// Wide enough for `+99 999`, so that the column does not move with its numbers.
  private static let deltaWidth = 7
  /// No text is made narrower than this to make room for another column.
  private static let minimumWidth = 12
  private static let sparkWidth = 10...18
  private static let barWidth = 6...13

  private(set) var columns: [Column] = []
  /// Whether columns were left out.
  private(set) var hasMore = false

  /// Places columns in `width` cells.
  ///
  /// - Parameter widths: What the values in view take, by column.
  init(
    _ summaries: [ColumnSummary], widths: [Int], _ request: Request, width: Int, glyphs: GlyphSet
  ) {
    for index in request.shown {
      columns.append(
        Self.column(
          index, summaries[index], values: widths[index], isSorted: index == request.sorted,
          glyphs: glyphs))
      if index == request.rank, request.hasDelta {
        columns.append(Column(.delta, width: Self.deltaWidth, alignment: .trailing))
      }
    }
    if request.hasSpark {
      columns.append(
        Column(
          .spark, width: Self.sparkWidth.lowerBound, alignment: .leading,
          limit: Self.sparkWidth.upperBound))
    }
    fit(into: width, request)
  }

  private static func column(
    _ index: Int, _ summary: ColumnSummary, values: Int, isSorted: Bool, glyphs: GlyphSet
  ) -> Column {
    let name = DisplayText.width(summary.name, limit: 40, glyphs: glyphs) + (isSorted ? 1 : 0)
    if let format = summary.format, format.isBar, summary.isNumeric {
      let text = format == .bar ? 0 : max(summary.width, values) + 1
      return Column(
        .value(index), width: max(barWidth.lowerBound + text, min(name, 12)), alignment: .leading,
        limit: barWidth.upperBound + text)
    }
    let values = min(max(summary.width, values), 200)
    let isTrailing =
      summary.isNumeric && summary.format?.isTime != true || summary.format == .relative
    return Column(
      .value(index), width: max(values, min(name, max(values, 12)), 1),
      alignment: isTrailing ? .trailing : .leading)
  }

  private mutating func fit(into width: Int, _ request: Request) {
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
      let removed = columns.remove(at: dispensable(request))
      // A key that gave way to what was scrolled to is not further on.
      if !(request.isScrolled && Self.isEssential(removed, request)) { hasMore = true }
    }
    var excess = taken(gap: gap) - width
    // Text gives way, the widest most.
    while excess > 0, let widest = widestText() {
      let second =
        columns.indices
        .filter { $0 != widest && columns[$0].isText }
        .map { columns[$0].width }.max() ?? 0
      let step = max(1, columns[widest].width - max(second, Self.minimumWidth))
      columns[widest].width -= min(excess, step)
      excess = taken(gap: gap) - width
    }
    if excess > 0 { columns[0].width = width }
    // What is left over goes to bars and histories first, a cell each in turn.
    while excess < 0, let index = growing() {
      columns[index].width += 1
      excess += 1
    }
    // Then it sets the columns apart, up to a point where the eye loses the line.
    if columns.count > 1, excess < 0 { gap += min(1 + width / 40, -excess / (columns.count - 1)) }
    var x = 0
    for index in columns.indices {
      columns[index].x = x
      x += columns[index].width + gap
    }
    // The last text may use what nobody else needs.
    if let last = columns.indices.last, columns[last].isText {
      columns[last].width = max(columns[last].width, width - columns[last].x)
    }
  }

  /// The column that is missed least: the last one that is not essential; then the history and the
  /// growth; then the last one. Who scrolls to the right wants to see what is there: beside it the key
  /// if there is room, and in its place otherwise.
  private func dispensable(_ request: Request) -> Int {
    func isEssential(_ index: Int) -> Bool { Self.isEssential(columns[index], request) }
    if !request.isScrolled,
      let index = columns.indices.dropFirst().last(where: { index in
        guard case .value(let column) = columns[index].content else { return false }
        return !isEssential(index) && column != request.rank
      })
    {
      return index
    }
    if let index = columns.firstIndex(where: { $0.content == .spark }) { return index }
    if let index = columns.firstIndex(where: { $0.content == .delta }) { return index }
    guard request.isScrolled else { return columns.count - 1 }
    let key = columns.indices.filter(isEssential)
    let others = columns.indices.filter { !isEssential($0) }
    return (others.count == 1 ? key.last : others.last) ?? columns.count - 1
  }

  private static func isEssential(_ column: Column, _ request: Request) -> Bool {
    guard case .value(let index) = column.content else { return false }
    return request.essential.contains(index)
  }

  /// What the columns take when every text has given way as far as it does.
  private func leastWidth(gap: Int) -> Int {
    columns.reduce(gap * (columns.count - 1)) { total, column in
      total + (column.isText ? min(column.width, Self.minimumWidth) : column.width)
    }
  }

  private func widestText() -> Int? {
    columns.indices
      .filter { columns[$0].isText && columns[$0].width > Self.minimumWidth }
      .max { columns[$0].width < columns[$1].width }
  }

  /// The narrowest of those that may still grow.
  private func growing() -> Int? {
    columns.indices.filter { columns[$0].width < columns[$0].limit }
      .min { columns[$0].width < columns[$1].width }
  }
}
