import Glibc
import ObservationEngine

/// What a process does that ``SavepointRows`` starts: 500,000 rows in a savepoint. It prints the most
/// memory that it had, in bytes.
struct SavepointWork {
  private static let name = "--savepoint"
  private static let count = 500_000

  let path: String
  let observers: Int

  init(path: String, observers: Int) {
    self.path = path
    self.observers = observers
  }

  /// - Returns: `nil` when the arguments are no such request.
  init?(arguments: [String]) {
    guard arguments.count == 3, arguments[0] == Self.name, let observers = Int(arguments[2]) else {
      return nil
    }
    self.init(path: arguments[1], observers: observers)
  }

  var arguments: [String] { [Self.name, path, "\(observers)"] }

  func run() throws {
    let written = try WrittenDatabase(path)
    let observers = Observers(
      (0..<observers).map { _ in
        written.database.observe(Query.scalar("SELECT count(*) FROM item", as: Int64.self))
      }
    ) { $0 ?? 0 }
    try observers.wait(for: 0)
    try written.database.writeWaiting { connection in
      try connection.execute("SAVEPOINT all_items")
      for index in 0..<Self.count {
        try connection.execute(SQL(raw: ItemTable.insertion), [index])
      }
      try connection.execute("RELEASE all_items")
    }
    try observers.wait(for: Int64(Self.count))
    observers.end()
    print(try ProcessFigures(pid: getpid()).peakMemory())
  }
}
