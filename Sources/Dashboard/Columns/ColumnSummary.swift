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
  /// Whether its values are times; they are never cut.
  var isMoment = false
  /// Whether all of these times are at midnight: they are shown as dates.
  var isDay = false
  /// The colours of its values.
  var colors: ColumnColors?

  /// How many rows are examined for what only concerns the look of a column.
  private static let sample = 300
  /// The maximum planned width of a column.
  private static let maximumWidth = 60

  /// Summaries of the columns of a result.
  ///
  /// - Complexity: O(rows · columns).
  static func summaries(
    of result: RowSet, key: [String], formats: [ColumnFormatting] = [],
    colors: [ColumnColoring] = []
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
        case .integer, .real: numbers += 1
        case .text where LongDecimal(row[index]) != nil: numbers += 1
        case .text, .blob, .date: others += 1
        }
      }
      summary.isNumeric = numbers > others
      summary.hasNumbers = numbers > 0
      summary.isNull = numbers + others == 0 && !result.rows.isEmpty
      summary.format = formats.first { $0.column.lowercased() == name.lowercased() }?.format
      summary.colors = colors.first { $0.column.lowercased() == name.lowercased() }
        .map { ColumnColors($0, columns: result.columns) }
      // Of all rows, because a number would be shown as another one otherwise.
      for row in result.rows {
        guard case .real(let number) = row[index] else { continue }
        summary.decimals = max(summary.decimals, NumberText.decimals(of: number))
      }
      if others > 0 { summary.findMoments(result.rows.lazy.prefix(sample).map { $0[index] }) }
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
    if format?.isMeasuredByAll == true { format?.bar = nil }
    colors?.beOfPart()
    guard let former else { return }
    decimals = max(decimals, former.decimals)
    if isNull || width == 0 { isNumeric = former.isNumeric }
  }

  /// A column with only a known name.
  static func plain(_ name: String) -> ColumnSummary {
    ColumnSummary(name: name, isNumeric: false, decimals: 0, isGrouped: false, width: 0)
  }

  /// Finds out whether texts are times, and whether they have a time of day.
  private mutating func findMoments(_ values: some Sequence<Value>) {
    var hasTimeOfDay = false
    var isLong = false
    for value in values where value != .null {
      guard case .text(let text) = value, let seconds = SQLMoment.seconds(text),
        text.utf8.count >= 10
      else { return }
      isLong = isLong || text.utf8.count > 10
      hasTimeOfDay = hasTimeOfDay || seconds.remainder(dividingBy: 86_400) != 0
    }
    isMoment = true
    isDay = isLong && !hasTimeOfDay
  }

  /// The position of a number between the ends of the column's scale, from 0 to 1.
  func share(_ number: Double) -> Double {
    let low = min(0, minimum)
    // Halves, because the difference of the greatest numbers is infinite.
    let length = maximum / 2 - low / 2
    return length > 0 ? (number / 2 - low / 2) / length : 0
  }

  /// The colour of a value: of a rule, or on the scale of the column.
  func look(of value: Value, in row: [Value]) -> (role: Style.Role?, tint: Tint?) {
    guard let colors else { return (nil, nil) }
    if let hue = colors.hue(of: value, in: row) { return (hue.role, nil) }
    guard let gradient = colors.gradient, isNumeric, let number = Self.number(value) else {
      return (nil, nil)
    }
    let share = share(number)
    return (nil, Tint(.heat, share: gradient == .up ? share : 1 - share))
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
    case .text: LongDecimal(value)?.number
    case .null, .blob, .date: nil
    }
  }

  /// Digits that name something are not a quantity.
  static func isName(_ column: String, keys: Set<String>) -> Bool {
    let lower = column.lowercased()
    return keys.contains(lower) || names.contains(lower) || lower.hasSuffix("_id")
      || column.hasSuffix("Id") || column.hasSuffix("ID") || lower.hasSuffix("_year")
      || column.hasSuffix("Year") || lower.hasSuffix("_no") || column.hasSuffix("No")
      || lower.hasSuffix("_key") || lower.hasSuffix("_code")
  }

  /// Columns of these names hold numbers that identify something.
  private static let names: Set<String> = [
    "id", "rowid", "oid", "_rowid_", "key", "code", "year", "user", "pid", "ppid", "uid", "gid",
    "port", "zip", "plz", "postcode", "zipcode", "postalcode", "isbn", "ean",
  ]

  /// The width of its widest value in cells, also among those in view, which may be later rows.
  func width(withThoseInView values: some Sequence<Value>) -> Int {
    values.reduce(width) { max($0, estimatedWidth(of: $1)) }
  }

  /// The width of `value` in cells, without building its text.
  private func estimatedWidth(of value: Value) -> Int {
    // The longest text that an age will have as time goes by.
    if format?.isRelative == true, MomentForm.seconds(value) != nil { return 10 }
    if let format, format.bar == .relative, !format.hasText { return 1 }
    if isDay, value != .null { return 10 }
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
