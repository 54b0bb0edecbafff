/// One line of the console.
struct ConsoleLine {
  var prompt = ""
  /// Its text, in pieces of one role each.
  var runs: [SQLHighlight.Run]
  var isQuiet = false
  /// The outcome of the statement, at the right edge.
  var right = ""
  var rightRole = Style.Role.muted

  init(prompt: String = "", runs: [SQLHighlight.Run]) {
    self.prompt = prompt
    self.runs = runs
  }

  /// A line of one role.
  init(prompt: String = "", text: String, role: Style.Role = .text, isQuiet: Bool = false) {
    self.prompt = prompt
    self.isQuiet = isQuiet
    runs = [SQLHighlight.Run(text: text, role: role)]
  }

  var text: String { runs.map(\.text).joined() }

  /// SQL as lines, each with its prompt: the first line's own, then a continuation mark.
  static func statement(_ sql: String, prompt: String, symbols: Symbols) -> [ConsoleLine] {
    let highlight = SQLHighlight(sql)
    var lines: [ConsoleLine] = []
    var start = 0
    for text in sql.split(separator: "\n", omittingEmptySubsequences: false) {
      let end = start + text.utf8.count
      lines.append(
        ConsoleLine(
          prompt: lines.isEmpty ? prompt : symbols.prompt + " ",
          runs: highlight.runs(of: start..<end, in: sql)))
      start = end + 1
    }
    return lines
  }

  /// Plain text as lines with prompts.
  static func plain(_ text: String, prompt: String, symbols: Symbols) -> [ConsoleLine] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
      ConsoleLine(prompt: index == 0 ? prompt : symbols.prompt + " ", text: String(line))
    }
  }

  /// The line, over as many lines as it needs.
  ///
  /// - Parameters:
  ///   - width: Cells next to the prompt. A line breaks anywhere: typed text stays where it is.
  ///   - indent: Cells before each line but the first.
  func wrapped(width: Int, indent: Int = 0, glyphs: GlyphSet) -> [ConsoleLine] {
    var lines = [self]
    lines[0].runs = []
    lines[0].right = ""
    var room = width
    var isFresh = true
    for run in runs {
      var rest = run.text[...]
      while !rest.isEmpty {
        let end = DisplayText.end(of: rest, width: room, glyphs: glyphs)
        let piece = String(rest[..<end])
        let used = DisplayText.width(piece, glyphs: glyphs)
        if used > room, !isFresh {
          let blank = String(repeating: " ", count: indent)
          lines.append(ConsoleLine(text: blank, isQuiet: isQuiet))
          (room, isFresh) = (max(1, width - indent), true)
          continue
        }
        lines[lines.count - 1].runs.append(SQLHighlight.Run(text: piece, role: run.role))
        (room, isFresh, rest) = (room - used, false, rest[end...])
      }
    }
    lines[lines.count - 1].right = right
    lines[lines.count - 1].rightRole = rightRole
    return lines
  }

  /// Where a text ends when it is wrapped: the next character has this place.
  static func end(of text: String, width: Int, glyphs: GlyphSet) -> (line: Int, column: Int) {
    let lines = ConsoleLine(text: text).wrapped(width: width, glyphs: glyphs)
    let column = DisplayText.width(lines[lines.count - 1].text, glyphs: glyphs)
    return column < width ? (lines.count - 1, column) : (lines.count, 0)
  }

  /// Draws the line in `width` cells, including `promptWidth` for the prompt.
  func draw(x: Int, y: Int, width: Int, promptWidth: Int, on canvas: inout Canvas) {
    canvas.write(prompt, x: x, y: y, width: promptWidth, Style(.prompt))
    let rightWidth = DisplayText.width(right, glyphs: canvas.glyphs)
    var position = x + promptWidth
    let end = x + width - (rightWidth > 0 ? rightWidth + 1 : 0)
    for (index, run) in runs.enumerated() {
      let style = Style(run.role, dim: isQuiet)
      let isLast = runs[(index + 1)...].allSatisfy(\.text.isEmpty)
      let needed = DisplayText.width(run.text, limit: end - position + 1, glyphs: canvas.glyphs)
      // If a piece fits exactly, nothing would show that more follow.
      guard isLast || position + needed < end else {
        canvas.write(run.text + " ", x: position, y: y, width: end - position, style)
        if position + needed <= end {
          canvas.put(DisplayText.ellipsis(canvas.glyphs), x: end - 1, y: y, style)
        }
        break
      }
      position += canvas.write(run.text, x: position, y: y, width: end - position, style)
    }
    if rightWidth > 0 {
      canvas.write(right, x: x, y: y, width: width, Style(rightRole), alignment: .trailing)
    }
  }
}
