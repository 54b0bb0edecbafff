import Dashboard

/// A terminal in memory: the sequences that ncurses sends to xterm, screen and the Linux console, and
/// those that the program adds. It keeps every value that a cell ever had while a frame was written.
///
/// What it does not know is kept in ``complaints``, and so is whatever a person would see flicker: see
/// ``Frame``.
struct TerminalEmulator {
  private(set) var size: Size
  private(set) var cells: [TerminalCell]
  private(set) var cursor = (x: 0, y: 0)
  private(set) var isCursorVisible = true
  /// Private modes that are set, by number.
  private(set) var modes: Set<Int> = [25]
  private(set) var frames: [Frame] = []
  /// Cells that were written outside of frames.
  private(set) var strayWrites = 0
  /// What is not known, or not right.
  private(set) var complaints: [String] = []
  /// How many bells rang.
  private(set) var bells = 0
  /// How often the terminal was asked for its device attributes. Answering is left to the test.
  private(set) var questions = 0

  /// Whether erased cells get the background that is set: terminfo's `bce`.
  let erasesWithBackground: Bool

  private var look = TerminalCell.Look()
  private var frame: Frame?
  private var saved = (x: 0, y: 0)
  private var region: Range<Int>
  /// The last column was written, and the next character goes to the next line.
  private var wraps = false
  private var inserts = false
  private var lastScalar: Unicode.Scalar?
  var parser = SequenceParser()

  init(_ size: Size, erasesWithBackground: Bool = true) {
    self.size = size
    self.erasesWithBackground = erasesWithBackground
    cells = Array(repeating: .blank, count: size.width * size.height)
    region = 0..<size.height
  }

  /// Takes bytes that a program wrote; they may be cut anywhere.
  mutating func feed(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      frame?.bytes.append(byte)
      switch parser.take(byte) {
      case .none: break
      case .scalar(let scalar): put(scalar)
      case .control(let byte): control(byte)
      case .escape(let byte): escape(byte)
      case .sequence(let sequence): perform(sequence)
      case .unknown(let text): complaints.append("unknown: \(text.debugDescription)")
      }
    }
  }

  /// The window changed: what stands beyond the edge is gone.
  mutating func resize(_ size: Size) {
    var resized = Array(repeating: TerminalCell.blank, count: size.width * size.height)
    for y in 0..<min(size.height, self.size.height) {
      for x in 0..<min(size.width, self.size.width) {
        resized[y * size.width + x] = cells[y * self.size.width + x]
      }
    }
    self.size = size
    cells = resized
    region = 0..<size.height
    move(x: cursor.x, y: cursor.y)
  }

  /// The frames so far, which are then forgotten.
  mutating func takeFrames() -> [Frame] {
    defer { frames = [] }
    return frames
  }

  /// The text of the screen, line by line, without trailing blanks.
  var lines: [String] {
    (0..<size.height).map { y in
      var line = cells[y * size.width..<(y + 1) * size.width].map(\.text).joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  // MARK: - Cells

  private mutating func set(x: Int, y: Int, _ cell: TerminalCell) {
    let index = y * size.width + x
    cells[index] = cell
    note { $0.writes.append((index, cell)) }
    if frame == nil { strayWrites += 1 }
  }

  private mutating func note(_ change: (inout Frame) -> Void) {
    if frame == nil { return }
    change(&frame!)
    if isCursorVisible { frame!.visibleMoves += 1 }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let columns = TerminalCell.columns(scalar)
    guard columns > 0 else { return combine(scalar) }
    if wraps || cursor.x + columns > size.width {
      cursor.x = 0
      lineFeed()
    }
    wraps = false
    let (x, y) = cursor
    if inserts { shift(by: columns) }
    // Half of a wide character cannot stay.
    if x > 0, cells[y * size.width + x].text.isEmpty { set(x: x - 1, y: y, blank) }
    let end = x + columns
    if end < size.width, cells[y * size.width + end].text.isEmpty { set(x: end, y: y, blank) }
    set(x: x, y: y, TerminalCell(text: String(Character(scalar)), look: look))
    if columns == 2, x + 1 < size.width {
      set(x: x + 1, y: y, TerminalCell(text: "", look: look))
    }
    lastScalar = scalar
    cursor.x = min(end, size.width - 1)
    wraps = end == size.width
  }

  private mutating func combine(_ mark: Unicode.Scalar) {
    var x = wraps ? cursor.x : cursor.x - 1
    if x > 0, cells[cursor.y * size.width + x].text.isEmpty { x -= 1 }
    guard x >= 0 else { return }
    var cell = cells[cursor.y * size.width + x]
    cell.text.unicodeScalars.append(mark)
    set(x: x, y: cursor.y, cell)
  }

  private var blank: TerminalCell {
    var look = TerminalCell.Look()
    if erasesWithBackground { look.background = self.look.background }
    return TerminalCell(text: " ", look: look)
  }

  private mutating func erase(_ range: Range<Int>, y: Int) {
    for x in range.clamped(to: 0..<size.width) { set(x: x, y: y, blank) }
  }

  /// Makes room at the cursor, or takes it away.
  private mutating func shift(by count: Int) {
    let row = cursor.y * size.width
    let former = Array(cells[row..<row + size.width])
    for x in cursor.x..<size.width {
      let source = x - count
      let isBlank = source < cursor.x && count > 0 || source >= size.width
      set(x: x, y: cursor.y, isBlank ? blank : former[source])
    }
  }

  private mutating func scroll(_ lines: Range<Int>, by count: Int) {
    let former = cells
    for y in lines {
      for x in 0..<size.width {
        let source = y + count
        set(x: x, y: y, lines.contains(source) ? former[source * size.width + x] : blank)
      }
    }
  }

  // MARK: - Moving

  private mutating func move(x: Int, y: Int) {
    let place = (x: min(max(x, 0), size.width - 1), y: min(max(y, 0), size.height - 1))
    wraps = false
    if place != cursor { note { _ in } }
    cursor = place
  }

  private mutating func lineFeed() {
    if cursor.y == region.upperBound - 1 {
      scroll(region, by: 1)
    } else {
      move(x: cursor.x, y: cursor.y + 1)
    }
  }

  private mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x07: bells += 1
    case 0x08: move(x: cursor.x - 1, y: cursor.y)
    case 0x09: move(x: (cursor.x / 8 + 1) * 8, y: cursor.y)
    case 0x0a: lineFeed()
    case 0x0d: move(x: 0, y: cursor.y)
    // The other character set; line drawing is not used where there is UTF-8.
    case 0x0e: complaints.append("line drawing characters")
    case 0x0f: break
    default: complaints.append("control character \(byte)")
    }
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: ">"): break
    case UInt8(ascii: "7"): saved = cursor
    case UInt8(ascii: "8"): move(x: saved.x, y: saved.y)
    case UInt8(ascii: "D"): lineFeed()
    case UInt8(ascii: "E"):
      move(x: 0, y: cursor.y)
      lineFeed()
    case UInt8(ascii: "M"):
      if cursor.y == region.lowerBound {
        scroll(region, by: -1)
      } else {
        move(x: cursor.x, y: cursor.y - 1)
      }
    default: complaints.append("unknown: ESC \(Character(Unicode.Scalar(byte)))")
    }
  }

  private mutating func perform(_ sequence: SequenceParser.Sequence) {
    if sequence.prefix == "?" { return setModes(sequence) }
    let first = sequence.number(0)
    let (x, y) = cursor
    switch sequence.final {
    case "A": move(x: x, y: y - first)
    case "B": move(x: x, y: y + first)
    case "C": move(x: x + first, y: y)
    case "D": move(x: x - first, y: y)
    case "G", "`": move(x: first - 1, y: y)
    case "H", "f": move(x: sequence.number(1) - 1, y: first - 1)
    case "d": move(x: x, y: first - 1)
    case "J": eraseScreen(sequence.number(0, unless: 0))
    case "K":
      switch sequence.number(0, unless: 0) {
      case 0: erase(x..<size.width, y: y)
      case 1: erase(0..<x + 1, y: y)
      default: erase(0..<size.width, y: y)
      }
    case "X": erase(x..<min(x + first, size.width), y: y)
    case "@": shift(by: first)
    case "P": shift(by: -first)
    case "L" where region.contains(y): scroll(y..<region.upperBound, by: -first)
    case "M" where region.contains(y): scroll(y..<region.upperBound, by: first)
    case "S": scroll(region, by: first)
    case "T": scroll(region, by: -first)
    case "b": for _ in 0..<first { if let lastScalar { put(lastScalar) } }
    case "h" where sequence.parameters == ["4"]: inserts = true
    case "l" where sequence.parameters == ["4"]: inserts = false
    // The form of the cursor (screen's cnorm), and the title's stack.
    case "h" where sequence.parameters == ["34"], "l" where sequence.parameters == ["34"]: break
    case "t": break
    case "c": questions += 1
    case "m":
      if let unknown = look.apply(sequence.parameters) {
        complaints.append("unknown: attribute \(unknown)")
      }
    case "r":
      region = max(0, first - 1)..<min(size.height, sequence.number(1, unless: size.height))
      move(x: 0, y: 0)
    default: complaints.append("unknown: \(sequence)")
    }
  }

  private mutating func eraseScreen(_ kind: Int) {
    let (x, y) = cursor
    switch kind {
    case 0:
      if cursor == (0, 0) { note { $0.clears = true } }
      erase(x..<size.width, y: y)
      for line in y + 1..<max(y + 1, size.height) { erase(0..<size.width, y: line) }
    case 1:
      for line in 0..<y { erase(0..<size.width, y: line) }
      erase(0..<x + 1, y: y)
    default:
      note { $0.clears = true }
      for line in 0..<size.height { erase(0..<size.width, y: line) }
    }
  }

  private mutating func setModes(_ sequence: SequenceParser.Sequence) {
    let isSet = sequence.final == "h"
    // The Linux console's form of the cursor.
    if sequence.final == "c" { return }
    guard isSet || sequence.final == "l" else {
      complaints.append("unknown: \(sequence)")
      return
    }
    for number in sequence.parameters.compactMap({ Int($0) }) {
      switch number {
      case 25: isCursorVisible = isSet
      case 2026: synchronize(isSet)
      // Keys, wrapping, blinking, Meta, the mouse, pastes.
      case 1, 7, 12, 1034, 1000, 1002, 1006, 2004: break
      case 1049: cells = cells.map { _ in .blank }
      default: complaints.append("unknown: \(sequence)")
      }
      if isSet { modes.insert(number) } else { modes.remove(number) }
    }
  }

  private mutating func synchronize(_ begins: Bool) {
    if begins, frame == nil {
      frame = Frame(before: cells)
    } else if !begins, var ended = frame {
      ended.after = cells
      frames.append(ended)
      frame = nil
    } else if begins {
      complaints.append("a frame within a frame")
    }
  }
}
