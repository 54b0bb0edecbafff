/// How the values of one column are written: the words of `-- format:` after a column.
package enum ColumnFormat: String, Sendable, CaseIterable {
  /// As SQLite shows it, without grouping or rounding.
  case plain
  /// `98 410`.
  case thousands
  /// `98.4 k`, `1.2 M`.
  case compact
  /// Of a number of bytes: `184 KB`.
  case bytes
  /// Of seconds: `3.1 ms`, `12 s`, `1 h 04 min`.
  case duration
  /// Of milliseconds.
  case durationMilliseconds = "duration-ms"
  /// Of microseconds.
  case durationMicroseconds = "duration-us"
  /// Of a time in any of SQLite's forms: `2 min ago`.
  case relative
  /// Of a time in any of SQLite's forms: `2026-11-20 12:04:31`.
  case time
  /// Of a fraction: `6.2 %`.
  case percent
  /// A fraction as a bar, with its percentage.
  case percentBar = "percent-bar"
  /// A bar, relative to the greatest value of the column.
  case bar
  /// A bar with the value's share of the column's sum.
  case shareBar = "share-bar"
  /// Hidden until the user shows it.
  case hidden

  /// Whether it turns numbers into times.
  var isTime: Bool { self == .relative || self == .time }
  /// Whether the cell has a bar.
  var isBar: Bool { self == .percentBar || self == .bar || self == .shareBar }
  /// Whether the drawing of one value depends on all values of the column.
  var isMeasuredByAll: Bool { self == .bar || self == .shareBar }
  /// Nanoseconds in one unit of a column of durations.
  var durationUnit: Double? {
    switch self {
    case .duration: 1e9
    case .durationMilliseconds: 1e6
    case .durationMicroseconds: 1e3
    default: nil
    }
  }
}

/// One part of `-- format:`: a column, and how it is written.
package struct ColumnFormatting: Sendable, Equatable {
  package var column: String
  package var format: ColumnFormat

  package init(column: String, format: ColumnFormat) {
    self.column = column
    self.format = format
  }
}
