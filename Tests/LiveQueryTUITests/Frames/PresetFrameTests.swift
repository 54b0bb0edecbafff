import TestSupport
import Testing

/// Presets, from the file to the screen.
@Suite(.fewAtOnce) struct PresetFrameTests {
  private func dashboard(_ playground: Playground) throws -> String {
    try playground.folder.write(
      """
      -- preset: ops slow fame
      -- preset: all
      -- preset: count
      -- layout: number

      -- name: fame
      SELECT name, id FROM players LIMIT 3;
      -- name: slow
      SELECT id, duration FROM matches LIMIT 3;
      -- name: number
      SELECT count(*) FROM players;
      """, to: "d.sql")
  }

  @Test func `p shows the next preset, and --preset begins with one`() async throws {
    let playground = try await Playground.sample()
    let file = try dashboard(playground)
    let first = try await Frame(size: "160x40", on: playground, dashboard: [file])
    #expect(first.lines[0].contains("dashboard d.sql [ops] all  count"))
    #expect(first.shows("┤1 fame├"))
    #expect(!first.shows("┤3 number├"))
    let second = try await Frame("pp", size: "160x40", on: playground, dashboard: [file])
    #expect(second.lines[0].contains(" ops  all [count]"))
    #expect(second.shows("┫3 number┣"))
    let chosen = try await Frame(
      size: "160x40", options: ["--preset", "count"], on: playground, dashboard: [file])
    #expect(chosen.lines[0].contains(" ops  all [count]"))
    #expect(!chosen.shows("1 fame"))
  }

  @Test func `a preset that is none is a usage error with a suggestion`() async throws {
    let playground = try await Playground.sample()
    let file = try dashboard(playground)
    let result = try await LiveQuery.run("--once", "--preset", "opps", playground.database, file)
    #expect(result.status == 2)
    #expect(
      result.errors
        == "livequery: --preset opps: no preset has this name, did you mean \"ops\"?\n")
  }

  @Test func `printed, a preset is its panels in its order`() async throws {
    let playground = try await Playground.sample()
    let file = try dashboard(playground)
    let result = try await LiveQuery.run(
      "--json", "--preset", "ops", playground.database, file)
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("{\"slow\":"))
    #expect(!result.output.contains("number"))
  }

  @Test func `a preset that names no panel is an error of the file`() async throws {
    let playground = try await Playground.sample()
    let file = try playground.folder.write(
      "-- preset: ops fmae\n\n-- name: fame\nSELECT 1;\n", to: "broken.sql")
    let result = try await LiveQuery.run("--check", file)
    #expect(result.status == 2)
    #expect(result.output.contains(":1:16: error: the preset \"ops\" names \"fmae\""))
    #expect(result.output.contains("did you mean \"fame\"?"))
  }

  @Test func `the command line on a colon lies over the panels`() async throws {
    let frame = try await Frame(":so")
    #expect(frame.shows("┫commands┣"))
    #expect(frame.shows("sort COLUMN", "sort by the cursor's column"))
    #expect(frame.lines[21] == " :so")
    let done = try await Frame(":sort player<Enter>")
    #expect(!done.shows("┫commands┣"))
    #expect(done.lines[3].contains("abe") || done.lines[3].contains("ada"))
  }
}
