import ObservationEngine

/// The growth of a number, with its sign.
enum DeltaText {
  /// - Parameter column: The column of the number; the difference has the same format.
  static func text(_ delta: ResultDiff.Delta, column: ColumnSummary? = nil) -> String {
    if let column, let format = column.format, format != .shareBar, format != .plain {
      let number =
        switch delta {
        case .integer(let number): Double(number)
        case .real(let number): number
        }
      if let text = FormattedText.text(number, format, column: column) {
        return number > 0 ? "+" + text : text
      }
    }
    switch delta {
    case .integer(let number): return NumberText.signed(number)
    case .real(let number):
      let decimals = NumberText.decimals(of: number)
      return (number > 0 ? "+" : "") + NumberText.real(number, decimals: decimals)
    }
  }

  /// The growth in at most `width` cells: shortened if necessary, but never cut.
  static func text(_ delta: ResultDiff.Delta, column: ColumnSummary? = nil, width: Int) -> String {
    let full = text(delta, column: column)
    let number =
      switch delta {
      case .integer(let number): Double(number)
      case .real(let number): number
      }
    let sign = number > 0 ? "+" : ""
    let format = column?.format
    var choices = [full]
    if format?.durationUnit != nil {
      // Only the largest unit: +5 min 03 s, +5 min.
      choices.append(full.split(separator: " ").prefix(2).joined(separator: " "))
    } else if format == .percent || format == .percentBar {
      choices.append(sign + NumberText.compact(number * 100) + "%")
    } else if format != .bytes {
      choices.append(sign + NumberText.compact(number))
    }
    choices += choices.map { $0.filter { $0 != " " } }
    return choices.first { DisplayText.width($0) <= width } ?? sign + NumberText.magnitude(number)
  }

  static func isRising(_ delta: ResultDiff.Delta) -> Bool {
    switch delta {
    case .integer(let number): number > 0
    case .real(let number): number > 0
    }
  }
}
