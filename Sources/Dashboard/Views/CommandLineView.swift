/// The line that `:` opens, with the possible commands above it.
///
///     ╭─┤commands├────────────────────────────────────╮
///     │ zoom            show the pane alone, …       z │
///     ╰───────────────────────────────────────────────╯
///      :zo▏
enum CommandLineView {
  /// Draws the offers at the bottom of `body`.
  static func drawOffers(
    _ state: DashboardState, _ line: CommandLine, in body: Rect, on canvas: inout Canvas
  ) {
    let offers = line.offers(state)
    guard let (frame, top) = line.place(of: offers, in: body) else { return }
    let rows = frame.height - 2
    canvas.fill(frame)
    let info = offers.count > rows ? "\(line.chosen.map { $0 + 1 } ?? 1) of \(offers.count)" : ""
    FrameView.draw(
      title: line.parts == nil ? "commands" : "\(line.parts?.name ?? "")", info: info,
      frame: frame, isFocused: true, on: &canvas)
    let area = frame.inset(by: 1)
    let widest = offers.map { DisplayText.width($0.title, glyphs: canvas.glyphs) }.max() ?? 0
    let hasText = offers.contains { !$0.summary.isEmpty }
    let titleWidth = hasText ? min(widest, area.width / 2) : area.width - 2
    for (index, offer) in offers.dropFirst(top).prefix(rows).enumerated() {
      let y = area.y + index
      let isChosen = line.chosen == top + index
      let keyWidth = DisplayText.width(offer.key, glyphs: canvas.glyphs)
      canvas.write(
        isChosen ? String(canvas.symbols.more) : " ", x: area.x, y: y, width: 1, Style(.accent))
      canvas.write(
        offer.title, x: area.x + 1, y: y, width: titleWidth, Style(.keyHint, bold: isChosen))
      let x = area.x + titleWidth + 3
      canvas.write(
        offer.summary, x: x, y: y, width: area.x + area.width - x - keyWidth - 2, Style())
      canvas.write(
        offer.key, x: area.x + area.width - keyWidth - 1, y: y, width: keyWidth, Style(.muted))
      if isChosen {
        canvas.highlight(line: y, of: area)
      }
    }
  }

  /// Draws the typed text, or the end of a long one, and puts the cursor there.
  ///
  /// - Returns: The column after it.
  static func drawInput(_ line: CommandLine, in rect: Rect, on canvas: inout Canvas) -> Int {
    OneLineInput.draw(line.input, prompt: ":", in: rect, on: &canvas)
  }
}
