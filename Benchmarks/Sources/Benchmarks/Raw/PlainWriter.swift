/// What ``WrittenDatabase`` does, with nothing but SQLite.
struct PlainWriter {
  private let connection: PlainConnection

  init(_ path: String) throws(Failure) {
    connection = try PlainConnection(path)
    try connection.run("PRAGMA synchronous = OFF")
  }

  /// Inserts players one by one, a transaction each.
  ///
  /// - Returns: How long that took, in nanoseconds.
  func insertPlayers(_ count: Int) throws(Failure) -> UInt64 {
    let begin = try connection.prepare("BEGIN IMMEDIATE")
    let insertion = try connection.prepare("INSERT INTO player(name, score) VALUES ('new', ?)")
    let commit = try connection.prepare("COMMIT")
    let start = Clock.now
    for index in 0..<count {
      try begin.run()
      insertion.bind(index, to: 1)
      try insertion.run()
      try commit.run()
    }
    return Clock.now - start
  }

  /// Inserts items, all in one transaction.
  ///
  /// - Returns: How long that took, in nanoseconds.
  func insertItems(_ count: Int) throws(Failure) -> UInt64 {
    let insertion = try connection.prepare(ItemTable.insertion)
    let start = Clock.now
    try connection.run("BEGIN IMMEDIATE")
    for index in 0..<count {
      insertion.bind(index, to: 1)
      try insertion.run()
    }
    try connection.run("COMMIT")
    return Clock.now - start
  }

  /// - Returns: How long it took, in nanoseconds.
  func run(_ sql: String) throws(Failure) -> UInt64 {
    let start = Clock.now
    try connection.run(sql)
    return Clock.now - start
  }
}
