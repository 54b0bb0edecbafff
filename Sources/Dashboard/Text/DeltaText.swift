import ObservationEngine

/// By how much a number grew, with its sign.
enum DeltaText {
  /// - Parameter column: The column of the number, whose format the difference shares.
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

  static func isRising(_ delta: ResultDiff.Delta) -> Bool {
    switch delta {
    case .integer(let number): number > 0
    case .real(let number): number > 0
    }
  }
}
