/// How the values of one column are written: the words of `-- format:` after the column.
///
///     revenue money € share-bar      // 1 234.50 €  ████▌       12 %
///     rate percent fixed 2           // 6.20 %
///     speed compact suffix "/s"      // 1.25 M/s
package struct ColumnFormat: Sendable, Equatable {
  /// How a value becomes text.
  package enum Form: String, Sendable, CaseIterable {
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
    /// The date of a time: `2026-11-20`.
    case date
    /// The time of day of a time: `12:04:31`.
    case clock
    /// Of a fraction: `6.2 %`.
    case percent
  }

  /// A bar in the cell.
  package enum Bar: String, Sendable, CaseIterable {
    /// Relative to the greatest value of the column.
    case relative = "bar"
    /// The value's share of the column's sum, with that share as a percentage.
    case share = "share-bar"
    /// A fraction, with its percentage.
    case percent = "percent-bar"
  }

  /// A word that takes a value or that has one meaning of its own.
  package enum Word: String, Sendable, CaseIterable {
    /// Exactly this many decimals.
    case fixed
    /// An amount in this currency.
    case money
    /// A text before the value.
    case prefix
    /// A text after the value.
    case suffix
    /// Hidden until the user shows it.
    case hidden
  }

  package var form: Form?
  package var bar: Bar?
  package var decimals: Int?
  package var currency: String?
  package var prefix = ""
  package var suffix = ""
  package var isHidden = false

  package init(_ form: Form? = nil, bar: Bar? = nil) {
    self.form = form
    self.bar = bar
  }

  /// All words, in the order of the manual.
  package static let words =
    Form.allCases.map(\.rawValue) + Bar.allCases.map(\.rawValue) + Word.allCases.map(\.rawValue)

  /// The maximum number of decimals.
  package static let maximumDecimals = 9

  /// Whether it turns values into times.
  var isTime: Bool {
    switch form {
    case .relative, .time, .date, .clock: true
    default: false
    }
  }
  /// Whether the text changes as time goes by.
  var isRelative: Bool { form == .relative }
  /// Whether the value itself is written, even next to a bar.
  var hasText: Bool { form != nil || decimals != nil || currency != nil || hasAffix }
  /// Whether a text stands before or after the value.
  var hasAffix: Bool { !prefix.isEmpty || !suffix.isEmpty }
  /// Whether values are fractions that are shown as percentages.
  var isFraction: Bool { form == .percent || bar == .percent }
  /// Whether the drawing of one value depends on all values of the column.
  var isMeasuredByAll: Bool { bar == .relative || bar == .share }

  /// Nanoseconds in one unit of a column of durations.
  var durationUnit: Double? {
    switch form {
    case .duration: 1e9
    case .durationMilliseconds: 1e6
    case .durationMicroseconds: 1e3
    default: nil
    }
  }

  /// The words that the user wrote, for a list of columns.
  var summary: String {
    var words = [form?.rawValue].compactMap { $0 }
    if let currency { words.append("money \(currency)") }
    if let decimals { words.append("fixed \(decimals)") }
    if let bar { words.append(bar.rawValue) }
    return words.joined(separator: " ")
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
