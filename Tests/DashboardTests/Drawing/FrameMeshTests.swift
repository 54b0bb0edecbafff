import Testing

@testable import Dashboard

@Suite struct FrameMeshTests {
  private func drawn(
    _ frames: [(Rect, Bool)], size: Size = Size(width: 17, height: 7),
    glyphs: GlyphSet = .unicode, titles: [String] = []
  ) -> [String] {
    var canvas = Canvas(size: size, glyphs: glyphs)
    canvas.mesh = FrameMesh(
      frames.map { FrameMesh.Member(frame: $0.0, isFocused: $0.1) }, size: size)
    for (index, (frame, isFocused)) in frames.enumerated() {
      FrameView.draw(
        title: titles.indices.contains(index) ? titles[index] : "", info: "", frame: frame,
        isFocused: isFocused, on: &canvas)
    }
    return canvas.grid.text.split(separator: "\n").map(String.init)
  }

  private let four = [
    (Rect(x: 0, y: 0, width: 9, height: 4), false), (Rect(x: 8, y: 0, width: 9, height: 4), false),
    (Rect(x: 0, y: 3, width: 9, height: 4), false), (Rect(x: 8, y: 3, width: 9, height: 4), false),
  ]

  /// Without the joints around an empty title.
  private func bare(_ lines: [String]) -> [String] {
    lines.map {
      $0.replacing("━┤├━", with: "━━━━").replacing("=[]=", with: "====").replacing("┤├", with: "──")
        .replacing("┫┣", with: "━━").replacing("[]", with: "--")
    }
  }

  @Test func `four frames share a cross`() {
    #expect(
      bare(drawn(four)) == [
        "╭───────┬───────╮", "│       │       │", "│       │       │", "├───────┼───────┤",
        "│       │       │", "│       │       │", "╰───────┴───────╯",
      ])
  }

  @Test func `the focused frame is heavy all around`() {
    var frames = four
    frames[1].1 = true
    #expect(
      bare(drawn(frames)) == [
        "╭───────┲━━━━━━━┓", "│       ┃       ┃", "│       ┃       ┃", "├───────╄━━━━━━━┩",
        "│       │       │", "│       │       │", "╰───────┴───────╯",
      ])
  }

  @Test func `a frame beside two others meets them in a tee`() {
    let frames = [
      (Rect(x: 0, y: 0, width: 9, height: 7), false),
      (Rect(x: 8, y: 0, width: 9, height: 4), false),
      (Rect(x: 8, y: 3, width: 9, height: 4), true),
    ]
    #expect(
      bare(drawn(frames)) == [
        "╭───────┬───────╮", "│       │       │", "│       │       │", "│       ┢━━━━━━━┪",
        "│       ┃       ┃", "│       ┃       ┃", "╰───────┺━━━━━━━┛",
      ])
  }

  @Test func `titles stay, in whatever order the frames are drawn`() {
    let titles = ["a", "b", "c", "d"]
    let lines = drawn(four, titles: titles)
    let reversed = drawn(Array(four.reversed()), titles: titles.reversed())
    #expect(lines == reversed)
    #expect(lines[0] == "╭─┤a├───┬─┤b├───╮" && lines[3] == "├─┤c├───┼─┤d├───┤")
  }

  @Test func `ASCII has a plus where lines meet`() {
    var frames = four
    frames[3].1 = true
    #expect(
      bare(drawn(frames, glyphs: .ascii)) == [
        "+-------+-------+", "|       |       |", "|       |       |", "+-------#=======#",
        "|       #       #", "|       #       #", "+-------#=======#",
      ])
  }

  @Test func `each way in which lines can meet has a character`() {
    let weights: [LineArms.Weight] = [.none, .light, .heavy]
    for up in weights {
      for down in weights {
        for left in weights {
          for right in weights {
            let arms = LineArms(up: up, down: down, left: left, right: right)
            let count = [up, down, left, right].count { $0 != .none }
            let isStraight = count == 2 && (up == .none) == (down == .none)
            let isHalfHeavy = isStraight && (up != down || left != right)
            #expect((arms.character != nil) == (count >= 2 && !isHalfHeavy), "\(arms)")
          }
        }
      }
    }
  }

  @Test func `an alert goes into the upper line when the lower one is shared`() {
    let size = Size(width: 60, height: 9)
    var canvas = Canvas(size: size, glyphs: .unicode)
    let frames = [Rect(x: 0, y: 0, width: 60, height: 5), Rect(x: 0, y: 4, width: 60, height: 5)]
    canvas.mesh = FrameMesh(
      frames.map { FrameMesh.Member(frame: $0, isFocused: false) }, size: size)
    for frame in frames {
      FrameView.draw(title: "rate", info: "! > 5", frame: frame, isFocused: false, on: &canvas)
    }
    #expect(FrameView.room(for: 10, in: frames[1], isTrailing: true, on: canvas)?.y == 8)
    let upper = FrameView.room(for: 10, in: frames[0], isTrailing: true, on: canvas)
    #expect(upper?.y == 0)
    #expect(FrameView.room(for: 50, in: frames[0], isTrailing: true, on: canvas) == nil)
  }
}
