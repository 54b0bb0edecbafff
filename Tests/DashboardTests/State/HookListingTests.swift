import ObservationEngine
import Testing

@testable import Dashboard

/// The list of commands that wait for a confirmation: nothing of it runs that nobody could have read.
@Suite struct HookListingTests {
  private static let sizes = [(80, 24), (30, 6), (40, 10), (160, 14), (20, 3), (200, 5), (24, 60)]

  private static func requests(_ count: Int = 12) throws -> [HookRequest] {
    try (1...count).map { number in
      let command = number == count ? "sh -c 'echo EVIL'" : "./ok.sh \(number)"
      return HookRequest(command: try HookCommand(command), panel: "p\(number)")
    }
  }

  private static func state(
    _ requests: [HookRequest], _ width: Int = 80, _ height: Int = 24
  ) -> DashboardState {
    var state = Sample.state(
      [Sample.panel("a", .number)], size: Size(width: width, height: height))
    _ = reduce(&state, .hook(.needConfirmation(requests)))
    return state
  }

  /// What is seen from the first line to the last, a key at a time.
  private static func read(_ state: inout DashboardState, _ key: String) throws -> String {
    var seen = state.screen().text
    var last = ""
    while last != state.screen().text {
      last = state.screen().text
      try state.press(key)
      seen += "\n" + state.screen().text
    }
    return seen
  }

  @Test(arguments: sizes)
  func `y counts once the last command has been in view, and not before`(
    _ width: Int, _ height: Int
  ) throws {
    let requests = try Self.requests()
    var state = Self.state(requests, width, height)
    var seen = ""
    for _ in 0..<1000 where state.modes.question != nil {
      seen += state.screen().text
      if state.alerts.reading.hasReachedEnd {
        #expect(seen.contains("EVIL"))
        #expect(try state.press("y") == [.hooks(.confirm(true, requests))])
      } else {
        #expect(try state.press("y") == [])
        #expect(state.modes.question == .confirmHooks)
        try state.press("j")
      }
    }
    #expect(state.modes.question == nil)
  }

  @Test(arguments: sizes, ["j", "<Down>", "<PgDn>", "<Space>", "<C-d>", "<wheel-down 5,2>"])
  func `every command comes into view`(_ size: (Int, Int), _ key: String) throws {
    var state = Self.state(try Self.requests(), size.0, size.1)
    let seen = try Self.read(&state, key)
    for number in 1...11 { #expect(seen.contains("./ok.sh \(number)")) }
    #expect(seen.contains("echo EVIL"))
    #expect(state.alerts.reading.hasReachedEnd)
  }

  @Test(arguments: sizes)
  func `a command of thousands of characters is shown whole`(
    _ width: Int, _ height: Int
  ) throws {
    let words = (1000..<1400).map { "w\($0)" }
    let command = try HookCommand("./a " + words.joined(separator: " "))
    var state = Self.state([HookRequest(command: command, panel: "p")], width, height)
    let seen = try Self.read(&state, "<PgDn>")
    for word in words { #expect(seen.contains(word)) }
    #expect(try state.press("y").count == 1)
  }

  @Test func `how much there is stands in the frame`() throws {
    var state = Self.state(try Self.requests())
    #expect(state.screen().text.contains("┫1-18 of 27┣"))
    #expect(state.screen().text.contains("? read on before y (j, PgDn): 9 more lines  n refuses"))
    try state.press("j")
    #expect(state.screen().text.contains("┫2-19 of 27┣"))
    try state.press("y")
    #expect(
      state.screen().text.contains("! not yet, 8 more lines: read on (j, PgDn)  n refuses"))
    try state.press("G")
    #expect(state.screen().text.contains("┫10-27 of 27┣"))
    #expect(state.screen().text.contains("? Trust this dashboard's commands?  y / n"))
    try state.press("k")
    #expect(state.screen().text.contains("┫9-26 of 27┣"))
    try state.press("g")
    #expect(state.screen().text.contains("┫1-18 of 27┣"))
    try state.press("<End><PgUp>")
    #expect(state.screen().text.contains("┫1-18 of 27┣"))
    try state.press("<wheel-down 5,5>")
    #expect(state.screen().text.contains("┫4-21 of 27┣"))
    // It was read to its end.
    #expect(state.screen().text.contains("? Trust this dashboard's commands?  y / n"))
  }

  @Test func `what fits is asked about at once`() throws {
    let requests = try Self.requests(2)
    var state = Self.state(requests)
    #expect(state.screen().text.contains("┫y / n┣"))
    #expect(try state.press("y") == [.hooks(.confirm(true, requests))])
  }

  @Test(arguments: [(1, 1), (19, 40), (300, 2), (0, 0), (5, 5)])
  func `where nobody can read commands, none is agreed to`(
    _ width: Int, _ height: Int
  ) throws {
    let requests = try Self.requests(1)
    var state = Self.state(requests, width, height)
    #expect(try state.press("yGy") == [])
    #expect(state.modes.question == .confirmHooks)
    if width > 18 { #expect(state.screen().text.contains("n, or a larger")) }
    #expect(try state.press("n") == [.hooks(.confirm(false, requests))])
  }

  @Test func `a screen that grows shows what could not be read`() throws {
    let requests = try Self.requests(2)
    var state = Self.state(requests, 10, 2)
    #expect(try state.press("y") == [])
    _ = reduce(&state, .resized(Size(width: 80, height: 24)))
    #expect(state.screen().text.contains("EVIL"))
    #expect(try state.press("y") == [.hooks(.confirm(true, requests))])
  }

  @Test func `other commands are read from their beginning`() throws {
    var state = Self.state(try Self.requests())
    try state.press("G")
    let others = try Self.requests(20)
    _ = reduce(&state, .hook(.needConfirmation(others)))
    #expect(state.screen().text.contains("┫1-18 of 43┣"))
    #expect(try state.press("y") == [])
    #expect(try state.press("Gy") == [.hooks(.confirm(true, others))])
  }

  @Test func `a long name of a panel hides nothing`() throws {
    let name = String(repeating: "x", count: 100) + "END"
    let request = HookRequest(command: try HookCommand("./a"), panel: name)
    let text = Self.state([request]).screen().text
    #expect(text.contains("END alerts:"))
  }
}
