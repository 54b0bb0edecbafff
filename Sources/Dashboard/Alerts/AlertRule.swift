package import ObservationEngine

/// What `-- alert:` says: when a panel alerts, and when it is well again.
///
///     rate > 0.05                     alerts above, well at or below
///     rate > 0.05 until rate < 0.04   once it alerts, stays so until the rate is below 4 %
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
/// Without a word before it the condition is about any row. What ends the alert is then about all of
/// them, and the other way round: with several rows it is over when the last of them is well.
package struct AlertRule: Sendable, Equatable {
  /// What raises the alert.
  package let raise: AlertCondition
  /// What ends it; nil when it ends as soon as ``raise`` is false.
  package let clear: AlertCondition?
  /// As it was written.
  package let text: String

  /// The columns that it names.
  package var columns: [AlertCondition.Column] { raise.columns + (clear?.columns ?? []) }

  /// Reads a rule.
  ///
  /// - Throws: ``AlertSyntaxError`` with its place.
  package init(_ text: String) throws(AlertSyntaxError) {
    var parser = try AlertParser(text)
    (raise, clear) = try parser.rule()
    self.text = text
  }

  /// Whether the panel alerts after a result, when it did or did not before.
  ///
  /// - Returns: nil when the result lacks a column that the rule names: nothing can be said.
  package func isAlerting(_ before: Bool, on result: RowSet) -> Bool? {
    guard before, let clear else { return raise.verdict(on: result)?.isTrue }
    return clear.verdict(on: result).map { !$0.isTrue }
  }

  /// Whether a row by itself keeps the panel alerting, once it does.
  func holds(_ row: [Value], columns: [String]) -> Bool {
    isAlerting(true, on: RowSet(columns: columns, rows: [row])) ?? true
  }

  /// Beyond which number of a column the panel alerts.
  package struct Threshold: Sendable, Equatable {
    package let number: Double
    /// Whether less is worse.
    package let isFalling: Bool
    /// Whether the number itself alerts already.
    package let isIncluded: Bool
  }

  /// What a column is compared with, when the condition is a single comparison of it with a number.
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

  /// The condition for a narrow place: without the column, when the panel has no other and the
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

/// Why a rule cannot be understood.
package struct AlertSyntaxError: Error, Sendable, Equatable {
  /// What is wrong, then the remedy when one is known.
  package let message: String
  /// Where, in UTF-8 bytes of the rule.
  package let offset: Int

  init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }
}

extension AlertCondition.Comparison {
  /// Whether what is less fulfils it.
  fileprivate var isBelow: Bool { self == .less || self == .lessOrEqual }
}
