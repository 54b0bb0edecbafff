import Dispatch
import Glibc
import ObservationEngine
import ObservationRecords

/// A league in a database file: one process plays, and any number of others watch.
///
///     swift run League watch league.db
///     swift run League play league.db 20        # meanwhile, in another terminal
@main
enum League {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 2, let command = Command(arguments[0], arguments.dropFirst(2)) else {
      print("usage: League play FILE MATCHES\n       League watch FILE [TEAM…]")
      exit(2)
    }
    let task = Task { try await run(command, path: arguments[1]) }
    // Ctrl-C ends the loop, and SQLite tidies up behind it.
    signal(SIGINT, SIG_IGN)
    let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
    interrupt.setEventHandler { task.cancel() }
    interrupt.resume()
    do {
      try await task.value
    } catch {
      guard !task.isCancelled else { return }
      print("League: \(error)")
      exit(1)
    }
  }

  private enum Command {
    case play(matches: Int)
    case watch(teams: [String])

    init?(_ name: String, _ rest: ArraySlice<String>) {
      switch name {
      case "play":
        guard rest.count == 1, let matches = rest.first.flatMap({ Int($0) }) else { return nil }
        self = .play(matches: matches)
      case "watch": self = .watch(teams: Array(rest))
      default: return nil
      }
    }
  }

  private static func run(_ command: Command, path: String) async throws {
    let database = try await Database.open(path: path)
    do {
      try await Season.migrator.migrate(database)
      switch command {
      case .play(let matches): try await Season(database).play(matches)
      case .watch(let teams): try await Scoreboard(database, teams: teams).show()
      }
    } catch {
      await database.close()
      throw error
    }
    await database.close()
  }
}
