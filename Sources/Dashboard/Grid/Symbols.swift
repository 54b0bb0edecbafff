/// The signs that the views draw, in Unicode or in ASCII.
struct Symbols {
  /// The lines of a panel's frame, and what holds its title: `╭─┤title├─╮`.
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
  let rule: Character
  let minus: String
  let none: String
  /// From an empty eighth to a full one, bottom up: for little histories.
  let levels: [Character]
  /// From one eighth to a full cell, left to right: for bars.
  let eighths: [Character]

  init(_ glyphs: GlyphSet) {
    let isASCII = glyphs == .ascii
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
    rule = isASCII ? "-" : "─"
    minus = isASCII ? "--" : "—"
    none = isASCII ? "-" : "–"
    levels = Array(isASCII ? "_.-=*#" : "▁▂▃▄▅▆▇█")
    eighths = Array(isASCII ? "#" : "▏▎▍▌▋▊▉█")
  }

  /// Returns a little history: one column per number, the greatest at full height.
  func sparkline(_ numbers: [Double]) -> String {
    let greatest = numbers.max() ?? 0
    return String(
      numbers.map { number in
        guard greatest > 0 else { return levels[0] }
        let level = Int((number / greatest * Double(levels.count - 1)).rounded())
        return levels[min(max(level, 0), levels.count - 1)]
      })
  }
}
