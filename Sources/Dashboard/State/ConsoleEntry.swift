package import ObservationEngine

extension ConsoleState {
  /// A statement that was run, or a command, and what came of it.
  package struct Entry: Sendable {
    package enum Outcome: Sendable {
      case running(since: UInt64)
      /// The first rows of a result, and how many there were in all.
      case rows(RowSet, total: Int, Duration)
      /// No rows; how many were changed, when it is a statement that changes any.
      case done(changes: Int?, Duration)
      case failed(DatabaseError)
      /// What the console itself says to a command.
      case answered([String])
      /// The statements of a file.
      case script(ScriptProgress)
    }
    package var sql: String
    package var outcome: Outcome
    /// The transaction that had been begun before and in which it ran, as numbered by
    /// ``ConsoleState/transactionNumber``; nil outside of any.
    package var transaction: Int?
    /// The observed commit that it led to.
    package var ordinal: Int?
    /// How many rows that changed, when it is known: of all its statements.
    package var committedRows: Int?

    /// Whether it was a transaction of its own, and has ended.
    var isOwnCommit: Bool {
      guard case .done(let changes?, _) = outcome else { return false }
      return changes > 0 && !inTransaction
    }

    /// Whether it ran inside a transaction that had been begun before.
    package var inTransaction: Bool { transaction != nil }
  }

  /// How far the statements of a file have come.
  package struct ScriptProgress: Sendable, Equatable {
    package var file: String
    /// Statements in all.
    package var count: Int
    /// Statements that have ended.
    package var done = 0
    /// The line on which the present statement begins, from 1.
    package var line = 1
    /// Rows that were changed so far.
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
  /// The steps of a query plan, when that is what the rows are.
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
  /// A step of a plan, and how deep it stands.
  struct Line: Equatable {
    /// For each level above its own: whether more follows there.
    var rails: [Bool]
    var isLast: Bool
    var text: String
  }

  static func describes(_ rows: RowSet) -> Bool {
    rows.columns == ["id", "parent", "notused", "detail"]
  }

  /// The steps, each after the one that it is a part of.
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
      // Taken out, so that numbers which form a ring end all the same.
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
