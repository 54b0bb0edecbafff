import Dashboard
import ObservationEngine

/// What a `--stream` with `--state` has printed: the rows of each panel, and the number of the last
/// change.
///
/// ## Guarantees
/// - No line is lost: it is stored in the transaction that stores the rows, and removed when it has
///   been printed. Unprinted lines come first at the next start, unchanged.
/// - Each is printed once, unless the process was killed while it printed to something else than a
///   regular file: what a file has of it is compared.
final class StreamState: Sendable {
  /// What an earlier run left.
  struct Past {
    var ordinal = 0
    /// By panel.
    var results: [String: RowSet] = [:]
    /// Lines that may not have been printed, or not to their end.
    var lines = ""
    /// Where they begin in the output.
    var place: Output.Place?
    /// Whether there was an earlier run.
    var isResumed = false
  }

  /// `LqSt`, for SQLite's `application_id`.
  private static let applicationID: Int64 = 0x4c71_5374
  private static let version: Int64 = 1

  private let file: StateFile
  private let database: Database

  /// - Parameter watched: The file of the database that is observed; empty without one.
  /// - Throws: ``Failure`` when the file can't be used.
  init(_ path: String, watching watched: String) throws(Failure) {
    file = try StateFile(path, watching: watched)
    var configuration = Configuration()
    configuration.usesSingleConnection = true
    database = try file.open(configuration) { try Self.prepare($0) }
  }

  private static func prepare(_ connection: Connection) throws {
    if try connection.fetchOne("SELECT count(*) FROM sqlite_schema") as Int? == 0 {
      try connection.execute(
        script: """
          PRAGMA application_id = \(applicationID);
          PRAGMA user_version = \(version);
          CREATE TABLE progress (ordinal INTEGER NOT NULL);
          CREATE TABLE panel (name TEXT PRIMARY KEY, result TEXT NOT NULL) WITHOUT ROWID;
          CREATE TABLE outbox (place INTEGER PRIMARY KEY, text TEXT NOT NULL)
          """)
    }
    guard try connection.fetchOne("PRAGMA application_id") as Int64? == applicationID else {
      throw DatabaseError(
        code: .misuse,
        message: "it is a database, but not a state that --stream wrote; name another file")
    }
    guard try connection.fetchOne("PRAGMA user_version") as Int64? == version else {
      throw DatabaseError(
        code: .misuse,
        message: "another version of livequery wrote this state; name another file")
    }
  }

  /// Reads what an earlier run left.
  func past() async throws -> Past {
    let file = file
    return try await database.read { connection in
      // The reservation lasts as long as the state.
      withExtendedLifetime(file) {}
      var past = Past()
      if let ordinal = try connection.fetchOne("SELECT ordinal FROM progress") as Int? {
        past.ordinal = ordinal
        past.isResumed = true
      }
      for row in try connection.fetchAll("SELECT name, result FROM panel").rows {
        guard case .text(let name) = row[0], case .text(let text) = row[1],
          let result = RecordedResult.result(text)
        else { continue }
        past.results[name] = result
      }
      for row in try connection.fetchAll("SELECT text FROM outbox ORDER BY place").rows {
        if case .text(let text) = row[0] { past.lines += text }
      }
      past.place = try StateFile.place(connection)
      return past
    }
  }

  /// Stores results, and the lines about them before they are printed.
  ///
  /// - Parameter place: Where the lines will begin in the output.
  func store(
    _ results: [String: RowSet], ordinal: Int, lines: String, at place: Output.Place?
  ) async throws {
    let texts = results.mapValues { RecordedResult.text(of: $0) }
    try await database.write { connection in
      try connection.execute("DELETE FROM progress")
      try connection.execute("INSERT INTO progress VALUES (\(ordinal))")
      for (name, text) in texts {
        try connection.execute("INSERT OR REPLACE INTO panel VALUES (\(name), \(text))")
      }
      try connection.execute("INSERT INTO outbox (text) VALUES (\(lines))")
      try StateFile.note(place, connection)
    }
  }

  /// Notes where the lines that an earlier run left will begin in the output.
  func note(_ place: Output.Place?) async throws {
    try await database.write { try StateFile.note(place, $0) }
  }

  /// Records that all stored lines have been printed.
  func confirm() async throws {
    try await database.write { connection in try connection.execute("DELETE FROM outbox") }
  }

  func shutDown() { database.shutDown() }
}
