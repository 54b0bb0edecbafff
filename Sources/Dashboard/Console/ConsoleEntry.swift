package import ObservationEngine

extension ConsoleState {
  /// A past statement or command, and its outcome.
  package struct Entry: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
      case running(since: UInt64)
      /// The first rows of a result, and their total.
      case rows(RowSet, total: Int, Duration)
      /// No rows; with the number of changed ones, for a statement that changes rows.
      case done(changes: Int?, Duration)
      case failed(DatabaseError)
      /// The console's own answer to a command.
      case answered([String])
      /// The statements of a file.
      case script(ScriptProgress)
    }
    package var sql: String
    package var outcome: Outcome
    /// The transaction, begun earlier, in which it ran, as numbered by
    /// ``ConsoleState/Transactions``; nil outside any.
    package var transaction: Int?
    /// The observed commit that it caused.
    package var ordinal: Int?
    /// What a server said besides.
    package var notices: [String] = []
    /// How many rows that commit changed, in all of its statements, if known.
    package var committedRows: Int?

    /// Whether it was a transaction of its own that has ended.
    var isOwnCommit: Bool {
      guard case .done(let changes?, _) = outcome else { return false }
      return changes > 0 && !inTransaction
    }

    /// Whether it ran inside a transaction that had been begun earlier.
    package var inTransaction: Bool { transaction != nil }
  }

  /// The progress of a file's statements.
  package struct ScriptProgress: Sendable, Equatable {
    package var file: String
    /// The total number of statements.
    package var count: Int
    /// How many statements have ended.
    package var done = 0
    /// The line on which the current statement starts, from 1.
    package var line = 1
    /// How many rows were changed so far.
    package var changes = 0
    package var since: UInt64
    /// How long it took; nil while it runs.
    package var duration: Duration?
    /// What stopped it, on ``line``.
    package var error: DatabaseError?

    package init(file: String, count: Int, since: UInt64) {
      self.file = file
      self.count = count
      self.since = since
    }
  }
}

extension ConsoleState.Entry {
  /// The steps of a query layout, if the rows are one.
  var plan: [PlanTree.Line]? {
    guard case .rows(let rows, _, _) = outcome, PlanTree.describes(rows) else { return nil }
    return PlanTree.lines(of: rows)
  }
}

/// The rows of EXPLAIN QUERY PLAN as a tree.
///
///     ├─ SCAN players
///     └─ SEARCH scores USING INDEX by_player (player=?)
enum PlanTree {
  /// A step of a layout, and its depth.
  struct Line: Equatable {
    /// For each level above its own: whether more steps follow there.
    var rails: [Bool]
    var isLast: Bool
    var text: String
  }

  static func describes(_ rows: RowSet) -> Bool {
    rows.columns == ["id", "parent", "notused", "detail"]
  }

  /// The steps, each after the one that it belongs to.
  ///
  /// - Complexity: O(steps).
  static func lines(of rows: RowSet) -> [Line] {
    var children: [Int64: [(id: Int64, text: String)]] = [:]
    for row in rows.rows {
      guard case .integer(let id) = row[0], case .integer(let parent) = row[1],
        case .text(let detail) = row[3], id != parent
      else { continue }
      children[parent, default: []].append((id, detail))
    }
    var lines: [Line] = []
    func add(_ parent: Int64, _ rails: [Bool]) {
      // Removed when visited, so that even a cycle of numbers ends.
      let steps = children.removeValue(forKey: parent) ?? []
      for (index, step) in steps.enumerated() {
        let isLast = index == steps.count - 1
        lines.append(Line(rails: rails, isLast: isLast, text: step.text))
        add(step.id, rails + [!isLast])
      }
    }
    add(0, [])
    return lines
  }
}
