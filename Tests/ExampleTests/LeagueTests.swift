import Glibc
import TestSupport
import Testing

/// The example of two processes, run as its users run it.
@Suite(.fewAtOnce)
struct LeagueTests {
  private static func program() throws -> String { try BuiltProgram.path("League") }

  @Test func `one process plays, and another shows each match and the table`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("league.db")
    let watcher = try RunningProgram([try Self.program(), "watch", path])
    #expect(try await watcher.line() == "table after 0 matches")
    let player = try await RunningProgram.run([try Self.program(), "play", path, "5"])
    #expect(player.status == 0)
    #expect(player.output == "5 matches were played\n")
    var matches = 0
    var isLast = false
    while matches < 5 || !isLast {
      let line = try await watcher.line()
      if line.contains(" : ") { matches += 1 }
      if line == "table after 5 matches" { isLast = true }
    }
    watcher.signal(SIGINT)
    #expect(try await watcher.result().status == 0)
  }

  @Test func `goals of matches and of players are committed together`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("league.db")
    let played = try await RunningProgram.run([try Self.program(), "play", path, "20"])
    #expect(played.status == 0)
    let difference = try await SQLiteShell(path).run(
      """
      SELECT (SELECT sum(home_goals + away_goals) FROM match) - (SELECT sum(goals) FROM player),
        (SELECT count(*) FROM match)
      """)
    #expect(difference == "0|20\n")
  }

  @Test func `scorers of some teams are shown, whatever these are called`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("league.db")
    _ = try await RunningProgram.run([try Self.program(), "play", path, "0"])
    try await SQLiteShell(path).run(
      """
      INSERT INTO team(id, name) VALUES (7, 'O''Hara''s');
      UPDATE player SET team_id = 7, goals = 9 WHERE name = 'ada';
      UPDATE player SET goals = 8 WHERE name = 'ken'
      """)
    let watcher = try RunningProgram([try Self.program(), "watch", path, "O'Hara's", "Queries"])
    var lines: [String] = []
    while lines.last?.contains("): ") != true { lines.append(try await watcher.line()) }
    #expect(lines.last == "  ada (O'Hara's): 9")
    watcher.signal(SIGINT)
    #expect(try await watcher.result().status == 0)
  }

  @Test func `it says what is wrong`() async throws {
    let folder = try TemporaryFolder()
    for arguments in [
      [], ["play", "league.db"], ["play", "league.db", "x"], ["other", "league.db"],
    ] {
      let usage = try await RunningProgram.run([try Self.program()] + arguments)
      #expect(usage.status == 2)
    }
    let failure = try await RunningProgram.run([try Self.program(), "watch", folder.path])
    #expect(failure.status == 1)
    #expect(failure.output.contains("is a directory"))
  }
}
