/// The offered words, below the line being typed.
///
///     ┌──────────────────────────┐
///     │ players      table 1 204 │  Tab accept · Esc dismiss · Alt-Enter newline · Enter run at ;
enum CompletionView {
  /// How many lines it takes.
  ///
  /// - Parameters:
  ///   - free: Lines that nothing else would use.
  ///   - most: The maximum lines that it may take from older output.
  static func height(_ completion: ConsoleState.Completion, free: Int, most: Int) -> Int {
    let count = completion.offer.candidates.count
    return max(min(count + 2, free), min(count + 1, most))
  }

  /// Draws it at `x`, `y`; the lower border only if there is room for it below all words.
  static func draw(
    _ completion: ConsoleState.Completion, x: Int, y: Int, width: Int, height: Int,
    isWide: Bool, on canvas: inout Canvas
  ) {
    let candidates = completion.offer.candidates
    guard height > 1, width > 8, !candidates.isEmpty else { return }
    let inner = min(innerWidth(candidates, isWide: isWide, canvas.glyphs), width - 4)
    let frame = Rect(x: x, y: y, width: inner + 4, height: height)
    canvas.fill(frame)
    let rows = min(candidates.count, height - 1)
    drawFrame(frame, hasBottom: rows < height - 1, on: &canvas)
    let top = ScrollingList.top(
      showing: completion.selected, of: candidates.count, visible: rows)
    for (line, index) in (top..<top + rows).enumerated() {
      let candidate = candidates[index]
      let row = y + 1 + line
      let facts = Self.facts(candidate)
      let nameWidth = DisplayText.width(candidate.name, limit: inner, glyphs: canvas.glyphs)
      let factsWidth = min(
        DisplayText.width(facts, glyphs: canvas.glyphs), max(inner / 3, inner - nameWidth - 1))
      canvas.write(
        candidate.name, x: x + 2, y: row, width: inner - factsWidth - 1, Style(role(candidate)))
      canvas.write(
        facts, x: x + 2 + inner - factsWidth, y: row, width: factsWidth, Style(.muted),
        alignment: .trailing)
      if index == completion.selected, candidates.count > 1 {
        canvas.highlight(line: row, of: Rect(x: x + 1, y: y, width: inner + 2, height: height))
      }
    }
    drawHint(x: frame.x + frame.width, y: y + 1, end: x + width, on: &canvas)
  }

  private static func drawFrame(_ frame: Rect, hasBottom: Bool, on canvas: inout Canvas) {
    let lines = canvas.symbols.popup
    let style = Style(.border)
    let right = frame.x + frame.width - 1
    let bottom = frame.y + frame.height - 1
    for y in frame.y + 1...bottom {
      canvas.put(lines.vertical, x: frame.x, y: y, style)
      canvas.put(lines.vertical, x: right, y: y, style)
    }
    for x in frame.x + 1..<right {
      canvas.put(lines.horizontal, x: x, y: frame.y, style)
      if hasBottom { canvas.put(lines.horizontal, x: x, y: bottom, style) }
    }
    canvas.put(lines.topLeft, x: frame.x, y: frame.y, style)
    canvas.put(lines.topRight, x: right, y: frame.y, style)
    guard hasBottom else { return }
    canvas.put(lines.bottomLeft, x: frame.x, y: bottom, style)
    canvas.put(lines.bottomRight, x: right, y: bottom, style)
  }

  private static func drawHint(x: Int, y: Int, end: Int, on canvas: inout Canvas) {
    let dot = canvas.symbols.dot
    let keys = ["Tab accept", "Esc dismiss", "Alt-Enter newline", "Enter run at ;"]
    for count in stride(from: keys.count, through: 1, by: -1) {
      let gap = count == 1 ? " " : "  "
      let text = gap + keys.prefix(count).joined(separator: dot)
      guard x + DisplayText.width(text, glyphs: canvas.glyphs) <= end else { continue }
      canvas.write(text, x: x, y: y, width: end - x, Style(.muted))
      return
    }
  }

  /// Wide enough for the offered words, but not much narrower for short ones, to avoid jumping.
  private static func innerWidth(
    _ candidates: [Completer.Candidate], isWide: Bool, _ glyphs: GlyphSet
  ) -> Int {
    let widest =
      candidates.prefix(20).map {
        DisplayText.width($0.name, limit: 40, glyphs: glyphs) + 2
          + DisplayText.width(facts($0), limit: 30, glyphs: glyphs)
      }.max() ?? 0
    return max(widest, isWide ? 24 : 22)
  }

  private static func facts(_ candidate: Completer.Candidate) -> String {
    candidate.detail.isEmpty
      ? candidate.kind.rawValue : candidate.kind.rawValue + " " + candidate.detail
  }

  private static func role(_ candidate: Completer.Candidate) -> Style.Role {
    candidate.kind == .keyword ? .keyword : .text
  }
}
