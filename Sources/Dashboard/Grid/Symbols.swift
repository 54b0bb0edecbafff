/// The symbols that the views draw, in Unicode or in ASCII.
struct Symbols {
  /// The lines of a panel's frame, and the brackets of its title: `╭─┤title├─╮`.
  struct Frame {
    var topLeft: Character
    var topRight: Character
    var bottomLeft: Character
    var bottomRight: Character
    var horizontal: Character
    var vertical: Character
    var open: Character
    var close: Character
  }

  /// The lines of a chart's scales, with ticks to the left and below.
  struct Axis {
    var horizontal: Character
    var vertical: Character
    var origin: Character
    var left: Character
    var below: Character
    /// A threshold.
    var mark: Character
  }

  /// Whether nothing beyond ASCII may be drawn.
  let isASCII: Bool
  let frame: Frame
  let focusedFrame: Frame
  let up: Character
  let down: Character
  let star: Character
  let live: Character
  let paused: String
  let dot: String
  let arrow: String
  let bar: String
  let check: String
  let caret: String
  let delta: String
  let prompt: String
  let more: Character
  let opened: Character
  let closed: Character
  let less: Character
  /// The lines of a pop-up in front of a pane.
  let popup: Frame
  /// The branches of a tree: a step with later siblings, the last one, and a line past steps to
  /// later ones.
  let branch: String
  let lastBranch: String
  let rail: String
  let rule: Character
  let minus: String
  let none: String
  /// The symbol for a value that is not known yet.
  let ellipsis: String
  let axis: Axis
  /// The symbols that distinguish the series of a chart.
  let series: [Character]
  /// From an empty eighth to a full one, bottom up: for sparklines.
  let levels: [Character]
  /// From one eighth to a full cell, left to right: for bars.
  let eighths: [Character]
  /// A full cell of a bar, lower than the line: bars above each other do not touch.
  let barCell: Character

  /// - Complexity: O(1): the symbols are parsed only once.
  init(_ glyphs: GlyphSet) { self = glyphs == .ascii ? Self.ascii : Self.unicode }

  private static let ascii = Symbols(isASCII: true)
  private static let unicode = Symbols(isASCII: false)

  private init(isASCII: Bool) {
    self.isASCII = isASCII
    frame =
      isASCII
      ? Frame(
        topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+", horizontal: "-",
        vertical: "|", open: "[", close: "]")
      : Frame(
        topLeft: "╭", topRight: "╮", bottomLeft: "╰", bottomRight: "╯", horizontal: "─",
        vertical: "│", open: "┤", close: "├")
    focusedFrame =
      isASCII
      ? Frame(
        topLeft: "#", topRight: "#", bottomLeft: "#", bottomRight: "#", horizontal: "=",
        vertical: "#", open: "[", close: "]")
      : Frame(
        topLeft: "┏", topRight: "┓", bottomLeft: "┗", bottomRight: "┛", horizontal: "━",
        vertical: "┃", open: "┫", close: "┣")
    popup =
      isASCII
      ? frame
      : Frame(
        topLeft: "┌", topRight: "┐", bottomLeft: "└", bottomRight: "┘", horizontal: "─",
        vertical: "│", open: "┤", close: "├")
    branch = isASCII ? "|-- " : "├─ "
    lastBranch = isASCII ? "`-- " : "└─ "
    rail = isASCII ? "|   " : "│  "
    up = isASCII ? "^" : "▲"
    down = isASCII ? "v" : "▼"
    star = isASCII ? "*" : "★"
    live = isASCII ? "*" : "●"
    paused = isASCII ? "||" : "‖"
    dot = isASCII ? " - " : " · "
    arrow = isASCII ? ">" : "→"
    bar = isASCII ? "|" : "│"
    check = isASCII ? "ok" : "✓"
    caret = "^"
    delta = isASCII ? "+/-" : "Δ"
    prompt = isASCII ? " ..>" : "  …>"
    more = isASCII ? ">" : "›"
    opened = isASCII ? "v" : "▾"
    closed = isASCII ? ">" : "▸"
    less = isASCII ? "<" : "‹"
    rule = isASCII ? "-" : "─"
    minus = isASCII ? "--" : "—"
    none = isASCII ? "-" : "–"
    ellipsis = isASCII ? "..." : "…"
    axis =
      isASCII
      ? Axis(horizontal: "-", vertical: "|", origin: "+", left: "+", below: "+", mark: "|")
      : Axis(horizontal: "─", vertical: "│", origin: "┼", left: "┤", below: "┬", mark: "│")
    series = Array(isASCII ? "*o+x#%" : "●○◆◇▲△")
    levels = Array(isASCII ? "_.-=*#" : "▁▂▃▄▅▆▇█")
    eighths = Array(isASCII ? "#" : "▏▎▍▌▋▊▉█")
    barCell = isASCII ? "#" : "▇"
  }

  /// Returns a sparkline: one column per number, the greatest at full height.
  func sparkline(_ numbers: [Double]) -> String {
    let greatest = numbers.lazy.filter(\.isFinite).max() ?? 0
    return String(numbers.map { level($0 / greatest, isVisible: greatest > 0) })
  }

  /// Returns how numbers rose and fell between the smallest and the greatest of them; gaps are
  /// blanks.
  func course(_ numbers: [Double]) -> String {
    let finite = numbers.filter(\.isFinite)
    guard let least = finite.min(), let greatest = finite.max() else {
      return String(repeating: " ", count: numbers.count)
    }
    return String(
      numbers.map { number -> Character in
        guard number.isFinite else { return " " }
        // Constant numbers are in the middle: neither low nor high.
        guard least < greatest else { return levels[levels.count / 2 - 1] }
        // Halves, because the difference of the greatest numbers is infinite.
        return level((number / 2 - least / 2) / (greatest / 2 - least / 2), isVisible: true)
      })
  }

  /// Returns the levels of numbers, the given greatest one at full height; any that isn't 0 is
  /// visible.
  func levels(of numbers: some Sequence<Int>, greatest: Int) -> String {
    String(
      numbers.map { number in
        guard number > 0, greatest > 0 else { return levels[0] }
        return levels[max(1, number * (levels.count - 1) / max(number, greatest))]
      })
  }

  private func level(_ share: Double, isVisible: Bool) -> Character {
    guard isVisible, share.isFinite else { return levels[0] }
    return levels[Int((min(max(share, 0), 1) * Double(levels.count - 1)).rounded())]
  }
}

/// Which characters the program itself may draw with; text from the database is not affected.
package enum GlyphSet: Sendable, Hashable {
  /// Box drawing, blocks, arrows.
  case unicode
  /// Nothing beyond ASCII, for terminals and fonts without the rest.
  case ascii
}
