import ObservationEngine

/// A chart's data: series over one axis, computed once per result and drawn many times.
struct SeriesSet: Sendable, Equatable {
  /// The horizontal axis.
  enum Axis: Sendable, Equatable {
    /// Seconds since the Unix epoch.
    case time
    case number
    /// The rows in order, labelled by this column; without one, by their numbers.
    case ordinal(label: Int?)
  }

  /// More series than this are indistinguishable.
  static let maximumCount = 6

  private(set) var axis: Axis
  private(set) var series: [Series] = []
  /// The drawn columns, by index: the scale has the format of the first one.
  private(set) var columns: [Int]
  /// The rows in drawing order, for the labels of an ordinal axis: the first one of each place.
  private(set) var rows: [Int] = []
  /// Rows without an x value: their time can't be read, or it isn't a number.
  private(set) var unplaced = 0
  /// Values in number columns that aren't numbers; NULL is a gap.
  private(set) var notNumbers = 0
  /// Why the axis isn't a time axis: how many values aren't times, and of how many.
  private let untimely: ColumnRoles.Untimely?
  /// Numbers that no scale can represent.
  private(set) var infinite = 0
  /// Series that are not drawn because there are too many.
  private(set) var dropped = 0

  /// The smallest and greatest numbers drawn; nil when there are none.
  private(set) var range: ClosedRange<Double>?
  /// The ends of the axis; nil without points.
  private(set) var span: ClosedRange<Double>?

  /// Makes series of some rows of a result.
  ///
  /// The axis is a column of times, or the one that `x=` names, or the first of several columns of
  /// numbers that only grow or only shrink. Each other column of numbers is a series. Instead, one
  /// column of text next to one of numbers can name the series of a row. A column that mixes
  /// numbers and other values is a series if no other column is; its other values are omitted, and
  /// counted.
  ///
  /// - Complexity: O(rows · columns), O(rows · log rows) when they are not in order.
  init(_ result: RowSet, _ summaries: [ColumnSummary], rows: [Int], options: ViewOptions) {
    let roles = ColumnRoles(result, summaries, rows: rows, options: options)
    axis = roles.axis
    columns = roles.values
    untimely = roles.untimely
    var placed: [(row: Int, x: Double)] = []
    placed.reserveCapacity(rows.count)
    var categories: [Value: Int] = [:]
    for (index, row) in rows.enumerated() {
      if let column = roles.categories {
        let place = categories[result.rows[row][column]] ?? categories.count
        if place == categories.count {
          categories[result.rows[row][column]] = place
          self.rows.append(row)
        }
        placed.append((row, Double(place)))
      } else if let x = roles.position(of: result.rows[row], index: index) {
        placed.append((row, x))
      } else {
        unplaced += 1
      }
    }
    // Many queries return the newest first; a line goes from left to right.
    if !zip(placed, placed.dropFirst()).allSatisfy({ $0.x <= $1.x }) {
      placed.sort { $0.x < $1.x }
    }
    if roles.categories == nil { self.rows = placed.map(\.row) }
    if let first = placed.first, let last = placed.last { span = first.x...last.x }
    if let group = roles.group, let value = roles.values.first {
      addGroups(placed, result, group: group, value: value)
    } else {
      for column in roles.values.prefix(Self.maximumCount) {
        let points = placed.map { Series.Point(x: $0.x, y: number(result.rows[$0.row][column])) }
        series.append(Series(name: result.columns[column], points: points))
      }
      dropped = max(0, roles.values.count - Self.maximumCount)
    }
  }

  private mutating func addGroups(
    _ placed: [(row: Int, x: Double)], _ result: RowSet, group: Int, value: Int
  ) {
    var indices: [String: Int] = [:]
    var points: [[Series.Point]] = []
    var names: [String] = []
    for (row, x) in placed {
      let name = ValueText(result.rows[row][group], column: .plain(result.columns[group])).text
      let index = indices[name] ?? names.count
      if index == names.count {
        indices[name] = index
        names.append(name)
        points.append([])
      }
      guard index < Self.maximumCount else { continue }
      points[index].append(Series.Point(x: x, y: number(result.rows[row][value])))
    }
    dropped = max(0, names.count - Self.maximumCount)
    series = zip(names, points).prefix(Self.maximumCount).map { Series(name: $0, points: $1) }
  }

  /// The number to draw; NaN for a value that isn't one.
  private mutating func number(_ value: Value) -> Double {
    guard let number = ColumnSummary.number(value) else {
      if value != .null { notNumbers += 1 }
      return .nan
    }
    guard number.isFinite else {
      infinite += 1
      return .nan
    }
    let low = min(range?.lowerBound ?? number, number)
    range = low...max(range?.upperBound ?? number, number)
    return number
  }

  /// What could not be drawn, in a few words; nil when all was.
  var remark: String? {
    var parts: [String] = []
    if unplaced > 0 {
      let place = axis == .time ? "a readable time" : "a place on the axis"
      parts.append("\(NumberText.grouped(unplaced)) without \(place)")
    }
    if let untimely {
      let count = NumberText.grouped(untimely.count)
      parts.append("rows in order: \(count) of \(NumberText.grouped(untimely.total)) aren't times")
    }
    if notNumbers > 0 {
      let what = notNumbers == 1 ? "not a number" : "not numbers"
      parts.append("\(NumberText.grouped(notNumbers)) \(what)")
    }
    if infinite > 0 { parts.append("\(NumberText.grouped(infinite)) infinite") }
    if dropped > 0 { parts.append("\(NumberText.grouped(dropped)) series more") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
