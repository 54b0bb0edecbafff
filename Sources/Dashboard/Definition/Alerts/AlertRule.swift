package import ObservationEngine

/// The rule of `-- alert:`: when a panel alerts, and when the alert ends.
///
///     rate > 0.05                     alerts above, ends at or below
///     rate > 0.05 until rate < 0.04   once it alerts, continues until the rate is below 4 %
///
/// The grammar, with words in any case:
///
///     rule       = rows [ "until" rows ]
///     rows       = [ "any" | "all" ] either
///     either     = both { "or" both }
///     both       = one { "and" one }
///     one        = "not" one | "(" either ")" | value test
///     test       = comparison value | "is" [ "not" ] "null"
///     comparison = "=" | "==" | "<>" | "!=" | "<" | "<=" | ">" | ">="
///     value      = column | "column" | 'text' | number [ "%" ]
///
/// Without a quantifier the condition is about any row. The condition that ends the alert is then
/// about all rows, and vice versa: with several rows it ends when the last of them is fine.
package struct AlertRule: Sendable, Equatable {
  /// What raises the alert.
  package let raise: AlertCondition
  /// What ends it; nil when it ends as soon as ``raise`` is false.
  package let clear: AlertCondition?
  /// The text as written.
  package let text: String

  /// The columns that it names.
  package var columns: [AlertCondition.Column] { raise.columns + (clear?.columns ?? []) }

  /// Reads a rule.
  ///
  /// - Throws: ``AlertSyntaxError`` with its position.
  package init(_ text: String) throws(AlertSyntaxError) {
    var parser = try AlertParser(text)
    (raise, clear) = try parser.rule()
    self.text = text
  }

  /// Whether the panel alerts after a result, given whether it did before.
  ///
  /// - Returns: nil when the result lacks a column that the rule names.
  package func isAlerting(_ before: Bool, on result: RowSet) -> Bool? {
    guard before, let clear else { return raise.verdict(on: result)?.isTrue }
    return clear.verdict(on: result).map { !$0.isTrue }
  }

  /// Whether a row alone keeps the panel alerting, once it does.
  func holds(_ row: [Value], columns: [String]) -> Bool {
    isAlerting(true, on: RowSet(columns: columns, rows: [row])) ?? true
  }

  /// The number of a column beyond which the panel alerts.
  package struct Threshold: Sendable, Equatable {
    package let number: Double
    /// Whether less is worse.
    package let isFalling: Bool
    /// Whether the number itself already alerts.
    package let isIncluded: Bool
  }

  /// The number that a column is compared with, if the condition is a single such comparison.
  package func threshold(ofColumn name: String) -> Threshold? {
    guard case .compare(let left, let comparison, let right) = raise.node else { return nil }
    let column: AlertCondition.Column
    let literal: Value
    let isFalling: Bool
    switch (left, right) {
    case (.column(let named), .literal(let value)):
      (column, literal, isFalling) = (named, value, comparison.isBelow)
    case (.literal(let value), .column(let named)):
      (column, literal, isFalling) = (named, value, !comparison.isBelow)
    default: return nil
    }
    guard comparison != .equal, comparison != .unequal,
      column.name.lowercased() == name.lowercased(),
      let number = ColumnSummary.number(literal), number.isFinite
    else { return nil }
    return Threshold(
      number: number, isFalling: isFalling,
      isIncluded: comparison == .lessOrEqual || comparison == .greaterOrEqual)
  }

  /// The condition for a narrow place: without the column, if the panel has no other and the
  /// condition is a single comparison with it.
  package func shortText(columnCount: Int) -> String {
    guard columnCount == 1,
      case .compare(.column(let column), let comparison, .literal) = raise.node,
      !AlertCondition.isRowCount(column),
      let place = raise.text.utf8.firstIndex(of: comparison.rawValue.utf8.first ?? 0)
    else { return raise.text }
    return String(raise.text[place...])
  }
}

/// Why a rule cannot be parsed.
package struct AlertSyntaxError: Error, Sendable, Equatable {
  /// What is wrong, then the remedy if one is known.
  package let message: String
  /// Where, in UTF-8 bytes of the rule.
  package let offset: Int

  init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }
}

extension Comparison {
  /// Whether smaller numbers satisfy it.
  fileprivate var isBelow: Bool { self == .less || self == .lessOrEqual }
}
