import ObservationEngine

/// What a writer of many small transactions pays for those who observe the table that it fills.
///
/// The clock stops with the last commit; then every observer has to arrive at the last state.
struct ObserverRows {
  let project: Project
  private let transactions = 5_000

  func run() throws -> [Row] {
    var rows: [Row] = []
    for (count, limit) in [(0, 1.3), (1, 1.6), (10, 2), (100, 4)] {
      var catchingUp: [Double] = []
      let turns = try Turns {
        let path = project.newDatabase("observers-plain.db")
        try PlayerTable.make(path)
        return try PlainWriter(path).insertPlayers(transactions)
      } measured: {
        let (writing, after) = try observed(by: count)
        catchingUp.append(Double(after))
        return writing
      }
      let name = count == 1 ? "1 observer" : "\(count) observers"
      rows += [
        Row("5000 transactions, \(name) / plain loop", turns.ratio, .ratio, target: .atMost(limit)),
        Row("  a transaction", turns.measured / 1e3 / Double(transactions), .microseconds),
      ]
      guard count > 0 else {
        rows.append(
          Row("  of the plain loop", turns.base / 1e3 / Double(transactions), .microseconds))
        continue
      }
      rows.append(Row("  last commit → last observer", catchingUp.median / 1e6, .milliseconds))
    }
    return rows
  }

  /// - Returns: How long the writer took, and the observers after it, in nanoseconds.
  private func observed(by count: Int) throws -> (writing: UInt64, after: UInt64) {
    let path = project.newDatabase("observers.db")
    try PlayerTable.make(path)
    let written = try WrittenDatabase(path)
    defer { written.database.close() }
    let observers = Observers(
      (0..<count).map { index in
        written.database.observe(
          // The newest players; each observer asks in words of its own.
          Query.rows(
            "SELECT id, name, score, \(raw: "\(index)") FROM player ORDER BY id DESC LIMIT 10"
          ) { row in
            try PlainPlayer(id: row[0], name: row[1], score: row[2])
          })
      }
    ) { $0.first?.id ?? 0 }
    defer { observers.end() }
    try observers.wait(for: Int64(PlayerTable.size))
    let writing = try written.insertPlayers(transactions)
    let end = Clock.now
    let last = try observers.wait(for: Int64(PlayerTable.size + transactions))
    return (writing, last - end)
  }
}
