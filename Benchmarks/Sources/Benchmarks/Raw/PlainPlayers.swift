/// The players as a plain loop would have them: commit, then both queries again.
///
/// Proof of `@unchecked`: each is used by one thread, after it was handed to that thread.
final class PlainPlayers: @unchecked Sendable {
  private let connection: PlainConnection
  /// Where the queries run.
  private let reader: PlainConnection
  private let begin: PlainStatement
  private let insertion: PlainStatement
  private let commit: PlainStatement
  private let count: PlainStatement
  private let top: PlainStatement
  /// The values, kept as a program would keep them.
  private(set) var current: (count: Int64, top: [PlainPlayer]) = (0, [])

  /// - Parameter readsApart: Whether a second connection runs the queries, as it must when reading
  ///   shall not hold up writing. A commit by the first empties its cache.
  init(path: String, readsApart: Bool) throws {
    connection = try PlainConnection(path)
    reader = readsApart ? try PlainConnection(path) : connection
    begin = try connection.prepare("BEGIN IMMEDIATE")
    insertion = try connection.prepare("INSERT INTO player(name, score) VALUES ('new', ?)")
    commit = try connection.prepare("COMMIT")
    count = try reader.prepare(PlayerTable.count)
    top = try reader.prepare(PlayerTable.top)
  }

  func insert(score: Int) throws -> WriteMoments {
    let began = Clock.now
    try begin.run()
    insertion.bind(score, to: 1)
    try insertion.run()
    try commit.run()
    let committed = Clock.now
    try read()
    return WriteMoments(began: began, committed: committed, delivered: Clock.now)
  }

  /// Runs both queries again.
  func read() throws {
    if reader !== connection { try reader.run("BEGIN") }
    current = (try count.integer(), try top.players())
    if reader !== connection { try reader.run("COMMIT") }
  }
}
