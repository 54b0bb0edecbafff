import ObservationEngine
import ObservationRecords

/// What writes to the database: its schema, and matches.
struct Season {
  let database: Database

  init(_ database: Database) { self.database = database }

  static var migrator: Migrator {
    var migrator = Migrator()
    migrator.register("tables") { db in
      try db.create(Team.self)
      try db.execute(
        """
        CREATE TABLE player (
          id INTEGER PRIMARY KEY, team_id INTEGER NOT NULL REFERENCES team, name TEXT NOT NULL,
          goals INTEGER NOT NULL)
        """)
      try db.create(Match.self)
    }
    migrator.register("teams") { db in
      for (name, players) in squads {
        let team = try db.insert(Team(id: nil, name: name))
        for player in players { try db.insert(Player(id: nil, teamID: team.id!, name: player)) }
      }
    }
    return migrator
  }

  private static let squads: KeyValuePairs = [
    "Compilers": ["ada", "grace", "fran"], "Queries": ["edgar", "ray", "don"],
    "Kernels": ["ken", "dennis", "linus"],
  ]

  /// Plays matches between two teams each.
  func play(_ matches: Int) async throws {
    for _ in 0..<matches {
      let teams = try await database.fetchAll(Team.self).shuffled().prefix(2)
      let (home, away) = (try await goals(of: teams[0]), try await goals(of: teams[1]))
      let match = Match(
        id: nil, home: teams[0].id!, away: teams[1].id!, homeGoals: home.count,
        awayGoals: away.count)
      // A player may score twice: each step reads the player again before it adds a goal.
      let scored = Transaction((home + away).map { .update($0) { $0.goals += 1 } }).refreshing()
      // All of it is committed, or nothing: no watcher sees a goal without its match.
      try await database.commit([.add(match), scored])
    }
    print("\(try await database.count(Match.self)) matches were played")
  }

  /// Who scores for a team in a match; who scores twice is there twice.
  private func goals(of team: Team) async throws -> [Player] {
    let squad = try await database.fetchAll(Player.self, where: "team_id = \(team.id)")
    return (0..<Int.random(in: 0...4)).compactMap { _ in squad.randomElement() }
  }
}
