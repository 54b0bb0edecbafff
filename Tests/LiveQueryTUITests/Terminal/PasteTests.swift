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

  @Test func `a paste beyond the limit is cut, and its end is found all the same`() {
    let long = String(repeating: "x", count: PasteBuffer.limit + 1000)
    let keys = keys("\u{1b}[200~\(long)\u{1b}[201~q")
    guard case .paste(let text)? = keys.first else {
      Issue.record("no paste")
      return
    }
    #expect(text.utf8.count >= PasteBuffer.limit)
    #expect(text.utf8.count <= PasteBuffer.limit + 16)
    #expect(keys.last == .character("q"))
  }
}
