package import ObservationEngine

/// The records of ``StreamFormat`` for one refresh after another.
package struct RefreshRecords: Sendable {
  private let panels: [PanelDefinition]
  private let format: StreamFormat
  /// The rows that the records so far produce, by panel.
  private var written: [Int: RowSet] = [:]
  private var lastTime: Timestamp
  /// The panels of which this run has written nothing yet.
  private var unopened: Set<Int>
  /// The number of the last change of an earlier run.
  private let base: Int
  /// The number of the last change.
  package private(set) var ordinal: Int

  /// - Parameters:
  ///   - past: The rows that the records of an earlier run produce, by panel.
  ///   - ordinal: The number of its last change; nil when there was no earlier run.
  ///   - time: The current time: when the initial state was read.
  package init(
    panels: [PanelDefinition], terminal: GlyphSet? = nil, past: [String: RowSet] = [:],
    ordinal: Int? = nil, at time: Timestamp
  ) {
    self.panels = panels
    format = StreamFormat(terminal: terminal)
    lastTime = time
    unopened = Set(panels.indices)
    // What changed in between is one change.
    base = ordinal.map { $0 + 1 } ?? 0
    self.ordinal = base
    for (index, panel) in panels.enumerated() { written[index] = past[panel.name] }
  }

  /// The rows that the records so far produce, of the panels that a refresh brought.
  package func results(of refresh: Refresh) -> [String: RowSet] {
    var results: [String: RowSet] = [:]
    for index in refresh.results.keys where panels.indices.contains(index) {
      results[panels[index].name] = written[index]
    }
    return results
  }

  /// The records of all rows, for a reader that begins now.
  ///
  /// - Complexity: O(rows · columns).
  package func state() -> String {
    var text = ""
    let batch = StreamFormat.Batch(ordinal: ordinal, time: lastTime, source: .open)
    for (index, panel) in panels.enumerated() {
      guard let rows = written[index], !unopened.contains(index) else { continue }
      format.write(
        panel: panel, from: nil, to: rows, batch: batch, duration: .zero,
        method: .recomputed(reason: nil)
      ) { text += $0 }
    }
    return text
  }

  /// Writes the records of one refresh.
  ///
  /// - Returns: Whether any of them is a change.
  /// - Complexity: O(rows · columns) of the new results.
  package mutating func write(_ refresh: Refresh, to output: (String) -> Void) -> Bool {
    let change = batch(refresh)
    // The initial rows of a slow panel come after those of the other panels.
    func opening(_ source: StreamFormat.Source) -> StreamFormat.Batch {
      StreamFormat.Batch(
        ordinal: change.ordinal, time: change.time, source: source,
        tables: .all(reason: "what changed while the stream was stopped"))
    }
    var hasChanges = false
    ordinal = change.ordinal
    for (index, panel) in panels.enumerated() {
      guard case .success(let rows)? = refresh.results[index] else { continue }
      let isFirst = written[index] == nil
      let isResumed = unopened.remove(index) != nil && !isFirst
      format.write(
        panel: panel, from: written[index], to: rows,
        batch: isFirst ? opening(.open) : isResumed ? opening(.resume) : change,
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
      ordinal: base + refresh.ordinal, time: lastTime, source: .commit(origin),
      // A slow query ends long after its commit was reported.
      tables: tables ?? .all(reason: "time has passed, or the query is slow"),
      evidence: evidence ?? Commit.Evidence.none)
  }
}
