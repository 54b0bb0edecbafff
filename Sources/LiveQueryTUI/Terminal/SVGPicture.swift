import Dashboard

/// A screen as an SVG image, for a document.
///
/// Lines, blocks and Braille are drawn as shapes, so that they join whatever the font of the reader;
/// the rest is text, cell by cell where a font could be wider.
///
/// - Complexity: O(cells).
struct SVGPicture {
  private static let cell = (width: 9, height: 19)
  private static let margin = 12
  private static let baseline = 14

  private let grid: Grid
  private let colors: ScreenColors
  /// The shapes of each colour, as path data.
  private var shapes: [Int32: String] = [:]
  private var backgrounds: [Int32: String] = [:]
  private var texts = ""
  /// The classes of looks, by their number.
  private var classes: [ScreenColors.Look: Int] = [:]

  /// Returns the image of a grid, with this title for readers who can't see it.
  static func text(_ grid: Grid, title: String, colors: ScreenColors) -> String {
    var picture = SVGPicture(grid: grid, colors: colors)
    for y in 0..<grid.size.height { picture.draw(line: y) }
    return picture.document(title: title)
  }

  private init(grid: Grid, colors: ScreenColors) {
    self.grid = grid
    self.colors = colors
  }

  private func document(title: String) -> String {
    let width = grid.size.width * Self.cell.width + 2 * Self.margin
    let height = grid.size.height * Self.cell.height + 2 * Self.margin
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" role="img">
      <title>\(Self.escaped(title))</title>
      <style>
      text{font:14px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;white-space:pre}

      """
    for (look, number) in classes.sorted(by: { $0.value < $1.value }) {
      text += ".c\(number){fill:\(ScreenColors.hex(look.foreground))"
      if look.isBold { text += ";font-weight:700" }
      if look.isDim { text += ";opacity:.6" }
      if look.isUnderlined { text += ";text-decoration:underline" }
      text += "}\n"
    }
    text += """
      </style>
      <rect width="\(width)" height="\(height)" rx="8" fill="\(ScreenColors.hex(colors.background))"/>
      <g transform="translate(\(Self.margin) \(Self.margin))">

      """
    for (color, path) in backgrounds.sorted(by: { $0.key < $1.key }) {
      text += "<path fill=\"\(ScreenColors.hex(color))\" d=\"\(path)\"/>\n"
    }
    for (color, path) in shapes.sorted(by: { $0.key < $1.key }) {
      text += "<path fill=\"\(ScreenColors.hex(color))\" d=\"\(path)\"/>\n"
    }
    return text + texts + "</g>\n</svg>\n"
  }

  private mutating func draw(line y: Int) {
    var x = 0
    while x < grid.size.width {
      let look = colors.look(of: grid[x, y].style)
      var end = x + 1
      while end < grid.size.width, colors.look(of: grid[end, y].style) == look { end += 1 }
      if let background = look.background {
        backgrounds[background, default: ""] += Self.rect(
          x * Self.cell.width, y * Self.cell.height, (end - x) * Self.cell.width, Self.cell.height)
      }
      draw(x..<end, y, look)
      x = end
    }
  }

  /// Draws cells of one look: shapes, and runs of text between them.
  private mutating func draw(_ cells: Range<Int>, _ y: Int, _ look: ScreenColors.Look) {
    var run = ""
    var start = cells.lowerBound
    for x in cells {
      let cell = grid[x, y]
      if cell.isContinuation { continue }
      let isPlain = cell.character.isASCII
      if cell.character == " " || !isPlain {
        // Text that may be wider than its cells starts anew.
        if !isPlain || run.isEmpty || run.last == " " {
          write(run, x: start, y: y, look)
          (run, start) = ("", x + 1)
        } else {
          run.append(" ")
        }
        if isPlain { continue }
        if let path = CellShape.path(
          cell.character, x: x * Self.cell.width, y: y * Self.cell.height, Self.cell)
        {
          shapes[look.foreground, default: ""] += path
        } else {
          write(String(cell.character), x: x, y: y, look)
        }
      } else {
        if run.isEmpty { start = x }
        run.append(cell.character)
      }
    }
    write(run, x: start, y: y, look)
  }

  private mutating func write(_ run: String, x: Int, y: Int, _ look: ScreenColors.Look) {
    var run = run[...]
    while run.last == " " { run.removeLast() }
    guard !run.isEmpty else { return }
    var style = look
    style.background = nil
    let number = classes[style] ?? classes.count
    classes[style] = number
    let length = run.count > 1 ? " textLength=\"\(run.count * Self.cell.width)\"" : ""
    texts +=
      "<text class=\"c\(number)\" x=\"\(x * Self.cell.width)\" "
      + "y=\"\(y * Self.cell.height + Self.baseline)\"\(length)>\(Self.escaped(String(run)))</text>\n"
  }

  private static func rect(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> String {
    "M\(x) \(y)h\(width)v\(height)h-\(width)z"
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      // XML has no control characters, not even escaped.
      case "\0"..<" ", "\u{7f}"..."\u{9f}", "\u{fffe}", "\u{ffff}": result += "\u{fffd}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// The characters that fill cells or join those next to them, as path data.
enum CellShape {
  /// - Returns: nil for a character that a font draws.
  static func path(
    _ character: Character, x: Int, y: Int, _ cell: (width: Int, height: Int)
  ) -> String? {
    guard let scalar = character.unicodeScalars.first, character.unicodeScalars.count == 1 else {
      return nil
    }
    func rect(_ left: Double, _ top: Double, _ right: Double, _ bottom: Double) -> String {
      let (width, height) = (Double(cell.width), Double(cell.height))
      return "M\(number(Double(x) + left * width)) \(number(Double(y) + top * height))"
        + "h\(number((right - left) * width))v\(number((bottom - top) * height))"
        + "h\(number((left - right) * width))z"
    }
    switch scalar.value {
    case 0x2580: return rect(0, 0, 1, 0.5)
    case 0x2581...0x2588: return rect(0, 1 - Double(scalar.value - 0x2580) / 8, 1, 1)
    case 0x2589...0x258f: return rect(0, 0, Double(0x2590 - scalar.value) / 8, 1)
    case 0x2800...0x28ff: return dots(scalar.value - 0x2800, x: x, y: y, cell)
    default: return lines[character].map { strokes($0, x: x, y: y, cell) }
    }
  }

  private static func dots(
    _ mask: UInt32, x: Int, y: Int, _ cell: (width: Int, height: Int)
  ) -> String {
    // By bit: Braille numbers the lowest row last.
    let places = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]
    var path = ""
    for (bit, place) in places.enumerated() where mask >> UInt32(bit) & 1 == 1 {
      let left = Double(x) + (Double(place.0) + 0.5) * Double(cell.width) / 2 - 1.1
      let top = Double(y) + (Double(place.1) + 0.5) * Double(cell.height) / 4 - 1.1
      path += "M\(number(left)) \(number(top))h2.2v2.2h-2.2z"
    }
    return path
  }

  /// Which ends a line has: left, right, up, down; 2 is a heavy one.
  private static let lines: [Character: (Int, Int, Int, Int)] = [
    "─": (1, 1, 0, 0), "│": (0, 0, 1, 1), "╭": (0, 1, 0, 1), "╮": (1, 0, 0, 1), "╰": (0, 1, 1, 0),
    "╯": (1, 0, 1, 0), "┌": (0, 1, 0, 1), "┐": (1, 0, 0, 1), "└": (0, 1, 1, 0), "┘": (1, 0, 1, 0),
    "├": (0, 1, 1, 1), "┤": (1, 0, 1, 1), "┬": (1, 1, 0, 1), "┴": (1, 1, 1, 0), "┼": (1, 1, 1, 1),
    "━": (2, 2, 0, 0), "┃": (0, 0, 2, 2), "┏": (0, 2, 0, 2), "┓": (2, 0, 0, 2), "┗": (0, 2, 2, 0),
    "┛": (2, 0, 2, 0), "┣": (0, 2, 2, 2), "┫": (2, 0, 2, 2), "┳": (2, 2, 0, 2), "┻": (2, 2, 2, 0),
    "╋": (2, 2, 2, 2),
  ]

  private static func strokes(
    _ ends: (left: Int, right: Int, up: Int, down: Int), x: Int, y: Int,
    _ cell: (width: Int, height: Int)
  ) -> String {
    let thick = max(ends.left, ends.right, ends.up, ends.down) == 2 ? 2.4 : 1.2
    let (width, height) = (Double(cell.width), Double(cell.height))
    let (middleX, middleY) = (width / 2, height / 2)
    var path = ""
    func add(_ left: Double, _ top: Double, _ right: Double, _ bottom: Double) {
      path += "M\(number(Double(x) + left)) \(number(Double(y) + top))h\(number(right - left))"
        + "v\(number(bottom - top))h\(number(left - right))z"
    }
    let half = thick / 2
    if ends.left > 0 || ends.right > 0 {
      add(
        ends.left > 0 ? 0 : middleX - half, middleY - half,
        ends.right > 0 ? width : middleX + half, middleY + half)
    }
    if ends.up > 0 || ends.down > 0 {
      add(
        middleX - half, ends.up > 0 ? 0 : middleY - half, middleX + half,
        ends.down > 0 ? height : middleY + half)
    }
    return path
  }

  /// A coordinate with at most two decimals.
  private static func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = (abs(hundredths) / 100, abs(hundredths) % 100)
    let sign = hundredths < 0 ? "-" : ""
    if rest == 0 { return sign + "\(whole)" }
    let fraction = rest % 10 == 0 ? "\(rest / 10)" : (rest < 10 ? "0\(rest)" : "\(rest)")
    return sign + "\(whole).\(fraction)"
  }
}
