import ObservationEngine
import Testing

@testable import Dashboard

/// The line of keys: which there are, in which order, and who gets the room.
@Suite struct KeyHintsTests {
  private func hints(
    _ count: Int = 3, width: Int, height: Int = 24, _ keys: String = "", console: Bool = true
  ) throws -> String {
    var state = Sample.state(
      (1...count).map { Sample.panel("p\($0)", .table) }, console: console,
      size: Size(width: width, height: height))
    try state.press(keys)
    let line = state.screen().text.split(separator: "\n", omittingEmptySubsequences: false)
    return line[height - 1].trimmingEnd()
  }

  @Test func `at 80 columns those that make a dashboard one`() throws {
    #expect(
      try hints(width: 80)
        == " ?help  Tab focus  1-5 panel  z zoom  / filter  Spc pause  , . rewind  : cmd  q")
  }

  @Test func `where there is room, all`() throws {
    #expect(
      try hints(width: 160)
        == " ?help  Tab focus  1-5 panel  z zoom  Enter inspect  / filter  s sort  e edit SQL  "
        + "Spc pause  c SQL  t feed  , . rewind  x export  r refresh  : command  q quit")
  }

  @Test func `pages are turned by a key that is named`() throws {
    #expect(try !hints(3, width: 80).contains("p page"))
    #expect(try hints(20, width: 80).contains("p page"))
    #expect(try hints(20, width: 40).contains("p page"))
  }

  @Test(arguments: 30...200)
  func `what is named is whole, and the way out is`(_ width: Int) throws {
    let line = try hints(width: width)
    #expect(line.contains(" q"))
    #expect(line.count <= width)
    for part in line.split(separator: "  ").dropLast() {
      #expect(part.contains(" ") || part == "?help" || part == " ?help", "\(line)")
    }
  }

  @Test func `the keys of a pane are named in it`() throws {
    #expect(try hints(width: 80, "<F2>").contains("d DDL"))
    #expect(try !hints(width: 80, "4").contains("/ filter"))
  }
}

extension Substring {
  fileprivate func trimmingEnd() -> String {
    var text = self
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
