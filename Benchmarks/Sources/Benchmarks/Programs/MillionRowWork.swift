import Glibc
import ObservationEngine

/// What a process does that ``MillionRowTransactionRows`` starts: a million rows in one transaction. It prints how long
/// that took and how long the panels took after it, in nanoseconds, and the most memory that it had, in bytes.
struct MillionRowWork {
  private static let name = "--million-rows"
  private static let count = 1_000_000
  /// Enough that running the panels again takes longer than keeping them up to date.
  static let before = 100_000

  let path: String
  let panels: Int

  init(path: String, panels: Int) {
    self.path = path
    self.panels = panels
  }

  /// - Returns: `nil` when the arguments are no such request.
  init?(arguments: [String]) {
    guard arguments.count == 3, arguments[0] == Self.name, let panels = Int(arguments[2]) else {
      return nil
    }
    self.init(path: arguments[1], panels: panels)
  }

  var arguments: [String] { [Self.name, path, "\(panels)"] }

  func run() throws {
    let written = try WrittenDatabase(path)
    // Each is a query of its own, with a state of its own.
    let observers = Observers(
      (0..<panels).map { index in
        written.database.observe(
          Query.scalar(
            "SELECT count(*) FROM item WHERE amount >= \(raw: "\(-index)")", as: Int64.self))
      }
    ) { $0 ?? 0 }
    var count = Self.before
    try observers.wait(for: Int64(count))
    // Their states are read once they ran again and again.
    for _ in 0..<20 {
      try insert(1, written)
      count += 1
      try observers.wait(for: Int64(count))
      Clock.sleep(10_000_000)
    }
    let start = Clock.now
    try insert(Self.count, written)
    let committed = Clock.now
    let end = try observers.wait(for: Int64(count + Self.count))
    observers.end()
    let peak = try ProcessFigures(pid: getpid()).peakMemory()
    print("\(committed - start) \(end > committed ? end - committed : 0) \(peak)")
  }

  private func insert(_ count: Int, _ written: WrittenDatabase) throws {
    try written.database.writeWaiting { connection in
      for index in 0..<count { try connection.execute(SQL(raw: ItemTable.insertion), [index]) }
    }
  }
}
