import ObservationEngine

/// The part of a result that a table has in view, and where its columns are.
struct TableContent {
  /// The rows in view, by index in the result; nil for rows that are not loaded.
  let visible: [Int?]
  /// The position of the first of them.
  let top: Int
  let columns: TableColumns
  /// The texts of the values in view, row by row, in the order of the columns shown; empty for a
  /// row that is not loaded.
  let texts: [[ValueText]]
  /// The texts of the growth column, by index in the result: all in one form.
  let deltas: [Int: String]
  /// The index in ``texts`` of a column of the result.
  let places: [Int: Int]
  /// The columns of the result.
  let summaries: [ColumnSummary]
  /// Whether the rows are numbered.
  let isRanked: Bool
  /// Cells for the rank, 0 without one.
  let rankWidth: Int
  /// Where the columns start.
  let left: Int

  /// Nil when there is nothing to show, or no room.
  ///
  /// - Parameter now: For columns that show how long ago a time was.
  /// - Complexity: O(rows · columns in view).
  init?(
    _ panel: PanelState, _ geometry: PanelGeometry, showsDelta: Bool, showsSparklines: Bool,
    now: Timestamp, glyphs: GlyphSet
  ) {
    guard geometry.rows.width > 4, let result = panel.result, !result.columns.isEmpty else {
      return nil
    }
    let visible: [Int?]
    (top, visible) = panel.rowsInView(geometry.rows.height)
    self.visible = visible
    isRanked = panel.rankColumn != nil
    rankWidth = isRanked ? max(2, String(panel.allRowCount).utf8.count) : 0
    // " 12 ▲1  " with a rank, " + " without one.
    left = isRanked ? rankWidth + 6 : 3

    let summaries = Self.summaries(panel, result)
    self.summaries = summaries
    // A screen has no more columns than this, however wide it is.
    let shown = Array(panel.columnsInView.prefix(geometry.rows.width))
    places = Dictionary(uniqueKeysWithValues: shown.enumerated().map { ($1, $0) })
    texts = visible.map { row in
      guard let row else { return [] }
      return shown.map { ValueText(result.rows[row][$0], column: summaries[$0], now: now) }
    }
    var widths = Array(repeating: 0, count: summaries.count)
    for row in texts {
      for (column, text) in zip(shown, row) {
        widths[column] = max(
          widths[column], DisplayText.width(text.text, limit: 60, glyphs: glyphs))
      }
    }
    deltas = Self.deltas(panel, visible, isShown: showsDelta)
    let key = panel.definition.key.compactMap { RowKey.index(ofColumn: $0, in: result.columns) }
    columns = TableColumns(
      summaries, widths: widths,
      TableColumns.Request(
        shown: shown, rank: panel.rankColumn, hasDelta: showsDelta,
        deltaWidth: deltas.values.map { DisplayText.width($0, glyphs: glyphs) }.max() ?? 0,
        hasSpark: panel.sparkColumn != nil && showsSparklines,
        hasHistory: panel.history.span(2) != nil, essential: Set(key),
        sorted: panel.shownSort?.column, isScrolled: panel.leftColumn > 0),
      width: geometry.rows.width - left - 1, glyphs: glyphs)
  }

  /// The column of the result whose name is at a column of the header; nil for none.
  func column(atColumn x: Int) -> Int? {
    let column = columns.columns.first { ($0.x..<$0.x + $0.width).contains(x - left) }
    guard case .value(let index)? = column?.content else { return nil }
    return index
  }

  /// The growth of the rows in view: whole if there is room for each, and otherwise all short.
  private static func deltas(
    _ panel: PanelState, _ visible: [Int?], isShown: Bool
  ) -> [Int: String] {
    guard isShown, let rank = panel.rankColumn else { return [:] }
    let column = panel.columns[rank]
    let rows = visible.compactMap { $0 }
    let limit = TableColumns.deltaWidth.upperBound
    func texts(_ text: (ResultDiff.Delta) -> String) -> [Int: String] {
      var texts: [Int: String] = [:]
      for row in rows {
        guard let mark = panel.marks.byRow[row] else { continue }
        if mark.change == .inserted {
          texts[row] = "NEW"
        } else if let delta = mark.delta {
          texts[row] = text(delta)
        }
      }
      return texts
    }
    let whole = texts { DeltaText.text($0, column: column) }
    guard whole.values.contains(where: { DisplayText.width($0) > limit }) else { return whole }
    // One form for all: whole next to shortened numbers would be misread.
    return texts { DeltaText.short($0, column: column, width: limit) }
  }

  /// The columns; without rows, the fading rows determine the scale of bars.
  private static func summaries(_ panel: PanelState, _ result: RowSet) -> [ColumnSummary] {
    var summaries = panel.columns
    guard result.rows.isEmpty else { return summaries }
    for removed in panel.marks.removed {
      for index in summaries.indices where summaries[index].format?.bar != nil {
        guard index < removed.row.count, let number = ColumnSummary.number(removed.row[index]),
          number.isFinite
        else { continue }
        summaries[index].isNumeric = true
        summaries[index].maximum = max(summaries[index].maximum, number)
        summaries[index].total += max(0, number)
      }
    }
    return summaries
  }
}
