/// The report as people read it.
enum TextTable {
  static func text(_ rows: [Row]) -> String {
    let nameWidth = rows.map { $0.name.count }.max() ?? 0
    let values = rows.map { number($0.value) }
    let valueWidth = values.map { $0.count }.max() ?? 0
    var text = ""
    for (row, value) in zip(rows, values) {
      text += padded(row.name, to: nameWidth, with: " ") + "  "
      text += String(repeating: " ", count: valueWidth - value.count) + value
      text += " " + padded(row.unit.rawValue, to: 2, with: " ")
      if let target = row.target, let isMet = row.isMet {
        let sign =
          switch target {
          case .atMost: "≤"
          case .atLeast: "≥"
          }
        text += "  \(sign) \(number(target.limit)) " + (isMet ? "met" : "MISSED")
      }
      text += "\n"
    }
    return text
  }

  /// Three significant digits, and never an exponent.
  static func number(_ value: Double) -> String {
    let magnitude = abs(value)
    let decimals = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3
    let power = [1.0, 10, 100, 1000][decimals]
    let scaled = Int64((magnitude * power).rounded())
    let digits = String(scaled)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return sign + digits }
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
  }

  private static func padded(_ text: String, to width: Int, with filler: String) -> String {
    text + String(repeating: filler, count: max(0, width - text.count))
  }
}
