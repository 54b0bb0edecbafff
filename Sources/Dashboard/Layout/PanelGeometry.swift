/// The parts of a panel inside its frame.
struct PanelGeometry {
  /// The area inside the frame.
  let inner: Rect
  /// The area of the result's rows.
  private(set) var rows: Rect
  private(set) var header: Rect?
  private(set) var rule: Rect?
  private(set) var footer: Rect?
  /// Why the result is shown as a table, in place of the last lines.
  private(set) var remark: Rect?

  init(_ panel: LayoutInput.Panel, frame: Rect) {
    self.init(panel.kind, frame: frame, hasChanges: panel.hasChanges)
    guard let misfit = panel.misfit, inner.height >= 3 else { return }
    if let footer { rows.height += footer.height }
    footer = nil
    // If the rows leave no free line, some of them can be scrolled to.
    let free = max(rows.height - panel.rowCount, rows.height / 2, 1)
    let needed = Self.lines(ofRemark: misfit, width: inner.width, limit: free).count
    rows.height -= needed
    remark = Rect(x: inner.x, y: rows.y + rows.height, width: inner.width, height: needed)
  }

  /// Why the result is shown as a table, in lines of a panel.
  static func lines(
    ofRemark text: String, width: Int, limit: Int, glyphs: GlyphSet = .unicode
  ) -> [String] {
    var lines = TextWrap.lines(text, width: max(1, width - 4), glyphs: glyphs)
    if lines.count > limit, limit > 0 {
      // The rest is cut where the last line ends.
      lines = lines.prefix(limit - 1) + [lines.dropFirst(limit - 1).joined()]
    }
    return lines.enumerated().map { ($0 == 0 ? "! " : "  ") + $1 }
  }

  init(_ kind: ViewKind, frame: Rect, hasChanges: Bool = false) {
    inner = frame.inset(by: 1)
    rows = inner
    guard kind == .table, inner.height >= 2 else { return }
    header = take(at: inner.y)
    if inner.height >= 12 { rule = take(at: inner.y + 1) }
    // A line about the last change only costs a row once there is one.
    if inner.height >= 16, hasChanges {
      rows.height -= 1
      footer = Rect(x: inner.x, y: rows.y + rows.height, width: inner.width, height: 1)
    }
  }

  private mutating func take(at y: Int) -> Rect {
    rows.y += 1
    rows.height -= 1
    return Rect(x: inner.x, y: y, width: inner.width, height: 1)
  }
}
