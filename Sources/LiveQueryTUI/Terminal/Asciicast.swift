import Dashboard

/// A session of screens as an asciicast, which `asciinema play` and web players show.
///
/// Version 2 of the format: a header, and an event for each screen that differs from the one before.
///
/// - SeeAlso: <https://docs.asciinema.org/manual/asciicast/v2/>
struct Asciicast {
  private let colors: ScreenColors
  private var lines: [String] = []
  private var shown: Grid?
  /// Seconds since the beginning.
  private var time = 0.0
  private let size: Size

  init(size: Size, colors: ScreenColors) {
    self.size = size
    self.colors = colors
  }

  /// The text of the file.
  func text(title: String) -> String {
    let header =
      "{\"version\":2,\"width\":\(size.width),\"height\":\(size.height),\"title\":"
      + Self.quoted(title) + "}"
    return ([header] + lines).joined(separator: "\n") + "\n"
  }

  /// Shows a screen for some milliseconds.
  mutating func show(_ grid: Grid, milliseconds: Int) {
    var output = ""
    for y in 0..<grid.size.height where shown?.hasSameLine(y, as: grid) != true {
      output += "\u{1b}[\(y + 1);1H" + line(y, of: grid)
    }
    if !output.isEmpty {
      let start = shown == nil ? "\u{1b}[?25l\u{1b}[2J" : ""
      lines.append("[\(Self.seconds(time)),\"o\",\(Self.quoted(start + output))]")
    }
    shown = grid
    time += Double(milliseconds) / 1000
  }

  /// Lets the last screen stand for some milliseconds.
  mutating func end(milliseconds: Int) {
    time += Double(milliseconds) / 1000
    lines.append("[\(Self.seconds(time)),\"o\",\"\"]")
  }

  private func line(_ y: Int, of grid: Grid) -> String {
    var text = ""
    var former: ScreenColors.Look?
    for x in 0..<grid.size.width where !grid[x, y].isContinuation {
      let look = colors.look(of: grid[x, y].style)
      if look != former {
        text += sequence(look)
        former = look
      }
      text.append(grid[x, y].character)
    }
    return text + "\u{1b}[0m"
  }

  private func sequence(_ look: ScreenColors.Look) -> String {
    func color(_ rgb: Int32) -> String { "2;\(rgb >> 16 & 255);\(rgb >> 8 & 255);\(rgb & 255)" }
    var parts = ["0", "38;" + color(look.foreground)]
    parts.append("48;" + color(look.background ?? colors.background))
    if look.isBold { parts.append("1") }
    if look.isDim { parts.append("2") }
    if look.isUnderlined { parts.append("4") }
    return "\u{1b}[" + parts.joined(separator: ";") + "m"
  }

  /// A JSON text.
  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\0"..<" ", "\u{7f}"..."\u{9f}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func seconds(_ time: Double) -> String {
    let thousandths = String(Int((time * 1000).rounded()) % 1000 + 1000).dropFirst()
    return "\(Int(time * 1000 + 0.5) / 1000).\(thousandths)"
  }
}

extension Grid {
  fileprivate func hasSameLine(_ y: Int, as other: Grid) -> Bool {
    guard size == other.size else { return false }
    let line = y * size.width..<(y + 1) * size.width
    return cells[line] == other.cells[line]
  }
}
