import Glibc
import ObservationEngine
import ObservationRecords

/// What a watcher prints: each match as it ends, and the table with its best scorers after each change.
struct Scoreboard {
  private let database: Database
  private let standings: Query<[Standing]>
  private let scorers: Query<[Scorer]>

  /// A line of the league's table.
  struct Standing: Decodable, Equatable, Sendable {
    var name: String
    var played: Int
    var points: Int
  }

  /// A player who has scored.
  struct Scorer: Decodable, Equatable, Sendable {
    var name: String
    var team: String
    var goals: Int
  }

  /// - Parameter teams: The teams whose scorers are of interest; all, if there are none.
  init(_ database: Database, teams: [String], winIsWorth points: Int = 3) {
    self.database = database
    standings = Query.rows(
      """
      WITH result(team, own, other) AS (
        SELECT home, home_goals, away_goals FROM match
        UNION ALL SELECT away, away_goals, home_goals FROM match)
      SELECT team.name, count(own) AS played,
        ifnull(sum(iif(own > other, \(points), own = other)), 0) AS points
      FROM team LEFT JOIN result ON result.team = team.id
      GROUP BY team.id ORDER BY points DESC, team.name
      """, as: Standing.self)
    let isOfInterest: SQL = teams.isEmpty ? "true" : "team.name IN (\(values: teams))"
    scorers = Query.rows(
      """
      SELECT player.name, team.name AS team, goals FROM player JOIN team ON team.id = team_id
      WHERE goals > 0 AND \(isOfInterest) ORDER BY goals DESC, player.name LIMIT 3
      """, as: Scorer.self)
  }

  /// Prints until the task is cancelled.
  func show() async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { try await showMatches() }
      group.addTask { try await showTable() }
      // The first one that fails, or ends since it was cancelled, ends the other.
      try await group.next()
      group.cancelAll()
    }
  }

  private func showTable() async throws {
    // Both results of an element come from one snapshot.
    for try await (standings, scorers) in database.observe(standings, scorers) {
      var lines = ["table after \(standings.map(\.played).reduce(0, +) / 2) matches"]
      for team in standings { lines.append("  \(team.name): \(team.points) points") }
      for player in scorers { lines.append("  \(player.name) (\(player.team)): \(player.goals)") }
      write(lines)
    }
  }

  private func showMatches() async throws {
    for try await change in try await Match.changes([.insert], in: database) {
      guard let match = change.new else { continue }
      let (home, away) = try await database.read { db in
        (try db.fetchOne(Team.self, key: match.home), try db.fetchOne(Team.self, key: match.away))
      }
      guard let home, let away else { continue }
      write(["\(home.name) \(match.homeGoals) : \(match.awayGoals) \(away.name)"])
    }
  }

  /// Also into a pipe, each time.
  private func write(_ lines: [String]) {
    print(lines.joined(separator: "\n"))
    fflush(nil)
  }
}
