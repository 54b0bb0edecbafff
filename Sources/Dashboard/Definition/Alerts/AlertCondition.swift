package import ObservationEngine

/// A condition over the rows of a result, as `-- alert:` states it.
///
///     rate > 0.05                          some row has a rate above 5 %
///     all state = 'done' and rows >= 3     every row is done, and there are at least three
///
/// Its meaning:
/// - Values compare as ``Comparison`` says: numbers as numbers, texts by their bytes. A name is
///   looked up as SQLite does, without regard to case.
/// - A comparison with NULL is never true. Values of different kinds are neither equal nor ordered,
///   so only `<>` is true of them.
/// - `rows` is the number of rows, unless the result has a column of that name. A condition without
///   a column is evaluated once, even for a result without rows.
package struct AlertCondition: Sendable, Equatable {
  /// How many rows must satisfy the condition.
  package enum Quantifier: String, Sendable {
    case any
    case all
  }

  /// A column that the condition names.
  package struct Column: Sendable, Equatable {
    package let name: String
    /// Its offset in the text of the rule, in UTF-8 bytes.
    package let offset: Int
    /// Whether the name was quoted, and so can only be a column.
    package let isQuoted: Bool
  }

  enum Operand: Sendable, Equatable {
    case column(Column)
    case literal(Value)
  }

  indirect enum Node: Sendable, Equatable {
    case compare(Operand, Comparison, Operand)
    case isNull(Operand)
    case not(Node)
    case and(Node, Node)
    case or(Node, Node)
  }

  /// The outcome of a condition for one result.
  package struct Verdict: Sendable, Equatable {
    package var isTrue: Bool
    /// The index of the first row that satisfies the condition.
    package var row: Int?
    /// How many rows do.
    package var matching: Int

    package init(isTrue: Bool, row: Int? = nil, matching: Int = 0) {
      self.isTrue = isTrue
      self.row = row
      self.matching = matching
    }
  }

  package let quantifier: Quantifier
  let node: Node
  /// The text as written, without surrounding blanks.
  package let text: String

  /// The columns that the condition names, in the order of the text; `rows` is among them only when
  /// quoted.
  package var columns: [Column] {
    Self.columns(of: node).filter { $0.isQuoted || !Self.isRowCount($0) }
  }

  /// Evaluates the condition for a result.
  ///
  /// - Returns: nil when the result lacks a column that it names.
  /// - Complexity: O(rows · comparisons).
  package func verdict(on result: RowSet) -> Verdict? {
    var places: [String: Int] = [:]
    for column in Self.columns(of: node) {
      if let place = RowKey.index(ofColumn: column.name, in: result.columns) {
        places[column.name] = place
      } else if column.isQuoted || !Self.isRowCount(column) {
        return nil
      }
    }
    let judge = Judge(places: places, rowCount: Int64(result.rows.count))
    guard !places.isEmpty else {
      let isTrue = judge.isTrue(node, [])
      return Verdict(
        isTrue: isTrue, row: isTrue && !result.rows.isEmpty ? 0 : nil,
        matching: isTrue ? result.rows.count : 0)
    }
    let matching = result.rows.indices.filter { judge.isTrue(node, result.rows[$0]) }
    let isTrue =
      switch quantifier {
      case .any: !matching.isEmpty
      case .all: matching.count == result.rows.count
      }
    return Verdict(isTrue: isTrue, row: matching.first, matching: matching.count)
  }

  static func isRowCount(_ column: Column) -> Bool {
    !column.isQuoted && column.name.lowercased() == "rows"
  }

  private static func columns(of node: Node) -> [Column] {
    func named(_ operand: Operand) -> [Column] {
      if case .column(let column) = operand { [column] } else { [] }
    }
    return switch node {
    case .compare(let left, _, let right): named(left) + named(right)
    case .isNull(let operand): named(operand)
    case .not(let inner): columns(of: inner)
    case .and(let left, let right), .or(let left, let right): columns(of: left) + columns(of: right)
    }
  }
}

/// Evaluates a condition for one row after another.
private struct Judge {
  let places: [String: Int]
  let rowCount: Int64

  func isTrue(_ node: AlertCondition.Node, _ row: [Value]) -> Bool {
    switch node {
    case .compare(let left, let comparison, let right):
      comparison.holds(between: value(left, row), and: value(right, row))
    case .isNull(let operand): value(operand, row) == .null
    case .not(let inner): !isTrue(inner, row)
    case .and(let left, let right): isTrue(left, row) && isTrue(right, row)
    case .or(let left, let right): isTrue(left, row) || isTrue(right, row)
    }
  }

  private func value(_ operand: AlertCondition.Operand, _ row: [Value]) -> Value {
    switch operand {
    case .literal(let value): value
    case .column(let column): places[column.name].map { row[$0] } ?? .integer(rowCount)
    }
  }
}
