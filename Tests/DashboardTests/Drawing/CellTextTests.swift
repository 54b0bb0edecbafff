import TestSupport
import Testing

@testable import Dashboard

@Suite struct CellTextTests {
  @Test func `a character comes back with up to four marks`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let bases = "aé日\u{0}👩\u{10ffff}─".unicodeScalars.map { $0 }
    let marks: [Unicode.Scalar] = ["\u{300}", "\u{301}", "\u{338}", "\u{20dd}", "\u{e0100}"]
    for _ in 0..<1000 {
      var text = String(Character(bases.randomElement(using: &random) ?? "a"))
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        text.unicodeScalars.append(marks.randomElement(using: &random) ?? "\u{300}")
      }
      guard text.count == 1 else { continue }
      let cell = CellText(Character(text))
      let whole = [cell.base] + cell.marks
      #expect(whole == Array(text.unicodeScalars), "seed \(seed)")
      #expect(Array(cell.character.unicodeScalars) == whole, "seed \(seed)")
    }
  }

  @Test func `marks beyond the fourth are left out`() {
    let many = Character("o" + String(repeating: "\u{308}", count: 9))
    #expect(CellText(many) == CellText(Character("o" + String(repeating: "\u{308}", count: 4))))
  }

  @Test func `a cell takes three words, and holds no reference`() {
    #expect(MemoryLayout<Cell>.stride == 24)
    #expect(_isPOD(Cell.self))
  }
}
