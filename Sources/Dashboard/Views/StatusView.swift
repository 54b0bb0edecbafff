import ObservationEngine

/// The last lines: messages and questions, latency, and key hints.
enum StatusView {
  /// The message line: a question first, then typed text, then news.
  static func drawMessage(
    _ state: DashboardState, in line: Rect, moment: Moment, showsFeed: Bool,
    on canvas: inout Canvas
  ) {
    let x = line.x + 1
    let width = line.width - 2
    switch state.modes.line {
    case .question(let question, _):
      let text =
        switch question {
        case .quit(let loss): loss.text
        case .suspend: "the console has the database: stop although others may wait for it?"
        case .console(let question): question.text
        case .confirmHooks: state.hookListing.question
        }
      let isRefusal = question == .confirmHooks && state.hookListing.isRefusal
      // How to answer is seen, whatever else has no room.
      let answer = question == .confirmHooks ? "" : "  y / n"
      let asked = DisplayText.cut(
        (isRefusal ? "! " : "? ") + text, width: width - answer.count, glyphs: canvas.glyphs)
      canvas.write(
        asked + answer, x: x, y: line.y, width: width,
        Style(isRefusal ? .error : .warning, bold: true))
    case .command(let command):
      let end = CommandLineView.drawInput(command, in: line, on: &canvas)
      drawWarning(state, from: end, in: line, on: &canvas)
    case .filter(let input):
      let end = OneLineInput.draw(input, prompt: "/", in: line, on: &canvas)
      drawWarning(state, from: end, in: line, on: &canvas)
    case .export(let input):
      ExportView.draw(input, x: x, y: line.y, width: width, on: &canvas)
    case .overlay, .panes:
      drawNews(state, in: line, moment: moment, showsFeed: showsFeed, on: &canvas)
    }
  }

  /// The message, or whatever is more urgent; the newest commit when there is nothing to say.
  private static func drawNews(
    _ state: DashboardState, in line: Rect, moment: Moment, showsFeed: Bool,
    on canvas: inout Canvas
  ) {
    let x = line.x + 1
    let width = line.width - 2
    if let message = state.message, !state.news.isMessageOld {
      draw(message, x: x, y: line.y, width: width, on: &canvas)
    } else if let error = state.news.dashboardError {
      canvas.write("! " + error, x: x, y: line.y, width: width, Style(.error))
    } else if state.alerts.waitsToAsk {
      canvas.write(
        "! this dashboard would run commands: they are shown once nothing is being typed",
        x: x, y: line.y, width: width, Style(.warning))
    } else if let text = state.timeline.text(
      utcOffsetSeconds: state.utcOffsetSeconds,
      keys: ["back", "forward", "live"].map { "\(state.keyMap.mention($0)) \($0)" }
        .joined(separator: "  "), canvas.symbols)
    {
      canvas.write(
        canvas.symbols.paused + " " + text, x: x, y: line.y, width: width, Style(.warning))
    } else if let alert = AlertLine.message(state, width: width - 2) {
      canvas.write("! " + alert, x: x, y: line.y, width: width, Style(.error))
    } else if let trouble = trouble(state, moment: moment, canvas.symbols) {
      canvas.write("! " + trouble.text, x: x, y: line.y, width: width, Style(trouble.role))
    } else if let message = state.message {
      draw(message, x: x, y: line.y, width: width, on: &canvas)
    } else if !state.isExploring, !showsFeed {
      FeedView.drawNewest(state, in: line, on: &canvas)
    }
  }

  private static func draw(
    _ message: Message, x: Int, y: Int, width: Int, on canvas: inout Canvas
  ) {
    let role: Style.Role =
      switch message.severity {
      case .notice: .text
      case .warning: .warning
      case .error: .error
      }
    let sign = message.severity == .notice ? "  " : "! "
    canvas.write(sign + message.text, x: x, y: y, width: width, Style(role))
  }

  /// The error, after the typed text, if there is room for some words of it.
  private static func drawWarning(
    _ state: DashboardState, from end: Int, in line: Rect, on canvas: inout Canvas
  ) {
    let room = line.x + line.width - 1 - end - 2
    guard let message = state.message, message.severity != .notice, room >= 20 else { return }
    let role: Style.Role = message.severity == .error ? .error : .warning
    canvas.write("! " + message.text, x: end + 2, y: line.y, width: room, Style(role))
  }

  /// What is wrong with a panel, the focused one first.
  private static func trouble(
    _ state: DashboardState, moment: Moment, _ symbols: Symbols
  ) -> (text: String, role: Style.Role)? {
    let order = [state.lastFocusedPanel] + state.panels.indices
    let panels = order.lazy.filter { state.panels.indices.contains($0) }
    if let index = panels.first(where: { state.panels[$0].error != nil }),
      let error = state.panels[index].error
    {
      return ("panel \(index + 1)  \(error.message)", .error)
    }
    if let index = panels.first(where: { state.panels[$0].staleness != nil }),
      let stale = state.panels[index].staleness
    {
      let age = max(0, moment.civil.microseconds - stale.since.microseconds) / 1_000_000
      let count = state.panels.count { $0.staleness != nil }
      let which = count == 1 ? "panel \(index + 1)" : "\(count) panels"
      let shown = state.panels[index].ordinal
      return (
        "\(which)  stale for \(age) s: \(reason(stale)) \(symbols.minus) showing tx \(shown)",
        .warning
      )
    }
    return nil
  }

  // MARK: Latency

  /// ` commit→screen 4 ms p50 · 11 ms p99 ▁▁▂▁▁▃▁▁  │ WAL 1.2 MB │ 5 panels 7 ms/tx`
  static func drawLatency(_ state: DashboardState, in line: Rect, on canvas: inout Canvas) {
    let symbols = canvas.symbols
    let isWide = line.width >= 120
    var parts: [String] = []
    let latency = state.vitals.latency
    let own = { text(latency.own, "commit\(symbols.arrow)screen", isWide: isWide, symbols) }
    let external = {
      text(latency.external, "detected\(symbols.arrow)screen", isWide: isWide, symbols)
    }
    if isWide {
      if !latency.own.isEmpty { parts.append(own()) }
      if !latency.external.isEmpty { parts.append(external()) }
    } else if latency.latest == .own, !latency.own.isEmpty {
      parts.append(own())
    } else if !latency.external.isEmpty {
      parts.append(external())
    }
    if let refresh = state.lastRefresh, refresh.panels > 0 {
      let time = QuantityText.duration(refresh.queries)
      let panels = QuantityText.count(refresh.panels, "panel")
      parts.append(isWide ? "queries \(time)/tx  \(panels)" : "\(panels) \(time)/tx")
    }
    if let wal = state.database.walBytes, wal > 0 { parts.append("WAL " + QuantityText.bytes(wal)) }
    if isWide, let watch = state.database.watch { parts.append("watch " + watch) }

    var x = line.x + 1
    let end = line.x + line.width - 1
    for (index, part) in parts.enumerated() {
      let needed = DisplayText.width(part, glyphs: canvas.glyphs) + (index > 0 ? 3 : 0)
      // Half a figure is misleading: a figure that does not fit completely is omitted.
      guard x + needed <= end || index == 0 else { return }
      if index > 0 {
        x += canvas.write(" \(symbols.bar) ", x: x, y: line.y, width: 3, Style(.border))
      }
      x += canvas.write(part, x: x, y: line.y, width: end - x, Style(.muted))
    }
  }

  private static func text(
    _ ring: LatencyStatistics.Ring, _ name: String, isWide: Bool, _ symbols: Symbols
  ) -> String {
    let median = QuantityText.duration(nanoseconds: ring.median)
    let worst = QuantityText.duration(nanoseconds: ring.percentile99)
    let line = symbols.sparkline(ring.newest(isWide ? 10 : 8).map(Double.init))
    return isWide
      ? "\(name)  p50 \(median)  p99 \(worst)  \(line)"
      : "\(name) \(median) p50\(symbols.dot)\(worst) p99 \(line)"
  }

  /// The reason in the words of a user who waits: a lock needs no action.
  private static func reason(_ stale: Staleness) -> String {
    stale.reason.hasPrefix("the database is locked")
      ? "locked by another process; retrying" : stale.reason
  }
}
