/// Draws the bar of the kept frames.
enum ScrubberView {
  static func draw(_ scrubber: Scrubber, _ state: DashboardState, on canvas: inout Canvas) {
    let y = scrubber.line.y
    let track = scrubber.track
    let ends = scrubber.ends
    canvas.write(
      ends.first, x: scrubber.line.x + 1, y: y, width: ends.first.utf8.count, Style(.muted))
    canvas.write(
      ends.last, x: track.x + track.width + 1, y: y, width: ends.last.utf8.count, Style(.muted))
    let knob = scrubber.column(ofFrame: state.timeline.place)
    for x in track.columns {
      let isPast = x < knob
      let line = isPast ? canvas.symbols.focusedFrame.horizontal : canvas.symbols.frame.horizontal
      canvas.put(line, x: x, y: y, Style(isPast ? .accent : .border))
    }
    canvas.put(canvas.symbols.live, x: knob, y: y, Style(.warning, bold: true))
  }
}
