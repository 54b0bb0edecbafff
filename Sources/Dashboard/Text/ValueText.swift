import ObservationEngine

/// What a value looks like in a cell.
struct ValueText {
  /// Not sanitized yet: whoever draws it does that, and reads no more than it can show.
  var text: String
  var role: Style.Role

  init(_ value: Value, column: ColumnSummary) {
    switch value {
    case .null: self.init("NULL", .placeholder)
    case .integer(let number):
      self.init(column.isGrouped ? NumberText.grouped(number) : String(number), .text)
    case .real(let number):
      self.init(
        NumberText.real(number, decimals: column.decimals, isGrouped: column.isGrouped), .text)
    case .text(let text): self.init(text, .text)
    case .blob(let bytes): self.init("BLOB \(QuantityText.bytes(Int64(bytes.count)))", .placeholder)
    }
  }

  private init(_ text: String, _ role: Style.Role) {
    self.text = text
    self.role = role
  }
}
