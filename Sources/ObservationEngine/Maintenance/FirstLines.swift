/// The rows of a SELECT in FROM with ORDER BY and LIMIT: those of a table for the SELECT around it.
struct FirstLines: Sendable {
  /// By what identifies their lines: what these return, and their keys.
  private var shown: [[Value]: (id: Int64, values: [Value])] = [:]
  private var lastID: Int64 = 0

  /// All of them, and what tells them apart.
  ///
  /// - Complexity: O(rows).
  var rows: [DeltaTable.Row] {
    shown.values.map { DeltaTable.Row(weight: 1, rowid: $0.id, values: $0.values) }
  }

  /// Their approximate size in memory.
  var byteCount: Int {
    shown.values.reduce(0) { $0 + $1.values.reduce(200) { $0 + $1.byteCount } }
  }

  /// Takes other lines as the rows. One that stays has the same row.
  ///
  /// - Returns: What changed.
  /// - Complexity: O(lines).
  mutating func follow(_ lines: ArraySlice<SortedLines.Line>) -> [QueryState.Change] {
    var changes: [QueryState.Change] = []
    let former = shown
    shown = [:]
    for line in lines {
      let known = former[line.identity]
      if known == nil { lastID += 1 }
      let id = known?.id ?? lastID
      let values = line.outputs + line.keys
      shown[line.identity] = (id, values)
      if known?.values != values { changes.append((id, known?.values, values)) }
    }
    for (identity, row) in former where shown[identity] == nil {
      changes.append((row.id, row.values, nil))
    }
    return changes
  }
}
