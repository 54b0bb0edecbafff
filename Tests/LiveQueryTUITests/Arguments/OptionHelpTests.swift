import Testing

@testable import LiveQueryTUI

@Suite struct OptionHelpTests {
  @Test func `the help fits 80x24 and leaves a line for the prompt`() {
    let lines = Option.help.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 23)
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test(arguments: Option.allCases)
  func `the help names every option`(_ option: Option) {
    let words = Option.help.split { " ,\n".contains($0) }
    #expect(words.contains { $0 == "--\(option.rawValue)" })
    if let letter = option.letter { #expect(words.contains { $0 == "-\(letter)" }) }
  }

  @Test func `the help promises no option that does not exist`() {
    let words = Option.help.split { " ,\n".contains($0) }
    for word in words where word.hasPrefix("--") {
      #expect(Option(rawValue: String(word.dropFirst(2))) != nil, "\(word)")
    }
  }
}
