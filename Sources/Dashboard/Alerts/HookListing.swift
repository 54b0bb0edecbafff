/// The commands that wait for confirmation, complete, in as many lines as necessary, and the part
/// of the lines that a screen shows.
struct HookListing {
  /// On a smaller screen a command would be unreadable.
  private static let least = Size(width: 20, height: 3)

  let lines: [(text: String, style: Style)]
  /// The area of the lines, within the frame if there is one.
  let area: Rect
  /// Whether the screen has room for them.
  let isReadable: Bool
  /// The first visible line.
  let top: Int
  private let reading: HookReading

  /// - Complexity: O(length of the commands).
  init(_ alerts: AlertsState, _ layout: ScreenLayout, _ glyphs: GlyphSet) {
    let size = layout.input.size
    let isTiny = layout.isTiny
    isReadable = !isTiny || (size.width >= Self.least.width && size.height >= Self.least.height)
    reading = alerts.reading
    let body = layout.body
    let width = isTiny ? size.width : min(76, body.width) - 4
    lines = isReadable ? Self.lines(alerts.asked, width: width, glyphs: glyphs) : []
    if isTiny {
      // The last line is for the question.
      area = Rect(x: 0, y: 0, width: size.width, height: max(0, size.height - 1))
    } else {
      let height = min(lines.count + 2, body.height)
      area = body.middle(Size(width: width + 4, height: height)).inset(by: 1)
    }
    top = min(reading.list.top, max(0, lines.count - area.height))
  }

  private static func lines(
    _ requests: [HookRequest], width: Int, glyphs: GlyphSet
  ) -> [(text: String, style: Style)] {
    var lines: [(text: String, style: Style)] = []
    func append(_ text: String, indent: Int = 0, _ style: Style) {
      let margin = String(repeating: " ", count: indent)
      for line in TextWrap.lines(text, width: max(1, width - indent), glyphs: glyphs) {
        lines.append((margin + line, style))
      }
    }
    for request in requests {
      append("when \(request.occasion):", Style(.muted))
      append(request.command.text, indent: 2, Style(.text, bold: true))
    }
    lines.append(("", Style()))
    append("They run as you, and get the change as JSON on stdin.", Style(.muted))
    append("Your answer is remembered until the file changes.", Style(.muted))
    return lines
  }

  /// How many lines are visible.
  var visible: Int { area.height }
  var shown: Range<Int> { top..<min(top + visible, lines.count) }
  /// How many lines follow the visible ones.
  var below: Int { lines.count - shown.upperBound }
  var showsEnd: Bool { isReadable && below == 0 }
  /// Whether a yes is accepted: the user can have read everything.
  var canBeConfirmed: Bool { isReadable && reading.hasReachedEnd }
  /// `1-9 of 14`; empty when all are shown.
  var position: String {
    shown.count < lines.count ? "\(top + 1)-\(shown.upperBound) of \(lines.count)" : ""
  }

  /// The question in the message line.
  var question: String {
    guard isReadable else { return "n, or a larger screen: there is no room to read the commands" }
    if canBeConfirmed { return "Trust this dashboard's commands?  y / n" }
    let rest = below == 1 ? "1 more line" : "\(below) more lines"
    return reading.wasHurried
      ? "not yet, \(rest): read on (j, PgDn)  n refuses"
      : "read on before y (j, PgDn): \(rest)  n refuses"
  }

  /// The question for a narrow screen.
  var shortQuestion: String {
    if canBeConfirmed { return position.isEmpty ? "run?  y / n" : "y / n  " + position }
    return reading.wasHurried ? "not yet: j, or n" : "j, or n  " + position
  }

  /// Whether the question says that an answer was refused.
  var isRefusal: Bool { !canBeConfirmed && reading.wasHurried }
}
