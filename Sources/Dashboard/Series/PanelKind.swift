import ObservationEngine

/// What the rest of the program needs to know of a kind of view.
struct ViewTraits: OptionSet, Sendable {
  let rawValue: Int

  /// A line for each row of the result, which a click chooses.
  static let rows = ViewTraits(rawValue: 1 << 0)
  /// A chart or a number, without rows to move through.
  static let picture = ViewTraits(rawValue: 1 << 1)
  /// Long or wide by nature; the other kinds fit in a corner.
  static let roomy = ViewTraits(rawValue: 1 << 2)
  /// Part of a long result is enough: the rows around those in view.
  static let partial = ViewTraits(rawValue: 1 << 3)
  /// Columns that can be hidden and moved.
  static let columns = ViewTraits(rawValue: 1 << 4)
  /// Without a key, the first column identifies a row.
  static let labelled = ViewTraits(rawValue: 1 << 5)
  /// One number, which is compared with the one before.
  static let oneNumber = ViewTraits(rawValue: 1 << 6)
  /// New rows come at one end, which stays in view.
  static let tail = ViewTraits(rawValue: 1 << 7)
  /// Data that is computed when a result arrives.
  static let chart = ViewTraits(rawValue: 1 << 8)
}

/// One kind of view: its word, what it needs of a result, and what it prepares when one arrives.
///
/// ``DrawnKind`` says how it is drawn. A kind that is neither suggested for a
/// shape of result nor needed elsewhere is one file with both, and one line in `ViewKind.kinds`.
protocol PanelKind: SendableMetatype {
  /// The word for `-- view:`.
  static var name: String { get }
  /// The options that may follow the word.
  static var options: [ViewOptions.Key] { get }
  static var traits: ViewTraits { get }

  /// Why it cannot show a result, after `no NAME: `; nil when it can. The result has rows.
  ///
  /// - Complexity: O(rows).
  static func obstacle(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions
  ) -> String?

  /// The data that it draws, computed when a result arrives; nil for none.
  ///
  /// - Parameter rows: The rows to draw, by index, in the order of the result.
  /// - Complexity: O(rows · columns).
  static func chart(
    _ result: RowSet, _ summaries: [ColumnSummary], rows: [Int], _ options: ViewOptions
  ) -> ChartData?

  /// The column whose number it shows and whose history is recorded; nil for the first number of
  /// the row, in any column.
  ///
  /// - Parameter former: The column for the last result, if that had the same columns.
  static func numberColumn(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions, former: Int?
  ) -> Int?
}

extension PanelKind {
  static var options: [ViewOptions.Key] { [] }

  static func obstacle(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions
  ) -> String? { nil }

  static func chart(
    _ result: RowSet, _ summaries: [ColumnSummary], rows: [Int], _ options: ViewOptions
  ) -> ChartData? { nil }

  static func numberColumn(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions, former: Int?
  ) -> Int? {
    options.y.first.flatMap { RowKey.index(ofColumn: $0, in: result.columns) }
  }
}

extension ViewKind {
  /// Why it cannot show a result; nil when it can.
  ///
  /// A result without rows fits every view, because its content is still unknown. So is that of a
  /// column that is all NULL, such as `max()` over an empty table.
  ///
  /// - Complexity: O(rows).
  func obstacle(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions
  ) -> String? {
    guard !result.rows.isEmpty else { return nil }
    return type.obstacle(result, summaries, options).map { "can't draw a \(rawValue): \($0)" }
  }

  /// The column with the number of a panel that shows a single one; see ``PanelKind``.
  ///
  /// A column that is empty now stays the one: its number may return.
  ///
  /// - Complexity: O(1); O(rows) while the column is empty.
  func numberColumn(
    _ result: RowSet, _ summaries: [ColumnSummary], _ options: ViewOptions, former: Int?
  ) -> Int? {
    if self != .number, let former, result.rows.allSatisfy({ $0[former] == .null }) {
      return former
    }
    return type.numberColumn(result, summaries, options, former: former)
  }
}

extension ColumnSummary {
  /// Whether its values are numbers, as far as they are known.
  var mayBeNumeric: Bool { isNumeric || isNull }
  /// Whether some of its values are numbers, as far as they are known.
  var mayHaveNumbers: Bool { hasNumbers || isNull }
}

extension [ColumnSummary] {
  /// Why no column, or not the named one, `fits`.
  ///
  /// - Parameter columns: The names of the result's columns.
  func numberObstacle(
    _ columns: [String], _ options: ViewOptions, _ fits: (ColumnSummary) -> Bool
  ) -> String? {
    let text = options.y.first { name in
      RowKey.index(ofColumn: name, in: columns).map { !fits(self[$0]) } ?? false
    }
    if let text { return "\"\(text)\" holds no numbers" }
    return contains(where: fits) ? nil : "no numeric column"
  }
}
