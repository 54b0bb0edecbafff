import Dashboard
import Glibc
import Testing

@testable import LiveQueryTUI

/// What reaches the terminal when a grid is drawn. Each test draws in a process of its own, because
/// ncurses has one screen.
@Suite struct DrawingTests {
  private static let mark = "<mark>"

  /// Opens the terminal, and exits with status 0 after `body`, which gets a full grid of dots.
  private static func draw(
    on path: String, _ body: @escaping @ScreenActor (Terminal, inout Grid) -> Void
  ) {
    PseudoTerminal.adopt(path)
    let status = MainLoop().run { loop in
      guard let terminal = try? Terminal.open(color: .never) else {
        // The status tells; there is nowhere to print to.
        loop.stop(status: 77)
        return
      }
      var grid = Grid(size: terminal.size)
      for y in 0..<grid.size.height {
        for x in 0..<grid.size.width { grid[x, y] = Cell(".") }
      }
      terminal.draw(grid)
      _ = write(STDOUT_FILENO, mark, mark.utf8.count)
      body(terminal, &grid)
      _ = write(STDOUT_FILENO, mark, mark.utf8.count)
      loop.stop(status: 0)
    }
    exit(status)
  }

  /// What was written between the marks.
  private func written(to terminal: PseudoTerminal) throws -> String {
    let parts = terminal.written().split(separator: Self.mark, omittingEmptySubsequences: false)
    try #require(parts.count == 3)
    return String(parts[1])
  }

  @Test func `one changed cell is the only one that is written`() async throws {
    let terminal = PseudoTerminal()
    await #expect(processExitsWith: .success) { [path = terminal.path as String] in
      DrawingTests.draw(on: path) { terminal, grid in
        grid[9, 4] = Cell("X")
        terminal.draw(grid)
      }
    }
    let written = try written(to: terminal)
    #expect(written.contains("\u{1b}[5;10HX"))
    #expect(!written.contains("."))
  }

  @Test func `the same grid again writes nothing`() async throws {
    let terminal = PseudoTerminal()
    await #expect(processExitsWith: .success) { [path = terminal.path as String] in
      DrawingTests.draw(on: path) { terminal, grid in terminal.draw(grid) }
    }
    #expect(try written(to: terminal) == "")
  }

  @Test func `a redraw writes everything`() async throws {
    let terminal = PseudoTerminal()
    await #expect(processExitsWith: .success) { [path = terminal.path as String] in
      DrawingTests.draw(on: path) { terminal, grid in
        terminal.invalidate()
        terminal.draw(grid)
      }
    }
    #expect(try written(to: terminal).count { $0 == "." } >= 80 * 23)
  }

  @Test func `a control character never reaches the terminal`() async throws {
    let terminal = PseudoTerminal()
    await #expect(processExitsWith: .success) { [path = terminal.path as String] in
      DrawingTests.draw(on: path) { terminal, grid in
        grid[0, 0] = Cell("\u{7}")
        grid[1, 0] = Cell("\u{9b}")
        terminal.draw(grid)
      }
    }
    let written = try written(to: terminal)
    #expect(!written.isEmpty)
    #expect(!written.unicodeScalars.contains { $0 == "\u{7}" || $0 == "\u{9b}" })
  }

  @Test func `a grid of another size shows what fits`() async throws {
    let terminal = PseudoTerminal()
    await #expect(processExitsWith: .success) { [path = terminal.path as String] in
      DrawingTests.draw(on: path) { terminal, _ in
        for size in [
          Size(width: 0, height: 0), Size(width: 1, height: 1), Size(width: 300, height: 90),
        ] {
          var grid = Grid(size: size)
          if size.width > 0 { grid[size.width - 1, size.height - 1] = Cell("Q") }
          grid.cursor = (size.width, size.height)
          terminal.draw(grid)
        }
      }
    }
    #expect(try written(to: terminal).count { $0 == "Q" } == 1)
  }
}
