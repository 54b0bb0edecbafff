import ObservationEngine
import TestSupport

// The examples of the documentation stand in these files, word for word; `Scripts/check-examples`
// compares. Around them is what a reader has to imagine: a database with players, and a screen.

/// A database for an example: players with a score.
func exampleDatabase() async throws -> TemporaryDatabase {
  try await TemporaryDatabase(
    schema: """
      CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL
        DEFAULT 0);
      INSERT INTO player(name, score) VALUES ('ada', 3), ('bob', 1)
      """)
}

/// What an example shows, or logs.
final class Screen<Shown: Sendable>: Sendable {
  let journal = Journal<Shown>()

  func show(_ value: Shown) { journal.append(value) }
}
