import CNcurses
import Dashboard
import Testing

@testable import LiveQueryTUI

@Suite struct GlyphLayoutTests {
  init() {
    // Widths come from the locale; ncurses would set it up.
    _ = lq_locale_setup()
  }

  private func scalars(
    _ character: Character, columns: Int = 1, isUnicode: Bool = true
  ) -> [UInt32] {
    let glyph = GlyphLayout.glyph(for: Cell(character), columns: columns, isUnicode: isUnicode)
    let (a, b, c, d, e) = glyph.scalars
    return [a, b, c, d, e].filter { $0 != 0 }
  }

  @Test func `a letter with marks is one glyph`() {
    #expect(scalars("a") == [0x61])
    #expect(scalars("e\u{301}") == [0x65, 0x301])
    #expect(scalars("日", columns: 2) == [0x65e5])
  }

  @Test(arguments: ["\u{1b}", "\u{7f}", "\u{9b}", "\u{0}", "\n", "\r\n", "\u{301}", "\u{202e}"])
  func `what has no width of its own becomes a replacement`(_ text: String) {
    #expect(scalars(Character(text)) == [0xfffd])
    #expect(scalars(Character(text), isUnicode: false) == [0x3f])
  }

  @Test func `a wide character in a narrow cell becomes a replacement`() {
    #expect(scalars("日", columns: 1) == [0xfffd])
  }

  @Test func `what a joiner joins stays what the first one is`() {
    #expect(scalars("👩\u{200d}👧", columns: 2) == [0x1f469])
  }

  @Test func `four marks are as many as a cell holds`() {
    let many = Character("o" + String(repeating: "\u{308}", count: 40))
    #expect(scalars(many) == [0x6f, 0x308, 0x308, 0x308, 0x308])
  }

  @Test func `without UTF-8 nothing beyond ASCII is written`() {
    #expect(scalars("é", isUnicode: false) == [0x3f])
    #expect(scalars("~", isUnicode: false) == [0x7e])
    #expect(scalars("e\u{301}", isUnicode: false) == [0x3f])
  }

  @Test func `the second half of a wide character is blank when it stands alone`() {
    let half = Cell("日", isContinuation: true)
    #expect(GlyphLayout.glyph(for: half, columns: 1, isUnicode: true).scalars.0 == 0x20)
  }

  @Test func `only what changed is written, and a cell on either side`() {
    let former = "..........".map { Cell($0) }[...]
    let now = "...x.y....".map { Cell($0) }[...]
    #expect(GlyphLayout.changedRange(now, former) == 2..<7)
    #expect(GlyphLayout.changedRange(former, former) == nil)
    #expect(GlyphLayout.changedRange(former, nil) == 0..<10)
    #expect(GlyphLayout.changedRange([], nil) == nil)
  }

  @Test func `a change of style alone is a change`() {
    let former = [Cell("a"), Cell("b"), Cell("c")]
    let now = [Cell("a"), Cell("b"), Cell("c", Style(.text, flash: 1))]
    #expect(GlyphLayout.changedRange(now[...], former[...]) == 1..<3)
  }
}
