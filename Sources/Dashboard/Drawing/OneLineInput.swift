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
