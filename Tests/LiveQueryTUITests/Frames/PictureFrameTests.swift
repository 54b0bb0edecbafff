import TestSupport
import Testing

/// Screens as images and films.
@Suite(.fewAtOnce) struct PictureFrameTests {
  private func output(_ name: String, keys: String = "") async throws -> String {
    let playground = try await Playground.sample()
    let script = try playground.folder.write(keys, to: "keys")
    let result = try await LiveQuery.run(
      "--keys", script, "--frame", "80x24", "-o", playground.folder.path(name),
      playground.database, Playground.projectFile("arena.sql"))
    #expect(result.status == 0 && result.errors == "" && result.output == "")
    return try playground.folder.text(name)
  }

  @Test func `a name with svg gets an image in the colours of the theme`() async throws {
    let svg = try await output("a.svg")
    #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
    #expect(svg.hasSuffix("</svg>\n"))
    #expect(svg.contains(">hall of fame<") || svg.contains("hall of fame"))
    #expect(svg.contains("fill:#56d7f5"))
    // Lines and blocks are shapes: no font has a say in whether they join.
    #expect(!svg.contains("╭") && !svg.contains("█") && !svg.contains("│"))
    #expect(svg.utf8.count < 60_000)
  }

  @Test func `a name with cast gets each screen that differs, in order`() async throws {
    let cast = try await output("a.cast", keys: "<wait>z<wait>z<wait>")
    let lines = cast.split(separator: "\n")
    #expect(lines[0].hasPrefix("{\"version\":2,\"width\":80,\"height\":24,"))
    #expect(lines.count >= 4)
    let times = lines.dropFirst().compactMap { Double($0.dropFirst().prefix { $0 != "," }) }
    #expect(times.count == lines.count - 1 && times == times.sorted(), "\(times)")
    #expect(lines.dropFirst().allSatisfy { $0.hasSuffix("]") && $0.contains(",\"o\",\"") })
    #expect(!cast.utf8.contains(0x1b), "escaped")
  }
}
