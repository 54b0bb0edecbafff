/// The text being typed, as lines, and the position of the cursor in them.
struct ConsoleInput {
  private(set) var lines: [ConsoleLine]
  private(set) var cursorLine = 0
  private(set) var cursorColumn = 0

  /// - Parameter width: Cells after the prompt; each line scrolls left far enough to show the
  ///   cursor.
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
      let hint = console.runningSince == nil ? "c to type SQL" : ""
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
    if isLong {
      let isBegin = excerpt.cursor == editor.cursor
      lines = ConsoleLine.plain(
        String(excerpt.characters), prompt: isBegin ? prompt : symbols.prompt + " ",
        symbols: symbols)
    } else {
      lines = ConsoleLine.statement(editor.text, prompt: prompt, symbols: symbols)
    }
    if let asked = console.parameters {
      addParameters(asked, width: width, glyphs: place.glyphs)
    } else {
      placeCursor(
        in: excerpt.characters, at: excerpt.cursor, width: width, glyphs: place.glyphs)
    }
  }

  /// More than a screen has, and more than one of its lines.
  private static let linesAround = 300
  private static let lengthAround = 16 * 1024

  private mutating func placeCursor(
    in characters: ArraySlice<Character>, at cursor: Int, width: Int, glyphs: GlyphSet
  ) {
    var left = cursor
    let texts = characters.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in texts.enumerated() {
      if left >= 0, left <= line.count {
        cursorLine = index
        cursorColumn = DisplayText.width(String(line.prefix(left)), glyphs: glyphs)
        if cursorColumn >= width {
          // A part fits, with a sign that more precedes it; after the cursor, the start of the rest
          // stays in view.
          let room = left < line.count ? max(1, width * 3 / 4) : width - 2
          let start = Self.start(before: left, in: line, width: room, glyphs: glyphs)
          let runs = lines[index].runs
          let before = Self.shown(runs, from: start, to: left, glyphs: glyphs)
          lines[index].runs = Self.shown(
            runs, from: start, to: min(line.count, start + width), glyphs: glyphs)
          let column = DisplayText.width(before.map(\.text).joined(), glyphs: glyphs)
          cursorColumn = min(column, width - 1)
        }
        return
      }
      left -= line.count + 1
    }
  }

  /// The first character from which a line takes `width` cells up to another one: characters may be
  /// two cells wide, or none.
  private static func start(
    before end: Int, in line: ArraySlice<Character>, width: Int, glyphs: GlyphSet
  ) -> Int {
    var start = end
    var room = width
    while start > 0 {
      let character = line[line.startIndex + start - 1]
      room -= DisplayText.width(String(character), glyphs: glyphs)
      guard room >= 0 else { break }
      start -= 1
    }
    return start
  }

  /// A part of a line, in characters, after a sign that more precedes it.
  private static func shown(
    _ runs: [SQLHighlight.Run], from start: Int, to end: Int, glyphs: GlyphSet
  ) -> [SQLHighlight.Run] {
    var shown = [SQLHighlight.Run(text: String(DisplayText.ellipsis(glyphs)), role: .muted)]
    var position = 0
    for run in runs {
      let length = run.text.count
      let first = max(0, start - position)
      let last = min(length, end - position)
      if first < last {
        let text = run.text.dropFirst(first).prefix(last - first)
        shown.append(SQLHighlight.Run(text: String(text), role: run.role))
      }
      position += length
    }
    return shown
  }

  /// The values given for the parameters so far, and the parameter being asked for.
  private mutating func addParameters(
    _ asked: ConsoleState.ParameterPrompt, width: Int, glyphs: GlyphSet
  ) {
    for (name, value) in zip(asked.names, asked.values) {
      lines.append(
        ConsoleLine(runs: [
          SQLHighlight.Run(text: "\(name) = ", role: .prompt),
          SQLHighlight.Run(text: SQLLiteral.text(value), role: .numeral),
        ]))
    }
    let name = "\(asked.name) = "
    var line = ConsoleLine(runs: [
      SQLHighlight.Run(text: name, role: .prompt),
      SQLHighlight.Run(text: asked.input.text, role: .text),
    ])
    line.prompt = "   ? "
    let before = String(asked.input.characters[..<asked.input.cursor])
    cursorLine = lines.count
    cursorColumn = DisplayText.width(name + before, glyphs: glyphs)
    if asked.input.isEmpty { line.right = "a number, text, 'text', x'00' or NULL" }
    if cursorColumn >= width {
      let end = name.count + asked.input.cursor
      let whole = Array(name + asked.input.text)
      let start = Self.start(before: end, in: whole[...], width: width - 2, glyphs: glyphs)
      line.runs = Self.shown(line.runs, from: start, to: end, glyphs: glyphs)
      cursorColumn = min(DisplayText.width(line.text, glyphs: glyphs), width - 1)
    }
    lines.append(line)
  }
}
