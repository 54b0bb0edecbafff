import ObservationEngine

/// Long results of a recording: only the viewed rows exist, and no others can be requested.
///
/// The panel shows them as they were viewed. The user's own filter and sort apply to the loaded
/// rows, on top of that.
extension PanelState {
  private var isRecordedPart: Bool { isPart && lens.isRecorded }

  /// Whether the user's own filter or order applies to the recorded rows only.
  var isAmongRecorded: Bool { isRecordedPart && !look.isPlain }

  /// The filters: the recorded one, and the user's own.
  var shownFilters: [String] {
    [isRecordedPart ? lens.shown.filter : "", filter].filter { !$0.isEmpty }
  }

  /// The order of the rows, or the one being requested.
  var shownSort: RowSort? { sort ?? (isRecordedPart ? lens.shown.sort : nil) }

  /// Applies another filter or order to the loaded rows.
  mutating func lookAmongRecorded() {
    _ = goHome()
    rearrange(following: nil)
    showHeld()
  }

  /// Moves the view to the loaded rows if they are elsewhere: the recorded user viewed them.
  mutating func showHeld() {
    let held = heldPositions
    let follows = kind.has(.tail) && growsAtBottom
    guard isRecordedPart, !isAmongRecorded, !held.isEmpty,
      !held.contains(cursor ?? (follows ? rowCount - 1 : top))
    else { return }
    // Windows are read around the middle of the view, except at the ends of the result.
    let isAtEnd = held.upperBound >= rowCount
    viewport.list.top =
      held.lowerBound == 0 ? 0 : isAtEnd ? rowCount - 1 : (held.lowerBound + held.upperBound) / 2
    if follows {
      // Without a cursor a log shows its newest rows.
      viewport.list.cursor = isAtEnd ? nil : top
      window.ledCursor = cursor
    } else {
      viewport.list.cursor = cursor.map { _ in top }
    }
  }
}
