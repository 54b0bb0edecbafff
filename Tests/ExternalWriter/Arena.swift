/// What people do in the arena, by how it changes the tables.
enum Play: String, CaseIterable {
  case score, match, award, join, rename, disqualify, leave, burst, regret

  /// How often, in a hundred.
  private var weight: Int {
    switch self {
    case .score: 34
    case .match: 14
    case .award: 22
    case .join: 9
    case .rename: 3
    case .disqualify: 7
    case .leave: 4
    case .burst: 3
    case .regret: 4
    }
  }

  static func any(using random: inout Random) -> Play {
    var rest = Int.random(in: 0..<100, using: &random)
    for play in allCases {
      rest -= play.weight
      if rest < 0 { return play }
    }
    return .score
  }
}

/// The tables of sample.db, and what one play does to them: one commit each, but for `regret`.
struct Arena {
  private let connection: Connection
  /// Players who joined through this writer: they alone leave again.
  private var guests: [Int] = []

  init(_ connection: Connection) throws {
    self.connection = connection
    guard
      try connection.integer(
        """
        SELECT count(*) FROM sqlite_schema
        WHERE type = 'table' AND name IN ('players', 'maps', 'matches', 'scores')
        """) == 4
    else {
      throw WriterError(code: 1, message: "paced needs the tables of sample.db")
    }
  }

  mutating func play(_ play: Play, using random: inout Random) throws {
    switch play {
    case .score, .burst: try score(using: &random)
    case .match: try match(using: &random)
    case .award: try award(using: &random)
    case .join: try join(using: &random)
    case .rename: try rename(using: &random)
    case .disqualify: try disqualify(using: &random)
    case .leave: try leave(using: &random)
    case .regret: try regret(using: &random)
    }
  }

  /// The best of the sample have the lowest ids; they play most.
  private func somebody(_ random: inout Random) -> Int {
    Int.random(in: 0..<3, using: &random) == 0
      ? Int.random(in: 25...1180, using: &random) : Int.random(in: 1...20, using: &random)
  }

  private func score(using random: inout Random) throws {
    let points = Int.random(in: 150...900, using: &random)
    try connection.run(
      """
      INSERT INTO scores (match_id, player_id, points)
      SELECT max(id), \(somebody(&random)), \(points) FROM matches WHERE true
      ON CONFLICT (match_id, player_id) DO UPDATE SET points = points + excluded.points
      """)
  }

  private func match(using random: inout Random) throws {
    let map = min(
      Int.random(in: 1...8, using: &random), Int.random(in: 1...8, using: &random))
    // Drawn twice, so that long matches are rare.
    let longest = Int.random(in: 700...1900, using: &random)
    let duration = Int.random(in: 240...longest, using: &random)
    try connection.transaction {
      try connection.run(
        """
        INSERT INTO matches (map_id, started, duration)
        SELECT \(map), strftime('%Y-%m-%dT%H:%M:%SZ', max(started), '+90 seconds'), \(duration)
        FROM matches
        """)
      for _ in 0..<Int.random(in: 2...8, using: &random) { try score(using: &random) }
    }
  }

  private func award(using random: inout Random) throws {
    let player = Int.random(in: 1...14, using: &random)
    let points = 10 * Int.random(in: 10...125, using: &random)
    try connection.run(
      """
      UPDATE scores SET points = points + \(points)
      WHERE id = (SELECT max(id) FROM scores WHERE player_id = \(player))
      """)
  }

  private mutating func join(using random: inout Random) throws {
    let syllables = ["ni", "ho", "ra", "mi", "to", "ka", "lu", "ve", "so", "an", "el", "ba"]
    let name = (0..<3).map { _ in syllables.randomElement(using: &random) ?? "x" }.joined()
    let country = ["JP", "NO", "BR", "KE", "US", "FR"].randomElement(using: &random) ?? "US"
    try connection.transaction {
      let id = try connection.integer("SELECT max(id) + 1 FROM players")
      let clash = try connection.integer("SELECT count(*) FROM players WHERE name = '\(name)'")
      let unique = clash == 0 ? name : "\(name)\(id)"
      try connection.run(
        """
        INSERT INTO players (id, name, country, joined)
        SELECT \(id), '\(unique)', '\(country)', substr(max(started), 1, 10)
        FROM matches
        """)
      try connection.run(
        """
        INSERT INTO scores (match_id, player_id, points)
        SELECT max(id), \(id), \(Int.random(in: 100...600, using: &random)) FROM matches
        """)
      guests.append(id)
    }
  }

  private func rename(using random: inout Random) throws {
    let country = ["SE", "PT", "IN", "CA", "NZ"].randomElement(using: &random) ?? "US"
    try connection.run(
      "UPDATE players SET country = '\(country)' WHERE id = \(somebody(&random))")
  }

  private func disqualify(using random: inout Random) throws {
    try connection.run(
      """
      DELETE FROM scores
      WHERE id = (SELECT max(id) - \(Int.random(in: 0...9, using: &random)) FROM scores)
      """)
  }

  private mutating func leave(using random: inout Random) throws {
    guard !guests.isEmpty else { return try score(using: &random) }
    let id = guests.remove(at: Int.random(in: 0..<guests.count, using: &random))
    try connection.transaction {
      try connection.run("DELETE FROM scores WHERE player_id = \(id)")
      try connection.run("DELETE FROM players WHERE id = \(id)")
    }
  }

  /// Changed, then rolled back: nobody else may notice.
  private func regret(using random: inout Random) throws {
    try connection.run("BEGIN IMMEDIATE")
    try connection.run("UPDATE scores SET points = 0 WHERE player_id = \(somebody(&random))")
    try connection.run("ROLLBACK")
  }
}
