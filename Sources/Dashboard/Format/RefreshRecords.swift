package import ObservationEngine

/// The records of ``StreamFormat`` for one refresh after another.
package struct RefreshRecords: Sendable {
  private let panels: [PanelDefinition]
  private let format: StreamFormat
  /// The rows that the records so far produce, by panel.
  private var written: [Int: RowSet] = [:]
  private var lastTime: Timestamp

  /// - Parameter time: The current time: when the initial state was read.
  package init(panels: [PanelDefinition], terminal: GlyphSet? = nil, at time: Timestamp) {
    self.panels = panels
    format = StreamFormat(terminal: terminal)
    lastTime = time
  }

  /// Writes the records of one refresh.
  ///
  /// - Returns: Whether any of them is a change.
  /// - Complexity: O(rows · columns) of the new results.
  package mutating func write(_ refresh: Refresh, to output: (String) -> Void) -> Bool {
    let change = batch(refresh)
    // The initial rows of a slow panel come after those of the other panels.
    let opening = StreamFormat.Batch(ordinal: change.ordinal, time: change.time, source: .open)
    var hasChanges = false
    for (index, panel) in panels.enumerated() {
      guard case .success(let rows)? = refresh.results[index] else { continue }
      let isFirst = written[index] == nil
      format.write(
        panel: panel, from: written[index], to: rows, batch: isFirst ? opening : change,
        duration: refresh.recomputed[index] ?? .zero,
        method: refresh.methods[index] ?? .recomputed(reason: nil)
      ) {
        hasChanges = hasChanges || !isFirst
        output($0)
      }
      written[index] = rows
    }
    return hasChanges
  }

  private mutating func batch(_ refresh: Refresh) -> StreamFormat.Batch {
    var tables: Commit.Tables?
    var origin = Commit.Origin.external
    var evidence: Commit.Evidence?
    for case .commit(let commit) in refresh.events {
      lastTime = commit.time
      origin = commit.origin
      evidence = evidence?.union(commit.evidence) ?? commit.evidence
      tables = tables?.union(commit.tables) ?? commit.tables
    }
    return StreamFormat.Batch(
      ordinal: refresh.ordinal, time: lastTime, source: .commit(origin),
      // A slow query ends long after its commit was reported.
      tables: tables ?? .all(reason: "time has passed, or the query is slow"),
      evidence: evidence ?? Commit.Evidence.none)
  }
}
