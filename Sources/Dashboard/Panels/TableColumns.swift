import ObservationEngine

/// The positions of a table's columns, and which are omitted because they do not fit.
struct TableColumns {
  /// The content of a column.
  enum Content: Equatable {
    /// The column of the result with this index.
    case value(Int)
    /// The growth of the ranked column.
    case delta
    /// The values of a column in earlier results.
    case spark
  }

  struct Column {
    var content: Content
    var x = 0
    var width: Int
    var alignment: DisplayText.Alignment
    /// Its maximum width if there is room: for bars and histories, which are then more precise, and
    /// for names.
    var limit: Int
    /// Whether it can be cut.
    let isText: Bool

    init(
      _ content: Content, width: Int, alignment: DisplayText.Alignment, limit: Int? = nil,
      isText: Bool = false
    ) {
      self.content = content
      self.width = width
      self.alignment = alignment
      self.limit = limit ?? width
      self.isText = isText
    }
  }

  /// The requirements for dividing a table.
  struct Request {
    /// The columns of the result to show, in their order.
    var shown: [Int]
    /// The ranked column, with its growth next to it.
    var rank: Int?
    /// Whether the growth is shown.
    var hasDelta = false
    /// The cells of the widest growth in view; 0 while nothing grew.
    var deltaWidth = 0
    /// Whether a history is shown.
    var hasSpark = false
    /// Whether a row has more than its current value.
    var hasHistory = true
    /// Columns without which the others have no meaning.
    var essential: Set<Int> = []
    var sorted: Int?
    /// Whether columns to the left are scrolled out of view.
    var isScrolled = false
  }

  /// From `+99 999`, so that the column does not move with its numbers; wider ones are shortened
  /// beyond the upper end.
  static let deltaWidth = 7...12
  /// A text is not shown in fewer cells at the right end of a table.
  private static let partialWidth = 6
  /// Texts are not narrowed further to make room for another column.
  private static let minimumWidth = 12
  /// Names are shown up to here where there is room.
  private static let longestName = 24
  private static let sparkWidth = 10...18
  private static let barWidth = 6...13
  /// ` 100 %`, after a bar that follows its value.
  static let shareWidth = 6

  private(set) var columns: [Column] = []
  /// Whether columns were omitted.
  private(set) var hasMore = false

  /// Places columns in `width` cells.
  ///
  /// - Parameter widths: The widths of the values in view, by column.
  init(
    _ summaries: [ColumnSummary], widths: [Int], _ request: Request, width: Int, glyphs: GlyphSet
  ) {
    for index in request.shown {
      columns.append(
        Self.column(
          index, summaries[index], values: widths[index], isSorted: index == request.sorted,
          glyphs: glyphs))
      if index == request.rank, request.hasDelta {
        let width = min(
          max(request.deltaWidth, Self.deltaWidth.lowerBound), Self.deltaWidth.upperBound)
        columns.append(Column(.delta, width: width, alignment: .trailing))
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
    if let format = summary.format, let bar = format.bar, summary.isNumeric {
      var text = bar == .relative && !format.hasText ? 0 : max(summary.width, values) + 1
      if bar == .share, format.hasText { text += shareWidth }
      return Column(
        .value(index), width: max(barWidth.lowerBound + text, min(name, 12)), alignment: .leading,
        limit: barWidth.upperBound + text)
    }
    let values = min(max(summary.width, values), 200)
    let isTrailing =
      summary.isNumeric && summary.format?.isTime != true || summary.format?.isRelative == true
    let width = max(values, min(name, max(values, 12)), 1)
    return Column(
      .value(index), width: width, alignment: isTrailing ? .trailing : .leading,
      limit: max(width, min(name, longestName)),
      isText: !isTrailing && !summary.isMoment && summary.format?.isTime != true)
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
    // Whole names before room for what has no content yet.
    if taken(gap: gap) > width, request.deltaWidth == 0 {
      columns.removeAll { $0.content == .delta }
    }
    if taken(gap: gap) > width, !request.hasHistory { columns.removeAll { $0.content == .spark } }
    var next: Column?
    // Fewer columns are better than many unreadable ones.
    while columns.count > 1, leastWidth(gap: gap) > width {
      let place = dispensable(request)
      let removed = columns.remove(at: place)
      next = place == columns.count ? removed : nil
      // A key that was replaced by a scrolled-to column is not to the right of it.
      if !(request.isScrolled && Self.isEssential(removed, request)) { hasMore = true }
    }
    // The start of the next text is better than blanks.
    if let next, next.isText, !request.isScrolled,
      width - taken(gap: gap) - gap >= Self.partialWidth
    {
      var part = next
      part.width = min(part.width, width - taken(gap: gap) - gap)
      columns.append(part)
    }
    var excess = taken(gap: gap) - width
    // Texts are narrowed, the widest first.
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
    // Bars, histories and names get the remaining width first, one cell each in turn.
    while excess < 0, let index = growing() {
      columns[index].width += 1
      excess += 1
    }
    // Then it increases the gaps, up to a point where rows would be hard to follow.
    if columns.count > 1, excess < 0 { gap += min(1 + width / 40, -excess / (columns.count - 1)) }
    var x = 0
    for index in columns.indices {
      columns[index].x = x
      x += columns[index].width + gap
    }
    // The last text may use the remaining width.
    if let last = columns.indices.last, columns[last].isText {
      columns[last].width = max(columns[last].width, width - columns[last].x)
    }
  }

  /// The least important column: the last one that is not essential; then the history and the
  /// growth; then the last one. When scrolled to the right, the key stays next to the columns there
  /// if there is room, and otherwise yields to them.
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

  /// The width of the columns when all texts are as narrow as possible.
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

  /// The narrowest of the columns that may still grow.
  private func growing() -> Int? {
    columns.indices.filter { columns[$0].width < columns[$0].limit }
      .min { columns[$0].width < columns[$1].width }
  }
}
