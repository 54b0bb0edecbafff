/// The text being typed, as lines, and the position of the cursor in them.
struct ConsoleInput {
  private(set) var lines: [ConsoleLine]
  private(set) var cursorLine = 0
  private(set) var cursorColumn = 0

  /// - Parameter width: Cells after the prompt.
  init(_ console: ConsoleState, _ place: ConsoleSurroundings, width: Int, symbols: Symbols) {
    let prompt = console.transaction == nil ? "sql> " : " tx> "
    if let search = console.search {
      let found =
        search.match.map { console.typed.history[$0] }
        ?? (search.pattern.isEmpty ? "" : "nothing found")
      let text = "(^r) \(search.pattern): "
      lines = [ConsoleLine(prompt: prompt, text: text + found)]
      cursorColumn = min(DisplayText.width(text, glyphs: place.glyphs) - 2, width - 1)
      return
    }
    if console.editor.isEmpty, !place.isFocused {
      let hint = console.runningSince == nil ? "\(place.key) to type SQL" : ""
      lines = [ConsoleLine(prompt: prompt, text: hint, role: .muted, isQuiet: true)]
      return
    }
    let editor = console.editor
    let isLong = editor.characters.count > SQLHighlight.limit
    // For a long text only the part around the cursor is split into lines in each frame.
    let excerpt =
      isLong
      ? editor.excerpt(lines: Self.linesAround, length: Self.lengthAround)
      : (editor.characters[...], editor.cursor)
    let typed: [ConsoleLine]
    if isLong {
      let isBegin = excerpt.cursor == editor.cursor
      typed = ConsoleLine.plain(
        String(excerpt.characters), prompt: isBegin ? prompt : symbols.prompt + " ",
        symbols: symbols)
    } else {
      typed = ConsoleLine.statement(editor.text, prompt: prompt, symbols: symbols)
    }
    lines = []
    var left = excerpt.cursor
    let texts = excerpt.characters.split(separator: "\n", omittingEmptySubsequences: false)
    for (line, text) in zip(typed, texts) {
      let hasCursor = left >= 0 && left <= text.count
      append(
        line, cursorAfter: hasCursor ? String(text.prefix(left)) : nil, width: width,
        glyphs: place.glyphs)
      left -= text.count + 1
    }
    if let asked = console.parameters {
      addParameters(asked, width: width, glyphs: place.glyphs)
    }
  }

  /// More than a screen has, and more than one of its lines.
  private static let linesAround = 300
  private static let lengthAround = 16 * 1024

  /// Adds a line, over as many lines as it needs.
  ///
  /// - Parameter before: The text before the cursor, if that is in the line.
  private mutating func append(
    _ line: ConsoleLine, cursorAfter before: String? = nil, width: Int, glyphs: GlyphSet
  ) {
    let start = lines.count
    lines += line.wrapped(width: width, glyphs: glyphs)
    guard let before else { return }
    let end = ConsoleLine.end(of: before, width: width, glyphs: glyphs)
    (cursorLine, cursorColumn) = (start + end.line, end.column)
    // After a full line, the cursor has the next one.
    if cursorLine == lines.count { lines.append(ConsoleLine(text: "")) }
  }

  /// The values given for the parameters so far, and the parameter being asked for.
  private mutating func addParameters(
    _ asked: ConsoleState.ParameterPrompt, width: Int, glyphs: GlyphSet
  ) {
    for (name, value) in zip(asked.names, asked.values) {
      let line = ConsoleLine(runs: [
        SQLHighlight.Run(text: "\(name) = ", role: .prompt),
        SQLHighlight.Run(text: SQLLiteral.text(value), role: .numeral),
      ])
      append(line, width: width, glyphs: glyphs)
    }
    let name = "\(asked.name) = "
    var line = ConsoleLine(
      prompt: "   ? ",
      runs: [
        SQLHighlight.Run(text: name, role: .prompt),
        SQLHighlight.Run(text: asked.input.text, role: .text),
      ])
    if asked.input.isEmpty { line.right = "a number, text, 'text', x'00' or NULL" }
    let before = String(asked.input.characters[..<asked.input.cursor])
    append(line, cursorAfter: name + before, width: width, glyphs: glyphs)
  }
}
