import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct HelpViewTests {
  private func state(_ size: Size = Size(width: 80, height: 24)) -> DashboardState {
    Sample.state([Sample.panel("a", .table)], size: size)
  }

  @Test(arguments: [
    ("", "In a panel with rows"), ("c", "In the console"), ("3", "In the feed of transactions"),
  ])
  func `the keys of the focused pane come first`(_ keys: String, _ heading: String) throws {
    var state = state()
    try state.press(keys + "<F1>")
    let lines = state.screen().text.split(separator: "\n")
    #expect(lines[1].contains("help"))
    #expect(lines[2].contains(heading))
    #expect(HelpSection.lines(state).filter { $0.key == heading }.count == 1)
  }

  @Test func `a picture has the keys of one`() throws {
    var state = Sample.state([Sample.panel("n", .number)])
    state.deliver([0: Sample.value(.integer(7))])
    try state.press("?")
    let lines = HelpSection.lines(state)
    #expect(lines.first?.key == "In a chart")
    #expect(!lines.prefix { !$0.key.isEmpty }.contains { $0.meaning.contains("sort") })
  }

  @Test(arguments: HelpSection.allCases)
  func `every line can be read at 80 columns`(_ section: HelpSection) {
    for line in section.lines(.standard) {
      #expect(DisplayText.width(line.key) <= 19, "\(line.key)")
      #expect(DisplayText.width(line.meaning) <= 56, "\(line.meaning)")
    }
  }

  @Test func `how much there is stands above it, and all can be scrolled to`() throws {
    var state = state()
    let count = HelpSection.lines(state).count
    try state.press("?")
    #expect(state.screen().text.contains("┫1-18 of \(count)┣"))
    for _ in 0..<count { try state.press("j") }
    #expect(state.screen().text.contains("┫\(count - 17)-\(count) of \(count)┣"))
  }
}
