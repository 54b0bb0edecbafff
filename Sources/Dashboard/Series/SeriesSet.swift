import ObservationEngine

/// What a chart draws: series over one axis, made of a result once and drawn many times.
struct SeriesSet: Sendable, Equatable {
  /// What runs from left to right.
  enum Axis: Sendable, Equatable {
    /// Seconds since the Unix epoch.
    case time
    case number
    /// The rows in their order, labelled by this column; by their numbers without one.
    case ordinal(label: Int?)
  }

  /// More series than this cannot be told apart.
  static let maximumCount = 6

  private(set) var axis: Axis
  private(set) var series: [Series] = []
  /// The columns that are drawn, by index: the format of the first one is that of the scale.
  private(set) var columns: [Int]
  /// The rows in the order drawn, for the labels of an ordinal axis.
  private(set) var rows: [Int] = []
  /// Rows that have no place on the axis: their moment cannot be read, or is no number.
  private(set) var unplaced = 0
  /// Values among the numbers that are none; NULL is nothing, and a gap.
  private(set) var notNumbers = 0
  /// Why the axis is none of time: so many values that are no moments, and of how many.
  private let untimely: ColumnRoles.Untimely?
  /// Numbers that no scale can hold.
  private(set) var infinite = 0
  /// Series that are not drawn because there are too many.
  private(set) var dropped = 0

  /// The least and greatest numbers drawn; nil when there is none.
  private(set) var range: ClosedRange<Double>?
  /// The ends of the axis; nil without points.
  private(set) var span: ClosedRange<Double>?

  /// Makes series of some rows of a result.
  ///
  /// A column of moments, or the one that `x=` names, or the first of several columns of numbers that
  /// only grow or only shrink, becomes the axis; each other column of numbers a series. One column of
  /// text beside one of numbers tells the series of a row instead. A column that has numbers and other
  /// values is a series where no other column is; what is no number is left out, and counted.
  ///
  /// - Complexity: O(rows · columns), O(rows · log rows) when they are not in order.
  init(_ result: RowSet, _ summaries: [ColumnSummary], rows: [Int], options: ViewOptions) {
    let roles = ColumnRoles(result, summaries, rows: rows, options: options)
    axis = roles.axis
    columns = roles.values
    untimely = roles.untimely
    var placed: [(row: Int, x: Double)] = []
    placed.reserveCapacity(rows.count)
    for (index, row) in rows.enumerated() {
      if let x = roles.position(of: result.rows[row], index: index) {
        placed.append((row, x))
      } else {
        unplaced += 1
      }
    }
    // Newest first is how many queries have them; a line goes from left to right.
    if !zip(placed, placed.dropFirst()).allSatisfy({ $0.x <= $1.x }) {
      placed.sort { $0.x < $1.x }
    }
    self.rows = placed.map(\.row)
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

  /// The number to draw; NaN for what is none.
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
      parts.append("rows in order: \(count) of \(NumberText.grouped(untimely.total)) are no time")
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
