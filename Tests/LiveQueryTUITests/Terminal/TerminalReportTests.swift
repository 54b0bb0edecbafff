import Dashboard
import Testing

@testable import LiveQueryTUI

/// Answers of a terminal, among the keys.
@Suite struct TerminalReportTests {
  private static let background = "\u{1b}]11;rgb:ffff/eeee/0000\u{7}"
  private static let attributes = "\u{1b}[?62;4c"
  private static let color = TerminalReport.background(
    TerminalColor(red: 1, green: 0xeeee / 0xffff, blue: 0))

  private func asking() -> KeyDecoder {
    var decoder = KeyDecoder()
    decoder.awaitsReports = true
    return decoder
  }

  @Test(arguments: ["\u{7}", "\u{1b}\\"])
  func `reports are no keys, and the keys between them are`(_ end: String) {
    var decoder = asking()
    let text = "j\u{1b}]11;rgb:0/0/0\(end)k\u{1b}[A\(Self.attributes)l"
    #expect(
      decoder.decode(text.utf8)
        == [.character("j"), .character("k"), .up, .character("l")])
    #expect(
      decoder.takeReports()
        == [.background(TerminalColor(red: 0, green: 0, blue: 0)), .deviceAttributes])
    #expect(decoder.takeReports().isEmpty)
    #expect(!decoder.awaitsReports)
    #expect(!decoder.isWaiting)
  }

  /// As a line delivers them: with time between the pieces, or without.
  @Test(arguments: [false, true])
  func `reports in pieces are the same`(_ pauses: Bool) {
    let bytes = Array("x\(Self.background)\(Self.attributes)y".utf8)
    for cut in 1..<bytes.count {
      for second in cut...bytes.count {
        var decoder = asking()
        var keys: [Key] = []
        for piece in [bytes[..<cut], bytes[cut..<second], bytes[second...]] {
          keys += decoder.decode(piece)
          if pauses, decoder.isWaiting { keys += decoder.flush() }
        }
        // After a pause an Escape is the key, and so is a bracket after another one: whoever pressed
        // them must not wait for a report.
        if pauses { keys.removeAll { [.escape, .character("["), .character("]")].contains($0) } }
        #expect(keys == [.character("x"), .character("y")], "cut at \(cut) and \(second)")
        #expect(decoder.takeReports().count == 2, "cut at \(cut) and \(second)")
        #expect(!decoder.isWaiting)
      }
    }
  }

  @Test func `byte by byte, with a pause after each, all but an Escape and a bracket is no key`() {
    var decoder = asking()
    var keys: [Key] = []
    for byte in (Self.background + "q" + Self.attributes).utf8 {
      keys += decoder.decode([byte])
      if decoder.isWaiting { keys += decoder.flush() }
    }
    #expect(keys.contains(.character("q")))
    #expect(Set(keys).isSubset(of: [.escape, .character("q"), .character("]"), .character("[")]))
    #expect(decoder.takeReports() == [Self.color, .deviceAttributes])
  }

  @Test func `keys that begin as a report does are keys`() {
    var decoder = asking()
    func press(_ text: String) -> [Key] {
      let keys = decoder.decode(text.utf8)
      return decoder.isWaiting ? keys + decoder.flush() : keys
    }
    #expect(press("\u{1b}") == [.escape])
    #expect(press("\u{1b}") == [.escape])
    #expect(press("]") == [.character("]")])
    #expect(press("x") == [.character("x")])
    #expect(press("\u{1b}[A") == [.up])
    #expect(press("\u{1b}") == [.escape])
    #expect(press("\u{1b}[200~p\u{1b}[201~") == [.paste("p")])
    #expect(press("\u{1b}]") + press("x") == [.alt("]"), .character("x")])
    #expect(press("\u{1b}[?2026;2$y") == [])
    #expect(press(Self.background + Self.attributes) == [])
    #expect(decoder.takeReports() == [Self.color, .deviceAttributes])
  }

  @Test func `a report without end does not swallow keys for ever`() {
    var decoder = asking()
    _ = decoder.decode("\u{1b}]11;".utf8)
    let keys = decoder.decode(String(repeating: "a", count: 500).utf8)
    #expect(keys.count > 400)
    #expect(!decoder.isWaiting)
  }

  @Test(arguments: ["\u{7}", "\u{1b}\\"])
  func `an answer that nobody waits for is no key either`(_ end: String) {
    var decoder = KeyDecoder()
    let bytes = Array("\u{1b}]11;rgb:ffff/ffff/ffff\(end)x".utf8)
    #expect(decoder.decode(bytes) == [.character("x")])
    #expect(decoder.takeReports().isEmpty)
    var split = KeyDecoder()
    #expect(bytes.flatMap { split.decode([$0]) } == [.character("x")])
    #expect(split.decode("\u{1b}]x".utf8) == [.alt("]"), .character("x")])
  }

  @Test(
    arguments: [
      ("rgb:f/0/8", (1, 0, 8.0 / 15)), ("rgb:ff/00/80", (1, 0, 128.0 / 255)),
      ("rgb:fff/000/800", (1, 0, 2048.0 / 4095)), ("rgb:FFFF/0000/8000", (1, 0, 32768.0 / 65535)),
      ("rgba:ffff/ffff/ffff/8000", (1, 1, 1)),
    ] as [(String, (Double, Double, Double))])
  func `a colour has one to four digits a part`(
    _ text: String, _ parts: (Double, Double, Double)
  ) {
    #expect(
      TerminalColor(specification: text)
        == TerminalColor(red: parts.0, green: parts.1, blue: parts.2))
  }

  @Test(arguments: [
    "", "rgb:", "rgb:1/2", "rgb:1/2/3/4", "rgba:1/2/3", "rgb:12345/0/0", "rgb:+f/0/0", "rgb:g/0/0",
    "rgb://", "white", "#ffffff", "?",
  ])
  func `anything else is no colour`(_ text: String) {
    #expect(TerminalColor(specification: text) == nil)
  }

  @Test(
    arguments: [
      ("rgb:0/0/0", .dark), ("rgb:f/f/f", .light), ("rgb:0000/2b2b/3636", .dark),
      ("rgb:fdfd/f6f6/e3e3", .light), ("rgb:28/2c/34", .dark), ("rgb:00/00/ff", .dark),
      ("rgb:00/ff/00", .light), ("rgb:60/60/60", .dark), ("rgb:90/90/90", .light),
    ] as [(String, Palette.Background)])
  func `light is where black text is easier to read`(
    _ text: String, _ background: Palette.Background
  ) throws {
    #expect(Palette.Background(try #require(TerminalColor(specification: text))) == background)
  }
}
