import ObservationEngine

/// How many transactions a writer without a pause gets done while a hundred observers ask the same.
struct IdenticalRows {
  let project: Project
  private let transactions = 5_000
  private let count = 100

  func run() throws -> [Row] {
    let turns = try Turns {
      let path = project.newDatabase("identical-plain.db")
      try PlayerTable.make(path)
      return try PlainWriter(path).insertPlayers(transactions)
    } measured: {
      try observed()
    }
    return [
      Row(
        "100 identical observations, commits/s / plain loop", 1 / turns.ratio, .ratio,
        target: .atLeast(0.5)),
      Row("  commits", Double(transactions) / turns.measured * 1e9, .perSecond),
      Row("  commits of the plain loop", Double(transactions) / turns.base * 1e9, .perSecond),
    ]
  }

  private func observed() throws -> UInt64 {
    let path = project.newDatabase("identical.db")
    try PlayerTable.make(path)
    let written = try WrittenDatabase(path)
    defer { written.database.close() }
    let query = Query.scalar(SQL(raw: PlayerTable.count), as: Int64.self)
    let observers = Observers((0..<count).map { _ in written.database.observe(query) }) { $0 ?? 0 }
    defer { observers.end() }
    try observers.wait(for: Int64(PlayerTable.size))
    let elapsed = try written.insertPlayers(transactions)
    try observers.wait(for: Int64(PlayerTable.size + transactions))
    return elapsed
  }
}
