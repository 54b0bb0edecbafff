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
        // The newest frame was already shown.
        showNewest()
      }
      return
    }
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
      panels[index].setSort(look.sort)
    }
  }
}
