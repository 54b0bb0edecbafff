import ObservationEngine

@testable import Dashboard

/// States and moments for tests: an arena with players, as in the sample database.
enum Sample {
  /// 2026-11-20T12:04:31.204Z, and some seconds later.
  static func moment(_ seconds: Double = 0) -> Moment {
    Moment(
      monotonic: UInt64(1_000_000_000_000 + Int64(seconds * 1e9)),
      civil: Timestamp(microseconds: 1_795_176_271_204_000 + Int64(seconds * 1e6)))
  }

  /// Console, feed and schema are shown: most tests are about one of them.
  static let allPanes = PaneChoices(panes: [.console: true, .feed: true, .schema: true])

  static func state(
    _ panels: [PanelDefinition], layout: [[String]] = [], glyphs: GlyphSet = .unicode,
    console: Bool = true, history: [String] = [], file: String? = nil,
    size: Size = Size(width: 80, height: 24), panes: PaneChoices = allPanes
  ) -> DashboardState {
    var state = DashboardState(
      definition: DashboardDefinition(panels: panels, layout: layout),
      databaseName: "arena.sqlite", dashboardName: file, glyphs: glyphs,
      source: .database(hasConsole: console), history: history, choices: panes, now: moment())
    _ = reduce(&state, .resized(size))
    return state
  }

  static func panel(
    _ name: String, _ view: ViewKind? = nil, key: [String] = [], rank: String? = nil
  ) -> PanelDefinition {
    PanelDefinition(name: name, sql: "", view: view, key: key, rank: rank)
  }

  static func scores(_ scores: KeyValuePairs<String, Int64>) -> RowSet {
    RowSet(
      columns: ["player", "score"], rows: scores.map { [.text($0.key), .integer($0.value)] })
  }

  /// A result with one column of the numbers 1 to `count`.
  static func numbers(_ count: Int) -> RowSet {
    RowSet(columns: ["id"], rows: (0..<count).map { [.integer(Int64($0 + 1))] })
  }

  static func commit(
    _ ordinal: Int, _ origin: Commit.Origin = .external, rows: Commit.RowCounts? = nil,
    kind: Commit.Kind = .data, tables: [String] = ["scores"], at seconds: Double = 0
  ) -> DatabaseEvent {
    .commit(
      Commit(
        ordinal: ordinal, origin: origin, kind: kind, tables: .named(tables), rows: rows,
        time: moment(seconds).civil))
  }
}

extension DashboardState {
  /// Delivers results by panel index.
  mutating func deliver(_ results: [Int: RowSet], ordinal: Int = 1, at seconds: Double = 0) {
    let refresh = Refresh(
      results: results.mapValues { .success($0) }, ordinal: ordinal,
      duration: .milliseconds(4))
    _ = reduce(&self, .refreshed(refresh, at: Sample.moment(seconds)))
  }

  /// Presses keys, written as in a key script; returns the effects.
  @discardableResult
  mutating func press(_ script: String) throws -> [Effect] {
    var effects: [Effect] = []
    for case .key(let key) in try KeyScript.parse(script) {
      if modes.question == .confirmHooks {
        // A yes counts only after the time that reading takes.
        let later = Moment(monotonic: now.monotonic + 1_000_000_000, civil: now.civil)
        _ = reduce(&self, .ticked(later))
      }
      effects += reduce(&self, .key(key))
    }
    return effects
  }

  func screen(at seconds: Double = 0) -> Grid {
    render(self, size: size, moment: Sample.moment(seconds))
  }
}

extension Grid {
  /// Whether each character of two cells has both, and no cell is the second one of anything else.
  var hasWholeGlyphs: Bool {
    (0..<size.height).allSatisfy { y in
      (0..<size.width).allSatisfy { x in
        let isFollowed = x + 1 < size.width && self[x + 1, y].isContinuation
        if self[x, y].isContinuation { return x > 0 && !isFollowed }
        return (DisplayText.width(String(self[x, y].character)) == 2) == isFollowed
      }
    }
  }
}

/// Draws one panel in a frame.
func drawn(
  _ panel: PanelState, width: Int, height: Int, focused: Bool = false, delta: Bool = true,
  glyphs: GlyphSet = .unicode, at seconds: Double = 0
) -> Grid {
  var canvas = Canvas(size: Size(width: width, height: height), glyphs: glyphs)
  let context = PanelContext(
    index: 0, isFocused: focused, showsDelta: delta, moment: Sample.moment(seconds))
  PanelView.draw(
    panel, frame: Rect(x: 0, y: 0, width: width, height: height), context: context, on: &canvas)
  return canvas.grid
}

/// A panel that received these results, a second apart.
func panel(_ definition: PanelDefinition, _ results: RowSet...) -> PanelState {
  var panel = PanelState(definition: definition)
  for (index, result) in results.enumerated() {
    panel.receive(result, ordinal: index + 1, at: Sample.moment(Double(index - results.count + 1)))
  }
  return panel
}

extension Sample {
  /// A result of one value.
  static func value(_ value: Value) -> RowSet { RowSet(columns: ["n"], rows: [[value]]) }
}
