import Dashboard
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
