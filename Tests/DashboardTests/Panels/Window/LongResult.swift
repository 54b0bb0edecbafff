import DatabaseConsole
import ObservationEngine

@testable import Dashboard

/// A long result and the observation of it, as the engine has them: rows come with the next refresh, and one
/// that equals the last one is not told.
struct LongResult {
  /// With no more rows than this the result comes whole.
  static let limit = 1_500

  let columns = ["id", "kind", "n"]
  var rows: [[Value]]
  private var window = RowWindow()
  private var last: RowSet?
  /// What was read and not delivered yet.
  private var waiting: (rows: RowSet, ordinal: Int)?
  private var isInvalid = true
  private(set) var ordinal = 0
  /// What a recording has of that which was delivered.
  private(set) var recording: [RecordingFormat.Entry] = []

  init(_ rows: [[Value]]) { self.rows = rows }

  /// Rows 1 to `count`, the newest first.
  init(count: Int) {
    self.init(
      (0..<count).map { place in
        let id = Int64(count - place)
        let kind = ["login", "view", "buy"][Int(id % 3)]
        return [.integer(id), .text(kind), .integer(id * 37 % 101)]
      })
  }

  mutating func perform(_ effects: [Effect]) {
    for case .showRows(_, let request) in effects {
      window = request.window
      isInvalid = true
    }
  }

  mutating func commit(_ change: (inout [[Value]]) -> Void) {
    change(&rows)
    ordinal += 1
    isInvalid = true
  }

  /// Reads what was asked for.
  mutating func fetch() {
    guard isInvalid else { return }
    isInvalid = false
    let rows = read()
    guard rows != last else { return }
    last = rows
    waiting = (rows, ordinal)
  }

  /// Delivers what was read.
  ///
  /// - Returns: Whether there was something.
  mutating func deliver(to state: inout DashboardState, at seconds: Double = 0) -> Bool {
    guard let news = waiting else { return false }
    waiting = nil
    let refresh = Refresh(results: [0: .success(news.rows)], ordinal: news.ordinal)
    perform(reduce(&state, .refreshed(refresh, at: Sample.moment(seconds))))
    recording.append(state.recording(of: refresh))
    return true
  }

  /// Reads and delivers until nothing more is asked for.
  mutating func settle(_ state: inout DashboardState, at seconds: Double = 0) {
    for _ in 0..<20 {
      fetch()
      guard deliver(to: &state, at: seconds) else { return }
    }
  }

  /// Presses keys, and lets what they ask for come.
  mutating func press(
    _ keys: String, _ state: inout DashboardState, at seconds: Double = 0
  ) throws {
    perform(try state.press(keys))
    settle(&state, at: seconds)
  }

  private func read() -> RowSet {
    let all = RowSet(columns: columns, rows: rows)
    guard rows.count > Self.limit else { return all }
    let sort = window.sort.map { RowSort(column: $0.column, isDescending: $0.isDescending) }
    let sorted = RowOrder.rows(of: all, filter: "", sort: sort).map { rows[$0] }
    let passing = window.filter.map { filter in sorted.filter { filter($0) } } ?? sorted
    let first = max(0, min(window.first, passing.count - window.count))
    return RowSet(
      columns: columns, rows: Array(passing[first...].prefix(window.count)),
      part: RowSet.Part(first: first, total: passing.count, all: rows.count, window: window.number))
  }
}

extension DashboardState {
  /// A state whose only panel shows a long result.
  static func showing(
    _ result: inout LongResult, _ view: ViewKind? = .table, rank: String? = nil,
    glyphs: GlyphSet = .unicode
  ) -> DashboardState {
    var state = Sample.state(
      [Sample.panel("t", view, key: ["id"], rank: rank)], glyphs: glyphs, console: false)
    result.settle(&state)
    return state
  }

  /// The values in view of the first panel; nil for a row that is not at hand.
  var inView: [[Value]?] {
    let panel = panels[0]
    return panel.rowsInView(layout.visibleRows(of: 0)).rows.map { row in
      row.flatMap { panel.result?.rows[$0] }
    }
  }

  /// The numbers of the rows in view.
  var idsInView: [Int64?] {
    inView.map { row in
      guard case .integer(let id)? = row?.first else { return nil }
      return id
    }
  }
}
