import ObservationEngine

/// When the values of a column have a colour: one part of `-- color:`.
///
///     stock red<10 amber<25       // the first rule that holds
///     stock red<reorder_level row // the whole row
///     load gradient               // from green for the smallest to red for the greatest
///
/// A colour is never the only sign: the value is written, and a row with a red value has a `!`.
package struct ColumnColoring: Sendable, Equatable {
  package enum Hue: String, Sendable, CaseIterable {
    case red
    case amber
    case green
    case blue
    case dim

    var role: Style.Role {
      switch self {
      case .red: .error
      case .amber: .warning
      case .green: .rising
      case .blue: .accent
      case .dim: .muted
      }
    }
  }

  /// What a value is compared with.
  package enum Operand: Sendable, Equatable {
    case number(Double)
    case text(String)
    /// Another column of the row; for `=` and `!=`, a text if there is no such column.
    case column(String)
  }

  package struct Rule: Sendable, Equatable {
    package var hue: Hue
    package var comparison: Comparison
    package var operand: Operand

    package init(_ hue: Hue, _ comparison: Comparison, _ operand: Operand) {
      self.hue = hue
      self.comparison = comparison
      self.operand = operand
    }
  }

  /// Which end of a gradient is red.
  package enum Gradient: String, Sendable, CaseIterable {
    /// Small values are good.
    case up
    /// Great values are good.
    case down
  }

  package var column: String
  package var rules: [Rule] = []
  package var gradient: Gradient?
  /// Whether a rule colours the whole row.
  package var isForRow = false

  package init(column: String, rules: [Rule] = [], gradient: Gradient? = nil) {
    self.column = column
    self.rules = rules
    self.gradient = gradient
  }
}

/// The colours of one result's column, with other columns by their index.
struct ColumnColors: Sendable, Equatable {
  private enum Operand: Equatable {
    case number(Double)
    case text(String)
    case column(Int)
  }

  private struct Rule: Equatable {
    var hue: ColumnColoring.Hue
    var comparison: Comparison
    var operand: Operand
  }

  private let rules: [Rule]
  private(set) var gradient: ColumnColoring.Gradient?
  let isForRow: Bool

  init(_ coloring: ColumnColoring, columns: [String]) {
    gradient = coloring.gradient
    isForRow = coloring.isForRow
    rules = coloring.rules.map { rule in
      let operand: Operand =
        switch rule.operand {
        case .number(let number): .number(number)
        case .text(let text): .text(text)
        case .column(let name):
          RowKey.index(ofColumn: name, in: columns).map(Operand.column) ?? .text(name)
        }
      return Rule(hue: rule.hue, comparison: rule.comparison, operand: operand)
    }
  }

  /// A part of a result has no scale for a gradient.
  mutating func beOfPart() { gradient = nil }

  /// The colour of the first rule that holds; nil for none. NULL has no colour.
  func hue(of value: Value, in row: [Value]) -> ColumnColoring.Hue? {
    guard value != .null else { return nil }
    return rules.first { rule in
      let other: Value =
        switch rule.operand {
        case .number(let number): .real(number)
        case .text(let text): .text(text)
        case .column(let index): index < row.count ? row[index] : .null
        }
      return rule.comparison.holds(between: value, and: other)
    }?.hue
  }
}
