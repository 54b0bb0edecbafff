import ObservationEngine

/// Long results of a recording: there are the rows that were looked at, and no others can be asked for.
///
/// The panel shows them as they were looked at. What the person filters and sorts by then is done among the
/// rows at hand, on top of that.
extension PanelState {
  private var isRecordedPart: Bool { isPart && lens.isRecorded }

  /// Whether a filter or an order of the person's own is one among the recorded rows alone.
  var isAmongRecorded: Bool { isRecordedPart && !look.isPlain }

  /// What rows are left out by: what was left out when they were recorded, and what is now.
  var shownFilters: [String] {
    [isRecordedPart ? lens.shown.filter : "", filter].filter { !$0.isEmpty }
  }

  /// What the rows are sorted by, or are to be.
  var shownSort: Sort? { sort ?? (isRecordedPart ? lens.shown.sort : nil) }

  /// Shows the rows at hand by another filter or order.
  mutating func lookAmongRecorded() {
    _ = goHome()
    rearrange(following: nil)
    showHeld()
  }

  /// Brings the view to the rows at hand when they are elsewhere: whoever was recorded looked there.
  mutating func showHeld() {
    let held = heldPositions
    let follows = kind == .log && growsAtBottom
    guard isRecordedPart, !isAmongRecorded, !held.isEmpty,
      !held.contains(cursor ?? (follows ? rowCount - 1 : top))
    else { return }
    // Windows are read around the middle of the view, but at the ends of the result.
    let isAtEnd = held.upperBound >= rowCount
    top =
      held.lowerBound == 0 ? 0 : isAtEnd ? rowCount - 1 : (held.lowerBound + held.upperBound) / 2
    if follows {
      // Without a cursor a log shows its newest rows.
      cursor = isAtEnd ? nil : top
      ledCursor = cursor
    } else {
      cursor = cursor.map { _ in top }
    }
  }
}

extension DashboardState {
  /// What a recording keeps of a refresh that was taken over: results that are shown now, with what windows
  /// of long ones were read with.
  ///
  /// Rows of a filter that nobody wanted any more when they came were never shown.
  package func recording(of refresh: Refresh) -> RecordingFormat.Entry {
    let panels = isPaused ? timeline.live : panels
    var refresh = refresh
    var looks: [Int: RowRequest.Look] = [:]
    for (index, result) in refresh.results where panels.indices.contains(index) {
      guard case .success(let rows) = result, rows.part != nil else { continue }
      if panels[index].result == rows {
        looks[index] = panels[index].lens.shown
      } else {
        refresh.results[index] = nil
      }
    }
    return .refresh(refresh, looks: looks)
  }
}
