import Testing

@testable import Dashboard

@Suite struct TextBufferTests {
  @Test(arguments: [
    ("ab<Left>x", "axb", 2), ("ab<Home>x<End>y", "xaby", 4), ("abc<Left><BS>", "ac", 1),
    ("abc<Home><Del>", "bc", 0), ("<BS><Del>", "", 0), ("one two<C-w>", "one ", 4),
    ("one two<C-Left><C-k>", "one ", 4), ("one two<C-u>", "", 0), ("one two<Home><A-d>", " two", 0),
    ("a.b<C-Left><C-Left>x", "xa.b", 1), ("ab<C-a><C-Right>x", "abx", 3),
  ])
  func `keys edit`(_ keys: String, _ text: String, _ cursor: Int) throws {
    var buffer = TextBuffer()
    for case .key(let key) in try KeyScript.parse(keys) { _ = buffer.edit(key) }
    #expect(buffer.text == text)
    #expect(buffer.cursor == cursor)
  }

  @Test func `pasted line ends are of one kind`() {
    var buffer = TextBuffer()
    _ = buffer.edit(.paste("a\r\nb\rc\nd"))
    #expect(buffer.text == "a\nb\nc\nd")
  }

  @Test func `the cursor moves between lines in its column`() {
    var buffer = TextBuffer("abcd\nx\nabcd")
    var moves: [Bool] = []
    var cursors: [Int] = []
    for down in [false, false, false, true, true, true] {
      moves.append(buffer.moveLine(down: down))
      cursors.append(buffer.cursor)
    }
    #expect(moves == [true, true, false, true, true, false])
    #expect(cursors == [6, 1, 1, 6, 8, 8])
  }

  @Test(arguments: [.enter, .function(5), .up, .tab] as [Key])
  func `keys that mean nothing to text are left to others`(_ key: Key) {
    var buffer = TextBuffer("a")
    let isUsed = buffer.edit(key)
    #expect(!isUsed)
    #expect(buffer == TextBuffer("a"))
  }
}
