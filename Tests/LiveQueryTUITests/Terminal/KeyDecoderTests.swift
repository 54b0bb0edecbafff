import Dashboard
import Testing

@testable import LiveQueryTUI

@Suite struct KeyDecoderTests {
  @Test(
    arguments: [
      ("a", [.character("a")]),
      ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7f}", [.backspace]),
      ("\u{3}", [.control("c")]), ("\u{1a}", [.control("z")]), ("\u{0}", [.control(" ")]),
      ("\u{1c}", [.control("\\")]), ("\u{1f}", [.control("_")]),
      ("é日😀", [.character("é"), .character("日"), .character("😀")]),
      ("e\u{301}x", [.character("e\u{301}"), .character("x")]),
      ("\u{1b}x", [.alt("x")]), ("\u{1b}é", [.alt("é")]), ("\u{1b}\r", [.altEnter]),
      ("\u{1b}[A", [.up]), ("\u{1b}OA", [.up]), ("\u{1b}[Z", [.backTab]),
      ("\u{1b}[1;5C", [.wordRight]), ("\u{1b}[1;3D", [.wordLeft]), ("\u{1b}[1;2C", [.right]),
      ("\u{1b}[H", [.home]), ("\u{1b}[4~", [.end]), ("\u{1b}[5~", [.pageUp]),
      ("\u{1b}[3~", [.delete]), ("\u{1b}OP", [.function(1)]), ("\u{1b}[[E", [.function(5)]),
      ("\u{1b}[15~", [.function(5)]), ("\u{1b}[24~", [.function(12)]),
      ("\u{1b}OM", [.enter]), ("\u{1b}Ow", [.character("7")]),
      ("\u{1b}[13;3u", [.altEnter]), ("\u{1b}[99;5u", [.control("c")]),
      ("\u{1b}[27;2;13~", [.altEnter]),
      ("q\u{1b}[Bq", [.character("q"), .down, .character("q")]),
      ("\u{1b}\u{1b}[A", [.escape, .up]),
    ] as [(String, [Key])])
  func `bytes are the key that was pressed`(_ text: String, _ keys: [Key]) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(text.utf8) == keys)
    #expect(!decoder.isWaiting)
  }

  @Test(arguments: [
    "\u{1b}[A", "\u{1b}[1;5C", "\u{1b}OP", "\u{1b}[[A", "日", "😀", "\u{1b}é", "\u{1b}[24~",
    "\u{1b}[200~two\rlines\u{1b}[201~",
  ])
  func `a key that comes byte by byte is the same key`(_ text: String) {
    var whole = KeyDecoder()
    var split = KeyDecoder()
    #expect(text.utf8.flatMap { split.decode([$0]) } == whole.decode(text.utf8))
    #expect(!split.isWaiting)
  }

  @Test(
    arguments: [
      ("\u{1b}", [.escape]), ("\u{1b}[", [.alt("[")]), ("\u{1b}O", [.alt("O")]),
      ("\u{1b}\u{1b}", [.escape, .escape]),
      ("\u{1b}[1;5", [.character("["), .character("1"), .character(";"), .character("5")]),
    ] as [(String, [Key])])
  func `what is begun and not ended is what was typed`(_ text: String, _ keys: [Key]) {
    var decoder = KeyDecoder()
    let first = decoder.decode(text.utf8)
    #expect(decoder.isWaiting)
    #expect(first + decoder.flush() == keys)
    #expect(!decoder.isWaiting)
  }

  @Test(
    arguments: [
      ("\u{1b}", 25), ("\u{1b}[", 25), ("\u{1b}O", 25), ("\u{1b}[<", 500), ("\u{1b}[<35;2", 500),
      ("\u{1b}[1", 500), ("\u{1b}[1;5", 500), ("x\u{1b}[<0;1", 500), ("\u{e3}", 25),
    ] as [(String, Int32)])
  func `what no one types gets longer to arrive`(_ text: String, _ patience: Int32) {
    var decoder = KeyDecoder()
    _ = decoder.decode(text.utf8)
    #expect(decoder.patience == patience)
  }

  @Test(arguments: ["\u{1b}[?62;4c", "\u{1b}[I", "\u{1b}[99~", "\u{1b}[[Z"])
  func `a report that nobody asked for is no key`(_ text: String) {
    var decoder = KeyDecoder()
    #expect(decoder.decode((text + "x").utf8) == [.character("x")])
  }

  @Test(
    arguments: [[0xff], [0xc3, 0x28], [0x80], [0xed, 0xa0, 0x80], [0xc2, 0x9b]] as [[UInt8]])
  func `bytes that are no text are no key`(_ bytes: [UInt8]) {
    var decoder = KeyDecoder()
    let keys = decoder.decode(bytes + [0x78])
    #expect(keys.last == .character("x"))
    #expect(keys.allSatisfy { $0 == .character("x") || $0 == .character("(") })
  }

  @Test func `the terminal's own sequences come first`() {
    var decoder = KeyDecoder(known: [Array("\u{1b}[A".utf8): .function(9)])
    #expect(decoder.decode("\u{1b}[A\u{1b}[B".utf8) == [.function(9), .down])
  }

  @Test func `a sequence without end does not grow without end`() {
    var decoder = KeyDecoder()
    let keys = decoder.decode(("\u{1b}[" + String(repeating: "1", count: 500)).utf8)
    #expect(!decoder.isWaiting)
    #expect(keys.count == 501)
  }
}
