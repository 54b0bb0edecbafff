/// The line for typing the name of an exported file.
enum ExportView {
  static func draw(
    _ input: ExportInput, x: Int, y: Int, width: Int, on canvas: inout Canvas
  ) {
    let lead = "export to "
    var used = canvas.write(lead, x: x, y: y, width: width, Style(.muted))
    let room = width - used - 1
    let name = input.name.text.filter { !$0.isNewline }
    let shown = canvas.write(name, x: x + used, y: y, width: room, Style(.prompt))
    let before = String(input.name.characters[..<input.name.cursor])
    let offset = DisplayText.width(before, glyphs: canvas.glyphs)
    canvas.cursor = (x + used + min(offset, shown), y)
    used += shown + 2
    if let progress = input.progress {
      let rows = NumberText.grouped(progress.rows)
      canvas.write(
        "\(rows) of \(QuantityText.count(progress.total, "row"))  Esc gives up", x: x + used, y: y,
        width: width - used, Style(.muted))
    } else if let problem = input.problem {
      canvas.write("! " + problem, x: x + used, y: y, width: width - used, Style(.warning))
    } else {
      let hint = "Enter write  Tab csv, json, md, ndjson  Esc"
      // Half a hint is useless.
      guard used + hint.count <= width else { return }
      canvas.write(hint, x: x + used, y: y, width: width - used, Style(.muted))
    }
  }
}
