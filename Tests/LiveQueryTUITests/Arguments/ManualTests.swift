import Glibc
import Testing

@testable import Dashboard
@testable import LiveQueryTUI

/// The manual page and the program speak of the same options.
@Suite struct ManualTests {
  private let page: String

  private let readme: String

  init() throws {
    // In the source a hyphen that is meant as one is written \-.
    page = try Self.text("Docs/livequery.1")
      .split(separator: "\\-", omittingEmptySubsequences: false).joined(separator: "-")
    readme = try Self.text("README.md")
  }

  /// A file of the repository.
  private static func text(_ name: String) throws -> String {
    var path = #filePath
    for _ in 1...4 { path = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
    let file = try #require(fopen("\(path)/\(name)", "r"))
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
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

  /// The part of the page about keys, without what is about commands and alerts.
  private var keys: [Substring] {
    let start = page.firstRange(of: "\n.SH KEYS\n")?.upperBound ?? page.endIndex
    let end = page[start...].firstRange(of: "\n.SH ")?.lowerBound ?? page.endIndex
    return page[start..<end].split(separator: "\n")
  }

  /// The key as the manual writes it: `Ctrl-U` for `^u`.
  private func label(_ key: Key) -> String {
    switch key {
    case .control(let letter): "Ctrl-\(letter.uppercased())"
    case .alt(let letter): "Alt-\(letter.uppercased())"
    case .backTab: "Shift-Tab"
    default: key.label
    }
  }

  @Test func `the manual describes every key of the help`() {
    // A comma between keys is followed by a blank; the key of that name stands alone.
    let parts = keys.flatMap { $0.split { " \"()".contains($0) } }
    let words = Set(parts.map { String($0.count > 1 && $0.last == "," ? $0.dropLast() : $0) })
    for binding in Binding.all where !binding.sections.isEmpty && binding.name != "focus" {
      for key in binding.keys {
        let isDescribed = words.contains(label(key))
        #expect(isDescribed, "\(binding.name): \(label(key))")
      }
    }
  }

  @Test func `the manual describes no other key, and no other name for one`() throws {
    let known = Set(Binding.all.flatMap(\.keys).map(label) + ["1", "[en]", "9", ".", "&"])
    for (index, line) in keys.enumerated() where line.hasPrefix(".TP") {
      let heading = keys[index + 1]
      guard heading.hasPrefix(".B"), !heading.contains(":e"), !heading.hasPrefix(".BI") else {
        continue
      }
      for word in heading.drop(while: { $0 != " " }).split(whereSeparator: { " \"\\".contains($0) })
      where word != "," {
        let word = word.hasPrefix(":") && word.count > 1 ? ":" : String(word)
        #expect(known.contains(word), "\(heading)")
      }
    }
  }

  /// The words of a section of the page.
  private func words(of section: String) -> Set<String> {
    let start = page.firstRange(of: "\n.SH \(section)\n")?.upperBound ?? page.endIndex
    let end = page[start...].firstRange(of: "\n.SH ")?.lowerBound ?? page.endIndex
    return Set(page[start..<end].split { " ,;\n\"".contains($0) }.map(String.init))
  }

  @Test func `the manual names every key of the configuration, and every name of the key map`() {
    let words = words(of: "CONFIGURATION")
    for key in ConfigurationFile.Key.allCases {
      #expect(words.contains(key.rawValue), "\(key.rawValue)")
    }
    for name in KeyMap.names { #expect(words.contains(name), "\(name)") }
  }

  @Test func `manual and README have every directive and every view`() {
    let directives =
      Directive.PanelKey.allCases.map(\.rawValue) + Directive.HeadKey.allCases.map(\.rawValue)
    for directive in directives {
      #expect(page.contains("\(directive):"), "\(directive)")
      #expect(readme.contains("`\(directive):`"), "\(directive)")
    }
    for view in ViewKind.allCases {
      #expect(words.contains(Substring(view.rawValue)), "\(view.rawValue)")
      #expect(readme.contains("`\(view.rawValue)"), "\(view.rawValue)")
    }
  }

  @Test func `manual and README have no other directive`() {
    let known = Set(
      Directive.PanelKey.allCases.map(\.rawValue) + Directive.HeadKey.allCases.map(\.rawValue))
    var named: Set<Substring> = []
    for line in readme.split(separator: "\n") where line.hasPrefix("| `") {
      let cell = line.dropFirst().prefix { $0 != "|" }
      named.formUnion(
        cell.split(separator: "`").filter { $0.last == ":" }.map { $0.dropLast() })
    }
    #expect(named.count == known.count)
    for line in page.split(separator: "\n") where line.hasPrefix("-- ") || line.contains("\"-- ") {
      let text = line[(line.firstRange(of: "-- ")?.upperBound ?? line.endIndex)...]
      guard let end = text.firstIndex(of: ":"), !text[..<end].contains(" ") else { continue }
      named.insert(text[..<end])
    }
    for name in named { #expect(known.contains(String(name)), "\(name)") }
  }

  @Test func `the condition of an alert that the README has as an example is one`() throws {
    let row = try #require(readme.split(separator: "\n").first { $0.hasPrefix("| `alert:`") })
    let condition = row.split(separator: "`")[3]
    let loaded = LoadedDashboard(
      reading: "-- name: a\n-- alert: \(condition)\nSELECT 0.1 AS rate;", named: "a.sql")
    #expect(condition.contains("rate") && loaded.diagnostics.isEmpty, "\(loaded.diagnostics)")
  }

  @Test func `the keys that the README names do what it says`() throws {
    let line = try #require(readme.split(separator: "\n").first { $0.contains("`?` help") })
    let known = Set(Binding.all.flatMap(\.keys).map(\.label))
    let keys = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map(\.element)
    #expect(keys.count > 4)
    for key in keys { #expect(known.contains(String(key)), "\(key)") }
  }

  @Test func `the manual describes every key of a theme`() {
    let words = words(of: "THEMES")
    for key in ThemeFile.keys { #expect(words.contains(key), "\(key)") }
  }

  @Test func `the manual is of this version`() {
    #expect(page.contains("\"\(ProgramVersion.line)\""))
  }
}
