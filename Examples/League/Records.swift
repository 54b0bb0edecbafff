import ObservationRecords

/// A row of the table `team`.
struct Team: Record, Equatable {
  var id: Int64?
  var name: String
}

/// A row of the table `player`.
struct Player: Record, Equatable {
  static var columnNaming: ColumnNaming { .snakeCase }

  var id: Int64?
  var teamID: Int64
  var name: String
  var goals = 0
}

/// A row of the table `match`.
struct Match: Record, Equatable {
  static var columnNaming: ColumnNaming { .snakeCase }

  var id: Int64?
  var home: Int64
  var away: Int64
  var homeGoals: Int
  var awayGoals: Int
}
