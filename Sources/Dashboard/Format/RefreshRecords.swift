package import ObservationEngine

/// The records of ``StreamFormat`` for one refresh after another.
package struct RefreshRecords: Sendable {
  private let panels: [PanelDefinition]
  private let format: StreamFormat
  /// The rows that the records so far produce, by panel.
  private var written: [Int: RowSet] = [:]
  /// The errors of the panels whose queries fail.
  private var errors: [Int: String] = [:]
  /// Of the panels that have no rows, or none of the newest state.
  private var troubles: [Int: Trouble] = [:]
  private var lastTime: Timestamp
  /// The panels without a record in this run.
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
    for (index, trouble) in troubles.sorted(by: { $0.key < $1.key }) {
      text += format.line(of: trouble.reason, panel: panels[index], batch: batch)
    }
    return text
  }

  /// Why a panel has no rows, or none of the newest state.
  package enum Trouble: Sendable, Equatable {
    case failing(String)
    case stale(String)

    package var reason: String {
      switch self {
      case .failing(let reason), .stale(let reason): reason
      }
    }

    /// For standard error.
    package var text: String {
      switch self {
      case .failing(let reason): reason
      case .stale(let reason): "stale: \(reason)"
      }
    }
  }

  /// A panel whose rows are out of date from now on, or are up to date again.
  package struct Turn: Sendable, Equatable {
    package let panel: String
    /// Why they are out of date; `nil` when that is over.
    package let trouble: Trouble?
    /// Its record.
    package let line: String
  }

  /// Notes which panels have no rows, or none of the newest state.
  ///
  /// - Returns: Those for which that is another answer than before.
  /// - Complexity: O(panels).
  package mutating func turns(_ refresh: Refresh) -> [Turn] {
    return panels.enumerated().compactMap { index, panel in
      switch refresh.results[index] {
      case .success: errors[index] = nil
      case .failure(let error): errors[index] = error.message
      case nil: break
      }
      let stale = refresh.stale[index].flatMap { $0.isSlowness ? nil : Trouble.stale($0.reason) }
      let trouble = stale ?? errors[index].map { .failing($0) }
      guard trouble != troubles[index] else { return nil }
      troubles[index] = trouble
      let batch = StreamFormat.Batch(
        ordinal: ordinal, time: lastTime,
        // What begins a panel is its current state, also where that is an error.
        source: unopened.contains(index) ? .open : .commit(.external))
      return Turn(
        panel: panel.name, trouble: trouble,
        line: format.line(of: trouble?.reason, panel: panel, batch: batch))
    }
  }

  /// Writes the records of one refresh.
  ///
  /// - Parameter time: The current time, which is that of a refresh without a commit.
  /// - Returns: Whether any of them is a change.
  /// - Complexity: O(rows · columns) of the new results.
  package mutating func write(
    _ refresh: Refresh, at time: Timestamp, to output: (String) -> Void
  ) -> Bool {
    let change = batch(refresh, at: time)
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

  private mutating func batch(_ refresh: Refresh, at time: Timestamp) -> StreamFormat.Batch {
    lastTime = time
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
      tables: tables,
      evidence: evidence ?? Commit.Evidence.none)
  }
}
