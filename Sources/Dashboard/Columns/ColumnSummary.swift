import ObservationEngine

/// What all values of a result's column have in common, so that they can be aligned.
struct ColumnSummary: Sendable, Equatable {
  var name: String
  /// Whether its values are numbers, which are right-aligned; NULLs do not count.
  var isNumeric: Bool
  /// Whether some of its values are numbers.
  var hasNumbers = false
  /// How many decimals its real numbers are shown with.
  var decimals: Int
  /// Whether thousands are grouped: not in identifiers and years, which are names made of digits.
  var isGrouped: Bool
  /// The approximate width of its widest value, in cells.
  var width: Int
  /// The greatest of its numbers, and the sum of the positive ones: the scales of bars.
  var maximum = 0.0
  var total = 0.0
  /// The smallest of its numbers, if that is negative.
  var minimum = 0.0
  /// Whether there are values, and all of them are NULL: they may be numbers later.
  var isNull = false
  /// The format of its values, if not the default.
  var format: ColumnFormat?

  /// How many rows are examined: enough to be right nearly always, few enough for every refresh.
  private static let sample = 300
  /// The maximum planned width of a column.
  private static let maximumWidth = 60

  /// Summaries of the columns of a result.
  ///
  /// - Complexity: O(rows) for each column of numbers, O(1) for each of the rest.
  static func summaries(
    of result: RowSet, key: [String], formats: [ColumnFormatting] = []
  ) -> [ColumnSummary] {
    let keys = Set(key.map { $0.lowercased() })
    // In a part any rows may be in view, not only the first ones.
    let sample = result.part == nil ? sample : result.rows.count
    return result.columns.enumerated().map { index, name in
      var summary = ColumnSummary(
        name: name, isNumeric: false, decimals: 0,
        isGrouped: !isName(name, keys: keys), width: 0)
      var numbers = 0
      var others = 0
      for row in result.rows.prefix(sample) {
        switch row[index] {
        case .null: break
        case .integer: numbers += 1
        case .real(let number):
          numbers += 1
          summary.decimals = max(summary.decimals, NumberText.decimals(of: number))
        case .text, .blob, .date: others += 1
        }
      }
      summary.isNumeric = numbers > others
      summary.hasNumbers = numbers > 0
      summary.isNull = numbers + others == 0 && !result.rows.isEmpty
      summary.format = formats.first { $0.column.lowercased() == name.lowercased() }?.format
      if summary.isNumeric { summary.measure(result, index) }
      for row in result.rows.prefix(sample) {
        summary.width = max(summary.width, summary.estimatedWidth(of: row[index]))
      }
      return summary
    }
  }

  /// Adapts to rows that are a part of a long result: the properties found for its other rows stay,
  /// and no scale is measured by them.
  mutating func beOfPart(_ former: ColumnSummary?) {
    if format?.isMeasuredByAll == true { format = nil }
    guard let former else { return }
    decimals = max(decimals, former.decimals)
    if isNull || width == 0 { isNumeric = former.isNumeric }
  }

  /// A column with only a known name.
  static func plain(_ name: String) -> ColumnSummary {
    ColumnSummary(name: name, isNumeric: false, decimals: 0, isGrouped: false, width: 0)
  }

  private mutating func measure(_ result: RowSet, _ index: Int) {
    for row in result.rows {
      guard let number = Self.number(row[index]) else { continue }
      guard number.isFinite else { continue }
      maximum = max(maximum, number)
      minimum = min(minimum, number)
      total += max(0, number)
    }
  }

  /// The number in `value`, if there is one.
  static func number(_ value: Value) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .real(let number): number
    case .null, .text, .blob, .date: nil
    }
  }

  /// Digits that name something are not a quantity.
  static func isName(_ column: String, keys: Set<String>) -> Bool {
    let lower = column.lowercased()
    return keys.contains(lower) || lower == "id" || lower == "rowid" || lower.hasSuffix("_id")
      || column.hasSuffix("Id") || column.hasSuffix("ID") || lower == "year"
      || lower.hasSuffix("_year")
  }

  /// The width of `value` in cells, without building its text.
  private func estimatedWidth(of value: Value) -> Int {
    // The longest text that an age will have as time goes by.
    if format == .relative, MomentForm.seconds(value) != nil { return 10 }
    if format == .bar { return 1 }
    if format != nil { return DisplayText.width(ValueText(value, column: self).text, limit: 60) }
    switch value {
    case .null: return 4
    case .integer(let number):
      var digits = 1
      var rest = number.magnitude / 10
      while rest > 0 {
        digits += 1
        rest /= 10
      }
      return digits + (isGrouped ? (digits - 1) / 3 : 0) + (number < 0 ? 1 : 0)
    case .real: return ValueText(value, column: self).text.utf8.count
    case .text(let text): return DisplayText.width(text, limit: Self.maximumWidth)
    case .blob, .date: return ValueText(value, column: self).text.utf8.count
    }
  }
}
