import Dashboard
import TestSupport
import Testing

@testable import LiveQueryTUI

@Suite struct PasteTests {
  private func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.decode(text.utf8)
  }

  @Test func `a paste is one key, and what follows it are others`() {
    #expect(
      keys("a\u{1b}[200~SELECT 1;\rSELECT 2;\u{1b}[201~\rb")
        == [.character("a"), .paste("SELECT 1;\nSELECT 2;"), .enter, .character("b")])
  }

  @Test func `every kind of line end becomes one line end`() {
    #expect(keys("\u{1b}[200~a\r\nb\rc\nd\u{1b}[201~") == [.paste("a\nb\nc\nd")])
  }

  @Test func `a paste presses no keys`() {
    #expect(keys("\u{1b}[200~a\u{3}\u{1b}[A\tb\u{9b}\u{1b}[201~") == [.paste("a[A\tb")])
  }

  @Test func `two pastes that come together are two keys`() {
    #expect(
      keys("\u{1b}[200~a\u{1b}[201~\u{1b}[200~b\u{1b}[201~") == [.paste("a"), .paste("b")])
  }

  @Test func `a paste does not wait for its end as an Escape does`() {
    var decoder = KeyDecoder()
    #expect(decoder.decode("\u{1b}[200~half".utf8) == [])
    #expect(!decoder.isWaiting)
    #expect(decoder.decode(" done\u{1b}[201~".utf8) == [.paste("half done")])
  }

  private func decoder(_ clock: ManualClock) -> KeyDecoder {
    KeyDecoder(clock: { UInt64(clock.now.offset / Duration.nanoseconds(1)) })
  }

  @Test func `after a pause a key is a key, although the end of a paste never came`() {
    let clock = ManualClock()
    var decoder = decoder(clock)
    #expect(decoder.decode("\u{1b}[200~half".utf8) == [])
    for _ in 0..<3 {
      clock.advance(by: .seconds(4))
      #expect(decoder.decode("x".utf8) == [])
    }
    clock.advance(by: .seconds(6))
    #expect(decoder.decode("".utf8) == [])
    #expect(decoder.decode("\u{1b}[A".utf8) == [.up])
    #expect(decoder.decode("q".utf8) == [.character("q")])
  }

  @Test func `a paste goes on when a slow line does`() {
    let clock = ManualClock()
    var decoder = decoder(clock)
    #expect(decoder.decode("\u{1b}[200~one;\r".utf8) == [])
    clock.advance(by: .seconds(60))
    #expect(decoder.decode("two;\rthree;\r".utf8) == [])
    clock.advance(by: .seconds(60))
    #expect(decoder.decode("\u{1b}[201~".utf8) == [.paste("one;\ntwo;\nthree;\n")])
  }

  @Test func `Ctrl-C that comes alone ends a paste without an end`() {
    var decoder = KeyDecoder()
    #expect(decoder.decode("\u{1b}[200~half".utf8) == [])
    #expect(decoder.decode("\u{3}".utf8) == [.control("c")])
    #expect(decoder.decode("q\u{1b}[200~b\u{1b}[201~".utf8) == [.character("q"), .paste("b")])
  }

  @Test(arguments: ["\u{1b}[200~half", "\u{1b}[200~half\u{1b}[20", "\u{1b}[20", "\u{1b}"])
  func `what was forgotten does not change what follows`(_ begun: String) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(begun.utf8) == [])
    decoder.forget()
    #expect(!decoder.isWaiting)
    #expect(decoder.decode("q".utf8) == [.character("q")])
  }

  @Test(arguments: [0, 1, 5, 6, 7, 1000, 1 << 20])
  func `of a paste beyond the limit nothing is taken but its length`(_ excess: Int) {
    let count = Key.pasteLimit + excess
    var decoder = KeyDecoder()
    var keys = decoder.decode("\u{1b}[200~".utf8)
    // As a terminal sends it: in pieces, whose ends mean nothing.
    let bytes = Array(repeating: UInt8(ascii: "x"), count: count) + Array("\u{1b}[201~q".utf8)
    for start in stride(from: 0, to: bytes.count, by: 65_521) {
      keys += decoder.decode(bytes[start..<min(start + 65_521, bytes.count)])
    }
    if excess == 0 {
      #expect(keys == [.paste(String(repeating: "x", count: count)), .character("q")])
    } else {
      #expect(keys == [.longPaste(bytes: count), .character("q")])
    }
  }
}
