import TestSupport
import Testing

@testable import ObservationEngine

@Suite struct StringSearchTests {
  @Test func `a text is found where the standard library finds it`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    func text(_ lengths: ClosedRange<Int>) -> String {
      let letters = ["a", "b", "é", "e\u{301}", "\u{301}", "日", "\r\n", "\n"]
      return (0..<Int.random(in: lengths, using: &random)).reduce(into: "") { text, _ in
        text += letters.randomElement(using: &random) ?? "a"
      }
    }
    for _ in 0..<2000 {
      let (whole, part) = (text(0...12), text(0...3))
      #expect(whole.place(of: part) == whole.firstRange(of: part), "seed \(seed)")
      guard !part.isEmpty else { continue }
      #expect(
        whole.substituting("x", for: part) == whole.replacing(part, with: "x"), "seed \(seed)")
    }
  }

  @Test func `an empty text is at the start, and substitutes nothing`() {
    #expect("ab".place(of: "") == "ab".startIndex..<"ab".startIndex)
    #expect("".includes(""))
    #expect("ab".substituting("x", for: "") == "ab")
  }
}
