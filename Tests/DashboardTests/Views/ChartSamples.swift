import ObservationEngine

@testable import Dashboard

/// The formats of one word.
extension ColumnFormat {
  static let plain = ColumnFormat(.plain)
  static let thousands = ColumnFormat(.thousands)
  static let compact = ColumnFormat(.compact)
  static let bytes = ColumnFormat(.bytes)
  static let duration = ColumnFormat(.duration)
  static let durationMilliseconds = ColumnFormat(.durationMilliseconds)
  static let durationMicroseconds = ColumnFormat(.durationMicroseconds)
  static let relative = ColumnFormat(.relative)
  static let time = ColumnFormat(.time)
  static let date = ColumnFormat(.date)
  static let clock = ColumnFormat(.clock)
  static let percent = ColumnFormat(.percent)
  static let bar = ColumnFormat(bar: .relative)
  static let shareBar = ColumnFormat(bar: .share)
  static let percentBar = ColumnFormat(bar: .percent)
  static let hidden: ColumnFormat = {
    var format = ColumnFormat()
    format.isHidden = true
    return format
  }()

  /// The format with an amount of decimals, a currency, or texts around the value.
  func with(
    fixed decimals: Int? = nil, money currency: String? = nil, prefix: String = "",
    suffix: String = ""
  ) -> ColumnFormat {
    var format = self
    format.decimals = decimals
    format.currency = currency
    (format.prefix, format.suffix) = (prefix, suffix)
    return format
  }
}

/// Series for tests of charts.
extension Sample {
  /// A result with one column of moments, a minute apart, and some columns of numbers.
  static func minutes(_ columns: KeyValuePairs<String, [Double]>) -> RowSet {
    let count = columns.map(\.value.count).max() ?? 0
    return RowSet(
      columns: ["minute"] + columns.map(\.key),
      rows: (0..<count).map { row in
        let minute = 54 + row
        let time = "2026-11-20 \(CivilTime.two(11 + minute / 60)):\(CivilTime.two(minute % 60))"
        return [.text(time)] + columns.map { .real($0.value[row]) }
      })
  }

  /// A result with one column of numbers.
  static func column(_ values: [Value], name: String = "v") -> RowSet {
    RowSet(columns: [name], rows: values.map { [$0] })
  }

  /// A panel with options as its directive gives them.
  static func panel(
    _ name: String, _ view: ViewKind, _ options: String, key: [String] = [],
    formats: KeyValuePairs<String, ColumnFormat> = [:], spark: String? = nil, rank: String? = nil
  ) -> PanelDefinition {
    var definition = panel(name, view, key: key, rank: rank)
    for option in options.split(separator: " ") {
      let parts = option.split(separator: "=").map(String.init)
      guard let key = ViewOptions.Key(rawValue: parts[0]) else {
        preconditionFailure("no option \(parts[0])")
      }
      let complaint = definition.options.set(key, to: parts[1])
      precondition(complaint == nil, complaint ?? "")
    }
    definition.formats = formats.map { ColumnFormatting(column: $0.key, format: $0.value) }
    definition.spark = spark
    return definition
  }
}
