import Dashboard
import Testing

@testable import LiveQueryTUI

@Suite struct MouseDecodingTests {
  private func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.decode(Array(text.utf8))
  }

  @Test(arguments: [
    ("\u{1b}[<0;10;5M", MouseEvent(.press, x: 9, y: 4)),
    ("\u{1b}[<0;10;5m", MouseEvent(.release, x: 9, y: 4)),
    ("\u{1b}[<32;11;5M", MouseEvent(.drag, x: 10, y: 4)),
    ("\u{1b}[<64;1;1M", MouseEvent(.wheelUp, x: 0, y: 0)),
    ("\u{1b}[<65;1;1M", MouseEvent(.wheelDown, x: 0, y: 0)),
    ("\u{1b}[<4;300;200M", MouseEvent(.press, x: 299, y: 199)),
    ("\u{1b}[<0;0;0M", MouseEvent(.press, x: -1, y: -1)),
  ])
  func `a report is an event at a cell`(_ report: String, _ event: MouseEvent) {
    #expect(keys(report) == [.mouse(event)])
  }

  @Test(arguments: [
    "\u{1b}[<1;10;5M", "\u{1b}[<2;10;5M", "\u{1b}[<35;10;5M", "\u{1b}[<0;10M", "\u{1b}[<;;M",
    "\u{1b}[<0;99999999999999999999;5M", "\u{1b}[<32;-9223372036854775808;1M",
  ])
  func `other buttons, and reports that are none, are nothing`(_ report: String) {
    #expect(keys(report + "x") == [.character("x")])
  }

  @Test func `events keep their place among the keys, however they are cut`() {
    var decoder = KeyDecoder()
    var keys: [Key] = []
    for byte in Array("a\u{1b}[<0;10;5Mb\u{1b}[<0;10;5mc".utf8) { keys += decoder.decode([byte]) }
    #expect(
      keys == [
        .character("a"), .mouse(MouseEvent(.press, x: 9, y: 4)), .character("b"),
        .mouse(MouseEvent(.release, x: 9, y: 4)), .character("c"),
      ])
  }
}
