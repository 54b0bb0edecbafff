import ObservationEngine

/// The growth of a number, with its sign.
enum DeltaText {
  /// - Parameter column: The column of the number; the difference has the same format.
  static func text(_ delta: ResultDiff.Delta, column: ColumnSummary? = nil) -> String {
    if let column, var format = column.format, format.form != .plain {
      // The difference of two values isn't a share of their sum, and has its own sign in front.
      format.bar = format.bar == .percent ? .percent : nil
      format.prefix = ""
      let number = delta.number
      if let text = FormattedText.text(number, format, column: column) {
        return number > 0 ? "+" + text : text
      }
    }
    switch delta {
    case .integer(let number): return NumberText.signed(number)
    case .real(let number):
      // As many decimals as the numbers of the column: +57.50 next to 1 204.25.
      let decimals = max(column?.decimals ?? 0, NumberText.decimals(of: number, limit: 2))
      return (number > 0 ? "+" : "") + NumberText.real(number, decimals: decimals)
    }
  }

  /// The growth in at most `width` cells: shortened if necessary, but never cut.
  static func text(_ delta: ResultDiff.Delta, column: ColumnSummary? = nil, width: Int) -> String {
    let full = text(delta, column: column)
    return DisplayText.width(full) <= width ? full : short(delta, column: column, width: width)
  }

  /// The growth in a short form that has at most `width` cells.
  static func short(_ delta: ResultDiff.Delta, column: ColumnSummary?, width: Int) -> String {
    let full = text(delta, column: column)
    let number = delta.number
    let sign = number > 0 ? "+" : ""
    let format = column?.format
    var choices: [String] = []
    if format?.durationUnit != nil {
      // Only the largest unit: +5 min 03 s, +5 min.
      choices.append(full.split(separator: " ").prefix(2).joined(separator: " "))
    } else if format?.isFraction == true {
      choices.append(sign + NumberText.compact(number * 100) + "%")
    } else if format?.form != .bytes {
      choices.append(sign + NumberText.compact(number))
    }
    choices.append(full)
    choices += choices.map { $0.filter { $0 != " " } }
    return choices.first { DisplayText.width($0) <= width } ?? sign + NumberText.magnitude(number)
  }

  static func isRising(_ delta: ResultDiff.Delta) -> Bool { delta.number > 0 }
}

extension ResultDiff.Delta {
  /// The growth, as closely as a floating-point number represents it.
  fileprivate var number: Double {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    }
  }
}
