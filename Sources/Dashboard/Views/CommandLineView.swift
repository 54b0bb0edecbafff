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

/// A line being typed that scrolls sideways to keep the cursor in view.
enum OneLineInput {
  /// - Returns: The column after the typed text.
  static func draw(
    _ input: TextBuffer, prompt: String, in rect: Rect, on canvas: inout Canvas
  ) -> Int {
    let x = rect.x + 1
    let used = canvas.write(prompt, x: x, y: rect.y, width: rect.width - 1, Style(.prompt))
    let room = rect.width - 2 - used
    guard room > 0 else { return x + used }
    // As many characters before the cursor as fit, starting from the cursor.
    var start = input.cursor
    var width = 0
    while start > 0 {
      let next = DisplayText.width(String(input.characters[start - 1]), glyphs: canvas.glyphs)
      guard width + next < room else { break }
      width += next
      start -= 1
    }
    let shown = String(input.characters[start...].prefix(room))
    let end = x + used + canvas.write(shown, x: x + used, y: rect.y, width: room, Style(.prompt))
    canvas.cursor = (x + used + width, rect.y)
    return end
  }
}
