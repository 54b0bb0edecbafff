import ObservationEngine

/// The appearance of a value in a cell.
struct ValueText {
  /// Not sanitized yet: the drawing code does that, and reads no more than it can show.
  var text: String
  var role: Style.Role

  /// - Parameter now: For columns that show how long ago a time was; without it they show the time
  ///   itself.
  init(_ value: Value, column: ColumnSummary, now: Timestamp? = nil) {
    if let format = column.format,
      let text = FormattedText.text(value, format, column: column, now: now)
    {
      self.init(text, .text)
      return
    }
    switch value {
    case .null: self.init("NULL", .placeholder)
    case .integer(let number):
      self.init(column.isGrouped ? NumberText.grouped(number) : String(number), .text)
    case .real(let number):
      self.init(
        NumberText.real(number, decimals: column.decimals, isGrouped: column.isGrouped), .text)
    case .text(let text) where column.isDay && text.utf8.count > 10:
      // A time of day among many midnights is not hidden.
      let isMidnight = SQLMoment.seconds(text).map { $0.remainder(dividingBy: 86_400) == 0 }
      self.init(isMidnight == true ? String(text.prefix(10)) : text, .text)
    case .text(let text): self.init(text, .text)
    case .date(let date): self.init("\(date)", .text)
    case .blob(let bytes): self.init("BLOB \(QuantityText.bytes(Int64(bytes.count)))", .placeholder)
    }
  }

  private init(_ text: String, _ role: Style.Role) {
    self.text = text
    self.role = role
  }
}
