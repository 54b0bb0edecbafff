import Glibc
import Testing

@testable import LiveQueryTUI

/// The manual page and the program speak of the same options.
@Suite struct ManualTests {
  private let page: String

  init() throws {
    var path = #filePath
    for _ in 1...4 { path = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
    let file = try #require(fopen(path + "/Docs/livequery.1", "r"))
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer.prefix(count)
    }
    // In the source a hyphen that is meant as one is written \-.
    page = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\\-", omittingEmptySubsequences: false).joined(separator: "-")
  }

  private var words: Set<Substring> {
    Set(page.split { " \",=\n|".contains($0) })
  }

  @Test(arguments: Option.allCases)
  func `the manual describes every option`(_ option: Option) {
    #expect(words.contains("--\(option.rawValue)"))
    if let letter = option.letter { #expect(words.contains("-\(letter)")) }
  }

  @Test func `the manual describes no other option`() {
    for word in words where word.hasPrefix("--") && word.count > 2 {
      let name = word.dropFirst(2).prefix { $0.isLetter || $0 == "-" }
      #expect(Option(rawValue: String(name)) != nil, "\(word)")
    }
  }

  @Test func `the manual is of this version`() {
    #expect(page.contains("\"\(HelpText.version)\""))
  }
}
