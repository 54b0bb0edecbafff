import ObservationEngine

/// What a writer of many rows pays for a hundred observers whom they do not concern, against the
/// engine without any.
struct BystanderRows {
  let project: Project
  private let count = 100_000
  private let observerCount = 100

  func run() throws -> [Row] {
    try otherTable() + otherRows()
  }

  /// 100,000 rows inserted in one transaction; the observers look at another table.
  private func otherTable() throws -> [Row] {
    let turns = try Turns {
      try insertion(observers: 0)
    } measured: {
      try insertion(observers: observerCount)
    }
    let plain = try Turns(most: 5) {
      let path = try newDatabase("bystanders-plain.db")
      return try PlainWriter(path).insertItems(count)
    } measured: {
      try insertion(observers: 0)
    }
    return [
      Row(
        "100k rows in one transaction, 100 observers of another table / none", turns.ratio, .ratio,
        target: .atMost(1.05)),
      Row("  none / plain loop", plain.ratio, .ratio),
    ]
  }

  private func insertion(observers: Int) throws -> UInt64 {
    let written = try WrittenDatabase(try newDatabase("bystanders.db"))
    defer { written.database.close() }
    let fleet = Observers(
      (0..<observers).map { index in
        written.database.observe(
          Query.scalar("SELECT max(id) + 0 * \(raw: "\(index)") FROM player", as: Int64.self))
      }
    ) { $0 ?? 0 }
    defer { fleet.end() }
    try fleet.wait(for: Int64(PlayerTable.size))
    let start = Clock.now
    try written.database.writeWaiting { connection in
      for index in 0..<count {
        try connection.execute(SQL(raw: ItemTable.insertion), [index])
      }
    }
    let elapsed = Clock.now - start
    // All of them are still there, and see what concerns them.
    _ = try written.insertPlayers(1)
    try fleet.wait(for: Int64(PlayerTable.size + 1))
    return elapsed
  }

  /// 100,000 rows updated by one statement; each observer looks at one other row of the table.
  private func otherRows() throws -> [Row] {
    let turns = try Turns {
      try update(observers: 0)
    } measured: {
      try update(observers: observerCount)
    }
    let plain = try Turns(most: 5) {
      try PlainWriter(newDatabase("bystanders-plain.db", items: count + observerCount))
        .run(updating)
    } measured: {
      try update(observers: 0)
    }
    return [
      Row(
        "UPDATE of 100k rows, 100 observers of one other row each / none", turns.ratio, .ratio,
        target: .atMost(1.3)),
      Row("  none / plain loop", plain.ratio, .ratio),
    ]
  }

  private var updating: String {
    "UPDATE item SET amount = amount + 1 WHERE id > \(observerCount)"
  }

  private func update(observers: Int) throws -> UInt64 {
    let path = try newDatabase("bystanders.db", items: count + observerCount)
    let written = try WrittenDatabase(path)
    defer { written.database.close() }
    // An observed amount becomes 0 in the end.
    let fleet = Observers(
      (0..<observers).map { index in
        written.database.observe(
          Query.scalar("SELECT amount FROM item WHERE id = \(index + 1)", as: Int64.self))
      }
    ) { $0 == 0 ? 0 : 1 }
    defer { fleet.end() }
    try fleet.wait(for: 1)
    let start = Clock.now
    try written.database.writeWaiting { _ = try $0.execute(SQL(raw: updating)) }
    let elapsed = Clock.now - start
    try written.database.writeWaiting { connection in
      _ = try connection.execute("UPDATE item SET amount = 0 WHERE id <= \(observerCount)")
    }
    try fleet.wait(for: 0)
    return elapsed
  }

  private func newDatabase(_ name: String, items: Int = 0) throws(Failure) -> String {
    let path = project.newDatabase(name)
    try PlayerTable.make(path)
    try ItemTable.make(path, count: items)
    return path
  }
}
