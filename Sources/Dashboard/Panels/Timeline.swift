import ObservationEngine

/// What all panels showed after each refresh that changed one: the frames to step back to.
///
/// A frame is one snapshot of the database, like the refresh. Frames share results that did not
/// change.
///
/// ## Limits
/// - At most ``frameLimit`` frames, and results of ``byteLimit`` bytes: the oldest are dropped.
struct Timeline: Sendable, Equatable {
  /// The state of all panels at one time.
  struct Frame: Sendable, Equatable {
    let panels: [PanelState]
    /// The newest commit that the panels reflect.
    let ordinal: Int
    /// When it arrived.
    let moment: Moment
    /// The estimated memory that it adds to the frame before, by panel.
    let bytesByPanel: [Int: Int]
    /// The total of these.
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

  /// The maximum bytes of stored results, not counting the newest frame.
  var byteLimit = 32 << 20

  /// Oldest first. The first ``forgotten`` of them are to be removed.
  private var stored: [Frame] = []
  private var forgotten = 0
  /// The total of dropped frames: the number of the oldest stored one.
  private var firstNumber = 0
  private(set) var bytes = 0
  /// The newest state of the panels, while ``DashboardState/panels`` are those of an older frame.
  var live: [PanelState] = []
  /// The number of the shown frame; nil for the newest state.
  private(set) var shown: Int?

  /// How many frames are stored.
  var count: Int { stored.count - forgotten }
  /// How many frames are newer than the shown one.
  var newerCount: Int { shown.map { max(0, firstNumber + count - 1 - $0) } ?? 0 }
  /// The position of the shown frame among the stored ones, from 1; 0 when it was dropped
  /// meanwhile.
  var place: Int { shown.map { max(0, $0 - firstNumber + 1) } ?? count }
  /// The frame that is shown instead of the newest state, unless it was dropped meanwhile.
  var shownFrame: Frame? { shown.flatMap { self[number: $0] } }

  /// A stored frame by its position; the oldest has 0.
  subscript(place: Int) -> Frame { stored[forgotten + place] }

  private subscript(number number: Int) -> Frame? {
    let place = number - firstNumber
    return (0..<count).contains(place) ? self[place] : nil
  }

  /// Stores what the panels show after a refresh as a frame, with its results as the new part.
  ///
  /// - Parameter hasChanges: Whether anything changed. Otherwise other rows of the same state have
  ///   arrived, which the newest frame shows from now on.
  mutating func keep(
    _ panels: [PanelState], after refresh: Refresh, hasChanges: Bool, at moment: Moment
  ) {
    let isFirst = count == 0
    let results = refresh.results.keys.filter { panels.indices.contains($0) }
    guard isFirst || !results.isEmpty else { return }
    let bytes = Dictionary(uniqueKeysWithValues: results.map { ($0, panels[$0].estimatedBytes) })
    let kept = panels.map { $0.withoutDerived() }
    guard isFirst || hasChanges else { return updateNewest(kept, changed: bytes) }
    append(Frame(panels: kept, ordinal: refresh.ordinal, moment: moment, bytesByPanel: bytes))
  }

  /// Stores a frame, and drops the oldest ones beyond the limits.
  mutating func append(_ frame: Frame) {
    stored.append(frame)
    bytes += frame.bytes
    while count > 1, count > Self.frameLimit || bytes > byteLimit {
      bytes -= stored[forgotten].bytes
      forgotten += 1
      firstNumber += 1
    }
    // In batches, because removing from an array moves all later frames. Their content is freed
    // with the batch.
    if forgotten > 64 || bytes > byteLimit / 2, forgotten > 0 {
      stored.removeFirst(forgotten)
      forgotten = 0
    }
  }

  /// Updates the newest frame to the rows of the same state that are loaded now.
  ///
  /// - Parameter changed: The memory of the panels with other rows, by number.
  mutating func updateNewest(_ panels: [PanelState], changed: [Int: Int]) {
    guard let last = stored.popLast() else { return }
    let frame = Frame(
      panels: panels, ordinal: last.ordinal, moment: last.moment,
      bytesByPanel: last.bytesByPanel.merging(changed) { $1 })
    bytes += frame.bytes - last.bytes
    stored.append(frame)
  }

  /// Shows a stored frame, `step` frames from the shown one; from the newest state, the newest
  /// frame counts as shown.
  ///
  /// - Returns: The frame; nil when there is none in that direction.
  mutating func move(by step: Int) -> Frame? {
    let last = firstNumber + count - 1
    let target = (shown ?? last) + step
    guard let frame = self[number: max(target, firstNumber)], target <= last else { return nil }
    shown = max(target, firstNumber)
    return frame
  }

  /// Shows the frame at a position, from 1.
  ///
  /// - Returns: nil when there is none.
  mutating func show(place: Int) -> Frame? {
    guard (1...max(1, count)).contains(place), count > 0 else { return nil }
    shown = firstNumber + place - 1
    return shownFrame
  }

  /// The position of the frame with the state after a commit, from 1: the first one that shows it,
  /// or, when it changed no panel, the one before it. Nil when that isn't kept.
  ///
  /// - Complexity: O(log n).
  func place(after ordinal: Int, changesPanels: Bool) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].ordinal < ordinal { low = middle + 1 } else { high = middle }
    }
    let isExact = low < count && self[low].ordinal == ordinal
    if changesPanels || isExact { return low < count && (low > 0 || isExact) ? low + 1 : nil }
    return low > 0 ? low : nil
  }

  /// Returns to the newest state.
  mutating func showNewest() {
    shown = nil
    live = []
  }

  /// Applies a replacement of the panels: in each frame the remaining ones stay as they were then.
  ///
  /// - Parameter former: For each new panel its former number; nil for a new one, which was not
  ///   shown.
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

  /// Which frame is shown, and how to move on; nil for the newest state.
  ///
  /// - Parameter keys: What is pressed to move.
  func text(utcOffsetSeconds: Int, keys: String, _ symbols: Symbols) -> String? {
    guard shown != nil else { return nil }
    let kept =
      "\(QuantityText.count(count, "frame")) kept, \(QuantityText.bytes(Int64(bytes))) of "
      + QuantityText.bytes(Int64(byteLimit))
    var parts = [place == 0 ? "a forgotten frame" : "frame \(place) of \(count)"]
    if let frame = shownFrame {
      let clock = QuantityText.clock(
        frame.moment.civil, utcOffsetSeconds: utcOffsetSeconds, milliseconds: false)
      parts.append("tx \(frame.ordinal) at \(clock)")
    }
    parts.append("\(newerCount) newer")
    parts.append(keys)
    parts.append(kept)
    return parts.joined(separator: symbols.dot)
  }

  /// The first stored frame that reflects a commit, and the one before it.
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
  /// The approximate memory of the result.
  ///
  /// - Complexity: O(rows · columns).
  var estimatedBytes: Int { rows.reduce(0) { $0 + Self.estimatedBytes(of: $1) } }

  /// The approximate memory of a row.
  static func estimatedBytes(of row: [Value]) -> Int {
    // An array's header and its slot in another array, and the values in place.
    row.reduce(40) { sum, value in
      let outside =
        switch value {
        // Up to 15 bytes are stored in the value itself.
        case .text(let text): text.utf8.count > 15 ? text.utf8.count + 32 : 0
        case .blob(let bytes): bytes.count + 32
        case .null, .integer, .real, .date: 0
        }
      return sum + MemoryLayout<Value>.stride + outside
    }
  }
}
