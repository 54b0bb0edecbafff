import ObservationEngine

/// Values in the formats of `-- format:`.
enum FormattedText {
  /// Returns the value in this format, or nil when the format doesn't apply to it: it is then
  /// written as usual, so that nothing is hidden.
  static func text(
    _ value: Value, _ format: ColumnFormat, column: ColumnSummary, now: Timestamp?
  ) -> String? {
    if format.isTime {
      guard let seconds = MomentForm.seconds(value) else { return nil }
      guard format == .relative, let now else { return QuantityText.dateAndTime(seconds) }
      return QuantityText.relative(Double(now.microseconds) / 1e6 - seconds)
    }
    switch (format, value) {
    case (.plain, .integer(let number)): return String(number)
    case (.plain, .real(let number)): return number.sqliteText
    case (.thousands, .integer(let number)): return NumberText.grouped(number)
    default: break
    }
    guard let number = ColumnSummary.number(value) else { return nil }
    return text(number, format, column: column)
  }

  /// Returns a number in the format of its column, or nil when the format isn't one for numbers.
  static func text(_ number: Double, _ format: ColumnFormat, column: ColumnSummary) -> String? {
    guard number.isFinite else { return nil }
    switch format {
    case .thousands: return NumberText.real(number, decimals: column.decimals)
    case .compact: return NumberText.compact(number)
    case .bytes: return QuantityText.bytes(number)
    case .duration, .durationMilliseconds, .durationMicroseconds:
      let nanoseconds = number * (format.durationUnit ?? 1)
      return nanoseconds.isFinite ? QuantityText.span(nanoseconds: nanoseconds) : nil
    case .percent, .percentBar: return percentage(number)
    case .shareBar:
      guard column.total > 0, column.total.isFinite else { return nil }
      return percentage(max(0, number) / column.total, decimals: 0)
    case .plain, .relative, .time, .bar, .hidden: return nil
    }
  }

  /// `6.2 %` for 0.062: whole percents from a hundred up, hundredths below one.
  private static func percentage(_ fraction: Double, decimals: Int? = nil) -> String {
    let percent = fraction * 100
    let limit = decimals ?? (percent.magnitude >= 99.95 ? 0 : percent.magnitude >= 0.995 ? 1 : 2)
    let power: Double = limit == 2 ? 100 : limit == 1 ? 10 : 1
    // A number that rounds to zero is zero, not a power of ten.
    guard percent.magnitude < 1e15 else { return NumberText.real(percent, decimals: 0) + " %" }
    let rounded = (percent * power).rounded() / power
    let needed = rounded == rounded.rounded() ? 0 : limit
    return NumberText.real(rounded == 0 ? 0 : rounded, decimals: needed) + " %"
  }
}
