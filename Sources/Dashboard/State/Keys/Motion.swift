/// A movement through lines, whatever they are lines of.
enum Motion: Sendable {
  case down, up, pageDown, pageUp, halfDown, halfUp, first, last

  /// How many lines it goes down: more than there are for the ends.
  func lines(page: Int, half: Int) -> Int {
    switch self {
    case .down: 1
    case .up: -1
    case .pageDown: max(1, page)
    case .pageUp: -max(1, page)
    case .halfDown: max(1, half)
    case .halfUp: -max(1, half)
    case .first: -(1 << 40)
    case .last: 1 << 40
    }
  }

  /// The same through a view of so many lines: a page leaves one line in view.
  func lines(visible: Int) -> Int { lines(page: visible - 1, half: visible / 2) }
}

extension DashboardState {
  /// Moves through what is in front.
  mutating func move(_ motion: Motion) {
    if question == .confirmHooks { return readHooks(motion) }
    let half = max(1, size.height / 2)
    switch overlay {
    case .columns(let cursor):
      let count = focusedTable?.panel.columnChoice.order.count ?? 0
      let place = cursor + motion.lines(page: half, half: half)
      overlay = .columns(cursor: min(max(0, place), max(0, count - 1)))
    case let overlay?: self.overlay = scrolled(overlay, by: motion.lines(page: half, half: half))
    case nil where explorerPane == .tables || explorerPane == .columns:
      _ = changeExplorer { explorer, visible in
        explorer.move(by: motion.lines(visible: visible), visible: visible)
      }
    case nil:
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
  }

  private func scrolled(_ overlay: Overlay, by step: Int) -> Overlay {
    func place(_ scroll: Int, of lines: Int) -> Int {
      min(max(0, scroll + step), max(0, lines - 3))
    }
    switch overlay {
    case .help(let scroll):
      return .help(scroll: place(scroll, of: HelpSection.lines(self).count))
    case .inspect(let scroll):
      return .inspect(scroll: place(scroll, of: InspectedRow.lineCount(self)))
    case .text(let title, let text, let scroll):
      let lines = StatementText.lines(text, width: size.width, glyphs: glyphs)
      return .text(title: title, text: text, scroll: place(scroll, of: lines.count))
    case .commit(let report, let scroll):
      return .commit(report, scroll: place(scroll, of: report.lines.count))
    case .columns: return overlay
    }
  }
}
