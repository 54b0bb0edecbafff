import ObservationEngine

// Pausing, and stepping through the stored frames. While an older frame is shown, refreshes update
// the newest state in the background.

extension DashboardState {
  /// Whether the panels show an older state than the newest known one.
  package var isPaused: Bool { timeline.shown != nil }

  /// Runs `body` while ``panels`` are the newest ones.
  mutating func withNewestPanels(_ body: (inout DashboardState) -> Void) {
    guard isPaused else { return body(&self) }
    swap(&panels, &timeline.live)
    body(&self)
    swap(&panels, &timeline.live)
  }

  mutating func togglePause() {
    if isPaused { showNewest() } else { stepInTime(by: 0) }
  }

  /// Shows another frame; the user's filter and sort stay, except in a long result: there the frame
  /// only has the rows that were viewed then.
  mutating func stepInTime(by step: Int) {
    let wasPaused = isPaused
    guard let frame = timeline.move(by: step) else {
      if timeline.count == 0 {
        message = Message("nothing was shown yet")
      } else if isPaused, step > 0 {
        // Fewer frames than that are left, or the newest one was already shown.
        if timeline.newerCount > 0 { showFrame(place: timeline.count) } else { showNewest() }
      }
      return
    }
    show(frame, wasPaused: wasPaused)
  }

  /// Shows the frame at a position among the kept ones, from 1.
  mutating func showFrame(place: Int) {
    let wasPaused = isPaused
    if let frame = timeline.show(place: place) { show(frame, wasPaused: wasPaused) }
  }

  /// Shows what the panels showed after the commit of the feed's chosen line, or of the report.
  mutating func showFrameOfCommit() {
    let reported: Int? = if case .commit(let report) = modes.overlay { report.ordinal } else { nil }
    let entry =
      reported.map { ordinal in feed.entries.last { $0.contains(ordinal) } } ?? feed.chosen
    guard let entry, let ordinal = reported ?? entry.ordinal else {
      message = Message("choose a commit to see the panels as they were after it")
      return
    }
    guard let place = timeline.place(after: ordinal, changesPanels: !entry.panels.isEmpty) else {
      message = Message("what the panels showed after tx \(ordinal) is not kept any more")
      return
    }
    modes.show(nil)
    showFrame(place: place)
    // Where the feed fills the screen, the frame would not be seen.
    guard layout.panels.isEmpty, !panels.isEmpty else { return }
    panes.isZoomed = false
    if layout.panels.isEmpty { focus = .panel(lastFocusedPanel) }
  }

  private mutating func show(_ frame: Timeline.Frame, wasPaused: Bool) {
    let looks = panels
    if !wasPaused { timeline.live = panels }
    // Panels have the same numbers in all frames: when panels change, frames are renumbered.
    panels = zip(frame.panels, timeline.live).map { $0.restored(from: $1) }
    keepLooks(looks) { look, panel in !panel.isPart || panel.lens.isRecorded }
  }

  /// Returns to the live state.
  mutating func showNewest() {
    guard isPaused else { return }
    let looks = panels
    panels = timeline.live
    timeline.showNewest()
    keepLooks(looks) { look, panel in !look.isPart || look.lens.isRecorded }
  }

  private mutating func keepLooks(
    _ looks: [PanelState], where isKept: (_ look: PanelState, _ panel: PanelState) -> Bool
  ) {
    for (index, look) in looks.enumerated() where panels.indices.contains(index) {
      guard isKept(look, panels[index]) else { continue }
      panels[index].setFilter(look.filter)
      // Nothing is known about different columns.
      guard panels[index].result?.columns == look.result?.columns else { continue }
      panels[index].viewport.columnChoice = look.columnChoice
      panels[index].viewport.leftColumn = look.leftColumn
      panels[index].viewport.cell = look.viewport.cell
      panels[index].setSort(look.sort)
    }
  }
}
