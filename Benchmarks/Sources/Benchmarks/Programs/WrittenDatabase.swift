import ObservationEngine

/// A database that one thread writes to through the engine, without waiting for the disk.
struct WrittenDatabase {
  let database: Database

  init(_ path: String) throws {
    var configuration = Configuration()
    configuration.keepsConnectionsOpen = true
    configuration.prepareConnection = { try $0.execute(script: "PRAGMA synchronous = OFF") }
    database = try Database(path: path, configuration: configuration)
  }

  /// Inserts players one by one, a transaction each.
  ///
  /// - Returns: How long that took, in nanoseconds.
  func insertPlayers(_ count: Int) throws -> UInt64 {
    let start = Clock.now
    for index in 0..<count {
      try database.writeWaiting { connection in
        try connection.execute("INSERT INTO player(name, score) VALUES ('new', \(index))")
      }
    }
    return Clock.now - start
  }
}
