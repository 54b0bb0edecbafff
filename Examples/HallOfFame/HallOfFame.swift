import Dispatch
import Glibc
import ObservationEngine
import ObservationRecords

/// A hall of fame in a database file, printed whenever anybody changes it.
///
///     swift run HallOfFame hall.db
///     sqlite3 hall.db "INSERT INTO player VALUES ('ada', 5) ON CONFLICT DO UPDATE SET score = score + 5"    # meanwhile
@main
enum HallOfFame {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first, arguments.dropFirst().allSatisfy({ $0 == "--once" }) else {
      print("usage: HallOfFame FILE [--once]")
      exit(2)
    }
    let task = Task { try await show(path, once: arguments.count > 1) }
    // Ctrl-C ends the loop, and SQLite tidies up behind it.
    signal(SIGINT, SIG_IGN)
    let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
    interrupt.setEventHandler { task.cancel() }
    interrupt.resume()
    do {
      try await task.value
    } catch {
      print("HallOfFame: \(error)")
      exit(1)
    }
  }

  /// Prints the hall of fame at `path` now, and at each change.
  static func show(_ path: String, once: Bool) async throws {
    let database = try Database(path: path)
    var migrator = Migrator()
    migrator.register("players") { db in try db.create(Player.self) }
    try await migrator.migrate(database)

    for try await hall in database.observe({ try Hall($0) }) {
      print("\(hall.count) players")
      for (rank, player) in hall.best.enumerated() {
        print("  \(rank + 1). \(player.name): \(player.score)")
      }
      // Also into a pipe, each time.
      fflush(nil)
      if once { break }
    }
    await database.close()
  }
}

/// A row of the table `player`.
struct Player: Record, Equatable {
  static var primaryKey: [String] { ["name"] }
  var name: String
  var score: Int
}

/// What is shown, all from one snapshot.
struct Hall: Equatable, Sendable {
  let count: Int
  let best: [Player]

  init(_ db: Connection) throws {
    count = try db.count(Player.self)
    best = try db.fetchAll(Player.self, orderBy: "score DESC, name", limit: 10)
  }
}
