import Dispatch
import Glibc
import ObservationEngine

/// A hall of fame in a database file, printed whenever anybody changes it.
///
///     swift run HallOfFame hall.db
///     sqlite3 hall.db "UPDATE player SET score = score + 5 WHERE name = 'ada'"      # meanwhile
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
    try await database.write { db in
      try db.execute(
        "CREATE TABLE IF NOT EXISTS player (name TEXT PRIMARY KEY, score INTEGER NOT NULL)")
    }
    let count = Query.scalar("SELECT count(*) FROM player", as: Int.self)
    let best = Query.list("SELECT name, score FROM player ORDER BY score DESC, name LIMIT 10") {
      Player(name: try $0.decode(0), score: try $0.decode(1))
    }
    for try await (count, best) in database.observe(count, best) {
      print("\(count) players")
      for (rank, player) in best.enumerated() {
        print("  \(rank + 1). \(player.name): \(player.score)")
      }
      // Also into a pipe, each time.
      fflush(nil)
      if once { break }
    }
  }
}

struct Player: Equatable, Sendable {
  let name: String
  let score: Int
}
