extension DashboardState {
  /// Moves through what is in front.
  mutating func move(_ motion: Motion) {
    let half = max(1, size.height / 2)
    let step = motion.lines(page: half, half: half)
    switch modes.front {
    case .question(.confirmHooks, _): alerts.read(motion, in: hookListing)
    case .overlay(.columns, var list):
      let count = focusedTable?.panel.columnChoice.order.count ?? 0
      list.choose(by: step, of: count, visible: 0)
      modes.show(.columns, list)
    case .overlay(let overlay, var list):
      // Some lines stay in view, however small the screen is.
      list.scroll(by: step, of: lineCount(of: overlay), visible: 3)
      modes.show(overlay, list)
    case .question, .command, .filter, .export, .panes: moveInPane(motion)
    }
  }

  private mutating func moveInPane(_ motion: Motion) {
    if explorerPane == .tables || explorerPane == .columns {
      _ = changeExplorer { explorer, visible in
        explorer.move(by: motion.lines(visible: visible), visible: visible)
      }
      return
    }
    switch focus {
    case .feed:
      let visible = layout.visibleFeedLines
      feed.move(by: motion.lines(visible: visible), visible: visible)
    case .schema:
      let visible = layout.visibleSchemaLines
      schema.move(by: motion.lines(visible: visible), visible: visible)
    case .panel, .console:
      let visible = visibleRowsOfFocus
      changeFocusedTable { $0.moveCursor(by: motion.lines(visible: visible), visible: visible) }
    }
  }

  private func lineCount(of overlay: Overlay) -> Int {
    switch overlay {
    case .help: HelpSection.lines(self).count
    case .inspect:
      InspectedRow.lineCount(focusedTable?.panel, width: size.width, glyphs: glyphs)
    case .text(_, let text):
      StatementText.lines(text, width: size.width, glyphs: glyphs).count
    case .commit(let report): report.lines.count
    case .columns: focusedTable?.panel.columnChoice.order.count ?? 0
    }
  }
}
