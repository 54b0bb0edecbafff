import ObservationEngine

/// Why a panel has no result, in place of the result.
enum ErrorView {
  static func draw(_ error: DatabaseError, in rect: Rect, on canvas: inout Canvas) {
    guard rect.width > 3 else { return }
    canvas.put("!", x: rect.x + 1, y: rect.y, Style(.error, bold: true))
    let width = rect.width - 4
    let lines = TextWrap.cut(error.message, width: width, limit: rect.height, glyphs: canvas.glyphs)
    for (index, line) in lines.enumerated() {
      canvas.write(line, x: rect.x + 3, y: rect.y + index, width: width, Style(.error))
    }
  }
}
