import ObservationEngine

/// Values in the formats of `-- format:`.
enum FormattedText {
  /// Returns the value in this format, or nil when the format doesn't apply to it: it is then
  /// written as usual, so that nothing is hidden.
  static func text(
    _ value: Value, _ format: ColumnFormat, column: ColumnSummary, now: Timestamp?
  ) -> String? {
    guard value != .null else { return nil }
    if format.isTime {
      guard let seconds = MomentForm.seconds(value) else { return nil }
      return affixed(moment(seconds, format, now: now), format)
    }
    if let whole = wholeNumber(value, format) { return affixed(whole, format) }
    if let number = ColumnSummary.number(value) { return text(number, format, column: column) }
    // A prefix suits a text, too.
    guard case .text(let text) = value, format.hasAffix else { return nil }
    return affixed(text, format)
  }

  /// Returns a number in the format of its column, or nil when the format isn't one for numbers.
  static func text(_ number: Double, _ format: ColumnFormat, column: ColumnSummary) -> String? {
    guard number.isFinite, let text = bare(number, format, column: column) else { return nil }
    return affixed(format.currency.map { money(text, $0) } ?? text, format)
  }

  /// The percentage of a share bar.
  static func share(_ number: Double, column: ColumnSummary) -> String? {
    guard number.isFinite, column.total > 0, column.total.isFinite else { return nil }
    return percentage(max(0, number) / column.total, limit: 0)
  }

  private static func affixed(_ text: String, _ format: ColumnFormat) -> String {
    format.hasAffix ? format.prefix + text + format.suffix : text
  }

  private static func moment(_ seconds: Double, _ format: ColumnFormat, now: Timestamp?) -> String {
    switch format.form {
    case .relative:
      guard let now else { return QuantityText.dateAndTime(seconds) }
      return QuantityText.relative(Double(now.microseconds) / 1e6 - seconds)
    case .date: return QuantityText.date(seconds)
    case .clock: return QuantityText.timeOfDay(seconds)
    default: return QuantityText.dateAndTime(seconds)
    }
  }

  /// An integer that a floating-point number may not represent.
  private static func wholeNumber(_ value: Value, _ format: ColumnFormat) -> String? {
    guard format.currency == nil, format.decimals ?? 0 == 0, format.bar == nil else { return nil }
    switch (format.form, value) {
    case (.plain, .integer(let number)): return String(number)
    case (.plain, .real(let number)) where format.decimals == nil: return number.sqliteText
    case (.thousands, .integer(let number)): return NumberText.grouped(number)
    case (nil, .integer(let number)) where format.decimals == 0: return NumberText.grouped(number)
    default: return nil
    }
  }

  /// A number without what stands around it.
  private static func bare(
    _ number: Double, _ format: ColumnFormat, column: ColumnSummary
  ) -> String? {
    let decimals = format.decimals
    switch format.form {
    case .plain:
      return decimals.map { NumberText.fixed(number, decimals: $0, isGrouped: false) }
        ?? number.sqliteText
    case .thousands:
      return decimals.map { NumberText.fixed(number, decimals: $0) }
        ?? NumberText.real(number, decimals: format.currency == nil ? column.decimals : 2)
    case .compact: return NumberText.compact(number, decimals: decimals)
    case .bytes: return QuantityText.bytes(number)
    case .duration, .durationMilliseconds, .durationMicroseconds:
      let nanoseconds = number * (format.durationUnit ?? 1)
      return nanoseconds.isFinite ? QuantityText.span(nanoseconds: nanoseconds) : nil
    case .percent: return percentage(number, decimals: decimals)
    case .relative, .time, .date, .clock: return nil
    case nil: break
    }
    if let decimals { return NumberText.fixed(number, decimals: decimals) }
    if format.currency != nil { return NumberText.fixed(number, decimals: 2) }
    switch format.bar {
    case .percent: return percentage(number)
    case .share where !format.hasText: return nil
    default:
      guard format.hasAffix else { return nil }
      return NumberText.real(number, decimals: column.decimals, isGrouped: column.isGrouped)
    }
  }

  /// `$5.00`, `-$5.00`, `5.00 €`: the signs that English puts first stand first.
  private static func money(_ text: String, _ currency: String) -> String {
    guard let last = currency.last, leadingSigns.contains(last) else { return text + " " + currency }
    return text.hasPrefix("-") ? "-" + currency + text.dropFirst() : currency + text
  }

  private static let leadingSigns: Set<Character> = ["$", "£", "¥", "₹", "₩", "₦", "₱", "฿", "₪"]

  /// `6.2 %` for 0.062: whole percents from a hundred up, hundredths below one.
  ///
  /// - Parameters:
  ///   - decimals: Exactly this many decimals.
  ///   - limit: At most this many decimals.
  private static func percentage(
    _ fraction: Double, decimals: Int? = nil, limit: Int? = nil
  ) -> String {
    let percent = fraction * 100
    if let decimals { return NumberText.fixed(percent, decimals: decimals) + " %" }
    let limit = limit ?? (percent.magnitude >= 99.95 ? 0 : percent.magnitude >= 0.995 ? 1 : 2)
    let power: Double = limit == 2 ? 100 : limit == 1 ? 10 : 1
    // A number that rounds to zero is zero, not a power of ten.
    guard percent.magnitude < 1e15 else { return NumberText.real(percent, decimals: 0) + " %" }
    let rounded = (percent * power).rounded() / power
    let needed = rounded == rounded.rounded() ? 0 : limit
    return NumberText.real(rounded == 0 ? 0 : rounded, decimals: needed) + " %"
  }
}
