import Dashboard
import Glibc
import TestSupport
import Testing

@testable import LiveQueryTUI

/// What a terminal shows when random grids are drawn one after the other.
@Suite struct EmulatedDrawingTests {
  private static let count = 60

  /// The grids that a seed stands for: each differs a little, or altogether, from the one before.
  private static func grids(seed: UInt64, _ size: Size) -> [Grid] {
    var random = SeededRandom(seed: seed)
    var grid = Grid(size: size)
    return (0..<count).map { _ in
      let changes =
        switch Int.random(in: 0..<10, using: &random) {
        case 0: size.width * size.height
        case 1: 0
        default: Int.random(in: 1...40, using: &random)
        }
      for _ in 0..<changes { change(&grid, &random) }
      grid.cursor =
        random.onceIn(3)
        ? nil
        : (
          Int.random(in: 0..<size.width, using: &random),
          Int.random(in: 0..<size.height, using: &random)
        )
      return grid
    }
  }

  private static let letters: [Character] = [
    " ", " ", " ", "a", "b", "─", "│", "⣿", "é", "e\u{301}", "漢", "字", "▇", "…",
  ]

  /// A run of the same, as much of drawing is.
  private static func change(_ grid: inout Grid, _ random: inout SeededRandom) {
    let size = grid.size
    let y = Int.random(in: 0..<size.height, using: &random)
    var x = Int.random(in: 0..<size.width, using: &random)
    let style = Style(
      Style.Role.allCases.randomElement(using: &random) ?? .text,
      bold: random.onceIn(8), underline: random.onceIn(9), reverse: random.onceIn(9),
      flash: UInt8.random(in: 0...3, using: &random) / 2)
    let letter = letters.randomElement(using: &random) ?? " "
    let width = letter == "漢" || letter == "字" ? 2 : 1
    for _ in 0..<Int.random(in: 1...30, using: &random) where x + width <= size.width {
      if grid[x, y].isContinuation, x > 0 { grid[x - 1, y] = .blank }
      if x + width < size.width, grid[x + width, y].isContinuation { grid[x + width, y] = .blank }
      grid[x, y] = Cell(letter, style)
      if width == 2 { grid[x + 1, y] = Cell(" ", style, isContinuation: true) }
      x += width
    }
  }

  private static func draw(on path: String, seed: UInt64, type: String) {
    PseudoTerminal.adopt(path)
    setenv("TERM", type, 1)
    setenv("LC_ALL", "C.UTF-8", 1)
    // This process has the variables of whoever runs the tests.
    unsetenv("COLORTERM")
    if type == "xterm-direct" { setenv("COLORTERM", "truecolor", 1) }
    if type == "xterm-direct" { setenv("TERM", "xterm-256color", 1) }
    let status = MainLoop().run { loop in
      guard let terminal = try? Terminal.open(color: .always) else {
        loop.stop(status: 77)
        return
      }
      for grid in grids(seed: seed, terminal.size) { terminal.draw(grid) }
      terminal.close()
      loop.stop(status: 0)
    }
    exit(status)
  }

  @Test(
    arguments: [
      "xterm-256color", "xterm-direct", "xterm", "screen-256color", "tmux-256color", "linux",
      "vt100",
    ])
  func `each grid appears, and no cell shows anything else in between`(_ type: String) async throws
  {
    let terminal = PseudoTerminal(Size(width: 61, height: 17))
    var emulator = TerminalEmulator(
      Size(width: 61, height: 17), erasesWithBackground: type.contains("xterm") || type == "linux")
    let seed = UInt64.random(in: 0...UInt64.max)
    let written = await terminal.collecting {
      await #expect(processExitsWith: .success, "seed \(seed)") {
        [path = terminal.path as String, seed = seed as UInt64, type = type as String] in
        EmulatedDrawingTests.draw(on: path, seed: seed, type: type)
      }
    }
    emulator.feed(written)
    #expect(emulator.complaints == [], "seed \(seed)")
    let frames = emulator.takeFrames()
    let grids = Self.grids(seed: seed, emulator.size)
    // Where two grids are the same nothing is written.
    var next = frames[...]
    var shown: Grid?
    for (index, grid) in grids.enumerated() {
      defer { shown = grid }
      if grid == shown { continue }
      guard let frame = next.popFirst() else { break }
      let text = frame.after.map(\.text)
      let expected = grid.cells.map { $0.isContinuation ? "" : String($0.character) }
      #expect(text == expected, "grid \(index) of seed \(seed)")
      // The cursor of a vt100 cannot be hidden.
      let flickers = frame.flickers(width: 61).filter {
        type != "vt100" || !$0.hasPrefix("the cursor")
      }
      if index > 0 { #expect(flickers == [], "grid \(index) of seed \(seed)") }
    }
    #expect(next.isEmpty)
    #expect(!emulator.modes.contains(1049))
    #expect(emulator.isCursorVisible)
  }
}
