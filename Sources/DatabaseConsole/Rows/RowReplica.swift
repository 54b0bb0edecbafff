internal import ObservationEngine

/// The rows that a ``RowFeed`` has written last, in a database of its own: by table and key, bit for bit.
///
///     progress   the number of the last commit
///     tracked    a row for each table: its name, and the kind of its key
///     column_of  the names of its columns
///     r1, r2, …  its rows; columns without affinity, which would change values
///     outbox     lines that are not known to be printed
///
/// Confined to the connection's thread of execution.
struct RowReplica {
  /// What the feed remembers of the replica, without reading it.
  struct Summary: Sendable {
    /// The number of the last commit; `nil` before the first.
    var commit: Int?
    var tables: [TableID: ReplicaTable] = [:]

    /// A number that no table has.
    var nextNumber: Int { (tables.values.map(\.number).max() ?? 0) + 1 }
  }

  /// `LqRw`, for SQLite's `application_id`.
  static let applicationID: Int64 = 0x4c71_5277
  static let version: Int64 = 1

  let connection: Connection

  // MARK: - The file

  /// Opens or makes the replica.
  ///
  /// - Throws: `DatabaseError` with code `misuse` when the database is of another program or version.
  func prepare() throws -> Summary {
    let isEmpty = try connection.fetch(engine: "SELECT count(*) FROM sqlite_schema") == [[0]]
    if isEmpty { try create() }
    guard try connection.fetch(engine: "PRAGMA application_id") == [[.integer(Self.applicationID)]]
    else {
      throw DatabaseError(
        code: .misuse,
        message: "it is a database, but not a state that --rows wrote; name another file")
    }
    guard try connection.fetch(engine: "PRAGMA user_version") == [[.integer(Self.version)]] else {
      throw DatabaseError(
        code: .misuse,
        message: "another version of livequery wrote this state; name another file")
    }
    return try summary()
  }

  private func create() throws {
    try connection.execute(
      script: """
        PRAGMA application_id = \(Self.applicationID);
        PRAGMA user_version = \(Self.version);
        CREATE TABLE progress (commit_number INTEGER NOT NULL);
        CREATE TABLE tracked (number INTEGER PRIMARY KEY, name TEXT NOT NULL, is_keyed INTEGER NOT NULL);
        CREATE TABLE column_of (
          number INTEGER, position INTEGER, name TEXT NOT NULL, key_position INTEGER,
          PRIMARY KEY (number, position)) WITHOUT ROWID;
        CREATE TABLE outbox (place INTEGER PRIMARY KEY, text TEXT NOT NULL)
        """)
  }

  private func summary() throws -> Summary {
    var summary = Summary()
    if case .integer(let commit)? = try rows("SELECT commit_number FROM progress").first?.first {
      summary.commit = Int(commit)
    }
    for row in try rows("SELECT number, name, is_keyed FROM tracked") {
      guard case .integer(let number) = row[0], case .text(let name) = row[1] else { continue }
      var columns: [String] = []
      var key: [(position: Int64, column: Int)] = []
      let described = try rows(
        "SELECT name, key_position FROM column_of WHERE number = ? ORDER BY position", [row[0]])
      for column in described {
        guard case .text(let name) = column[0] else { continue }
        if case .integer(let position) = column[1] { key.append((position, columns.count)) }
        columns.append(name)
      }
      let order = key.sorted { $0.position < $1.position }.map(\.column)
      let table = TrackedTable(
        name: name, columns: columns,
        key: row[2] == 1 ? .columns(order) : .rowid(column: order.first))
      summary.tables[TableID(name: name)] = ReplicaTable(number: Int(number), table: table)
    }
    return summary
  }

  func setProgress(_ commit: Int) throws {
    try run("DELETE FROM progress")
    try run("INSERT INTO progress VALUES (?)", [.integer(Int64(commit))])
  }

  // MARK: - Tables

  /// Makes an empty table.
  func add(_ stored: ReplicaTable) throws {
    try connection.execute(script: stored.creation)
    try describe(stored)
  }

  /// Writes down what a table is called, and its columns.
  func describe(_ stored: ReplicaTable) throws {
    let number = Value.integer(Int64(stored.number))
    try forgetDescription(of: stored)
    let isKeyed = if case .columns = stored.table.key { true } else { false }
    try run(
      "INSERT INTO tracked VALUES (?, ?, ?)",
      [number, .text(stored.table.name), .integer(isKeyed ? 1 : 0)])
    let key =
      switch stored.table.key {
      case .columns(let indexes): indexes
      case .rowid(let column): column.map { [$0] } ?? []
      }
    for (index, name) in stored.table.columns.enumerated() {
      let position = key.firstIndex(of: index).map { Value.integer(Int64($0)) } ?? .null
      try run(
        "INSERT INTO column_of VALUES (?, ?, ?, ?)",
        [number, .integer(Int64(index)), .text(name), position])
    }
  }

  /// Removes a table with its rows.
  func remove(_ stored: ReplicaTable) throws {
    try forgetDescription(of: stored)
    try connection.execute(script: "DROP TABLE \(stored.storedName)")
  }

  private func forgetDescription(of stored: ReplicaTable) throws {
    try run("DELETE FROM tracked WHERE number = ?", [.integer(Int64(stored.number))])
    try run("DELETE FROM column_of WHERE number = ?", [.integer(Int64(stored.number))])
  }

  // MARK: - Rows

  /// The values of the row with exactly this key; `nil` without one.
  ///
  /// - Complexity: O(log rows).
  func values(of key: RowChange.Key, in stored: ReplicaTable) throws -> [Value]? {
    guard let row = try rows(stored.finding, stored.keyValues(key)).first else { return nil }
    let found = stored.table.keyed(row)
    // 1 finds 1.0.
    return found.key == key ? found.values : nil
  }

  /// Stores a row in place of the one with its key, if there is one.
  func put(_ row: KeyedRow, in stored: ReplicaTable) throws {
    switch row.key {
    case .rowid(let rowid): try run(stored.storing, [.integer(rowid)] + row.values)
    case .primaryKey: try run(stored.storing, row.values)
    }
  }

  func delete(_ key: RowChange.Key, from stored: ReplicaTable) throws {
    try run(stored.deleting, stored.keyValues(key))
  }

  // MARK: - The outbox

  func store(_ text: String) throws {
    try run("INSERT INTO outbox (text) VALUES (?)", [.text(text)])
  }

  /// The first text behind a place; `nil` without one.
  func text(after place: Int) throws -> (place: Int, text: String)? {
    let rows = try rows(
      "SELECT place, text FROM outbox WHERE place > ? ORDER BY place LIMIT 1",
      [.integer(Int64(place))])
    guard case .integer(let place)? = rows.first?.first, case .text(let text)? = rows.first?.last
    else { return nil }
    return (Int(place), text)
  }

  /// - Parameter place: That of the last text to remove; `nil` for all.
  func emptyOutbox(through place: Int?) throws {
    guard let place else { return try run("DELETE FROM outbox") }
    try run("DELETE FROM outbox WHERE place <= ?", [.integer(Int64(place))])
  }

  // MARK: - SQL

  private func run(_ sql: String, _ values: [Value] = []) throws {
    _ = try rows(sql, values)
  }

  private func rows(_ sql: String, _ values: [Value] = []) throws -> [[Value]] {
    try connection.withCachedStatement(sql) { statement in
      try statement.bind(QueryArguments(values: values))
      var rows: [[Value]] = []
      while try statement.step() { rows.append(statement.row) }
      return rows
    }
  }
}
