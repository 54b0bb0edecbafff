import ObservationEngine

/// What all panels showed after each refresh that changed one: the frames to step back to.
///
/// A frame is one snapshot of the database, as the refresh was. Results that did not change are shared
/// by the frames that show them.
///
/// ## Limits
/// - At most ``frameLimit`` frames, and results of ``byteLimit`` bytes: the oldest are forgotten.
struct Timeline: Sendable {
  /// One moment of all panels.
  struct Frame: Sendable {
    let panels: [PanelState]
    /// The newest commit that the panels reflect.
    let ordinal: Int
    /// When it arrived.
    let moment: Moment
    /// What it holds that the frame before does not, estimated, by panel.
    let bytesByPanel: [Int: Int]
    /// The same in all.
    let bytes: Int

    init(panels: [PanelState], ordinal: Int, moment: Moment, bytesByPanel: [Int: Int]) {
      self.panels = panels
      self.ordinal = ordinal
      self.moment = moment
      self.bytesByPanel = bytesByPanel
      bytes = bytesByPanel.values.reduce(MemoryLayout<PanelState>.stride * panels.count, +)
    }
  }

  static let frameLimit = 1_000

  /// Bytes of results that are kept at most, but for the newest frame.
  var byteLimit = 32 << 20

  /// Oldest first. The first ``forgotten`` of them are to be removed.
  private var stored: [Frame] = []
  private var forgotten = 0
  /// How many frames were ever forgotten: the number of the oldest one that is kept.
  private var firstNumber = 0
  private(set) var bytes = 0
  /// The newest state of the panels, while ``DashboardState/panels`` are those of an older frame.
  var live: [PanelState] = []
  /// The number of the frame that is shown; nil for the newest state.
  private(set) var shown: Int?

  /// How many frames are kept.
  var count: Int { stored.count - forgotten }
  /// How many frames are newer than the one shown.
  var newerCount: Int { shown.map { max(0, firstNumber + count - 1 - $0) } ?? 0 }
  /// The number of the frame shown among those kept, from 1 on; 0 when it was forgotten meanwhile.
  var place: Int { shown.map { max(0, $0 - firstNumber + 1) } ?? count }
  /// The frame that is shown instead of the newest state, unless it was forgotten meanwhile.
  var shownFrame: Frame? { shown.flatMap { self[number: $0] } }

  /// A kept frame by its place, the oldest being 0.
  subscript(place: Int) -> Frame { stored[forgotten + place] }

  private subscript(number number: Int) -> Frame? {
    let place = number - firstNumber
    return (0..<count).contains(place) ? self[place] : nil
  }

  /// Keeps a frame, and forgets what is too much.
  mutating func append(_ frame: Frame) {
    stored.append(frame)
    bytes += frame.bytes
    while count > 1, count > Self.frameLimit || bytes > byteLimit {
      bytes -= stored[forgotten].bytes
      forgotten += 1
      firstNumber += 1
    }
    // In batches: an array moves all that follows. What a frame holds goes with the batch.
    if forgotten > 64 || bytes > byteLimit / 2, forgotten > 0 {
      stored.removeFirst(forgotten)
      forgotten = 0
    }
  }

  /// Has the newest frame show what is at hand now of the same state.
  ///
  /// - Parameter changed: What the panels take that have other rows, by number.
  mutating func updateNewest(_ panels: [PanelState], changed: [Int: Int]) {
    guard let last = stored.popLast() else { return }
    let frame = Frame(
      panels: panels, ordinal: last.ordinal, moment: last.moment,
      bytesByPanel: last.bytesByPanel.merging(changed) { $1 })
    bytes += frame.bytes - last.bytes
    stored.append(frame)
  }

  /// Shows a kept frame, `step` frames on from the one shown; from the newest state, the newest frame
  /// counts as shown.
  ///
  /// - Returns: The frame; nil when there is none in that direction.
  mutating func move(by step: Int) -> Frame? {
    let last = firstNumber + count - 1
    let target = (shown ?? last) + step
    guard let frame = self[number: max(target, firstNumber)], target <= last else { return nil }
    shown = max(target, firstNumber)
    return frame
  }

  /// Goes back to the newest state.
  mutating func showNewest() {
    shown = nil
    live = []
  }

  /// Takes that the panels are others from now on: in each frame those go on that there still are, as they
  /// were then.
  ///
  /// - Parameter former: For each new panel the number that it had; nil when it is new, and was not shown.
  /// - Complexity: O(frames · panels).
  mutating func replacePanels(with definitions: [PanelDefinition], former: [Int?]) {
    bytes = 0
    for index in stored.indices {
      let frame = stored[index]
      var kept: [Int: Int] = [:]
      let panels = zip(definitions, former).enumerated().map { number, panel in
        guard let old = panel.1, frame.panels.indices.contains(old) else {
          return PanelState(definition: panel.0)
        }
        kept[number] = frame.bytesByPanel[old]
        return frame.panels[old]
      }
      stored[index] = Frame(
        panels: panels, ordinal: frame.ordinal, moment: frame.moment, bytesByPanel: kept)
      if index >= forgotten { bytes += stored[index].bytes }
    }
  }

  /// The first kept frame that reflects a commit, and the one before it.
  ///
  /// - Complexity: O(log n).
  func frames(around ordinal: Int) -> (before: Frame, after: Frame)? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].ordinal < ordinal { low = middle + 1 } else { high = middle }
    }
    guard low > 0, low < count else { return nil }
    return (self[low - 1], self[low])
  }
}

extension RowSet {
  /// About how much memory the result takes.
  ///
  /// - Complexity: O(rows · columns).
  var estimatedBytes: Int { rows.reduce(0) { $0 + Self.estimatedBytes(of: $1) } }

  /// About how much memory a row takes.
  static func estimatedBytes(of row: [Value]) -> Int {
    // An array's head and its place in another array, and the values in place.
    row.reduce(40) { sum, value in
      let outside =
        switch value {
        // Up to 15 bytes stand in the value itself.
        case .text(let text): text.utf8.count > 15 ? text.utf8.count + 32 : 0
        case .blob(let bytes): bytes.count + 32
        case .null, .integer, .real, .date: 0
        }
      return sum + MemoryLayout<Value>.stride + outside
    }
  }
}
