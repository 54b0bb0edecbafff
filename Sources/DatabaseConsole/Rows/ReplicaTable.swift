internal import ObservationEngine

/// A table of a ``RowReplica``, with the SQL for it, which is made once.
struct ReplicaTable: Sendable, Equatable {
  /// Distinguishes it from other tables of the replica, also from one of the same name with other columns.
  let number: Int
  let table: TrackedTable
  let storedName: String
  let creation: String
  /// All rows, in the order of ``KeyOrder``.
  let scan: String
  /// The row with a key.
  let finding: String
  /// Puts a row in place of the one with its key.
  let storing: String
  let deleting: String

  /// - Parameter storedName: The name in the replica; `nil` for that of the number.
  init(number: Int, table: TrackedTable, storedName: String? = nil) {
    let name = storedName ?? "r\(number)"
    (self.number, self.table, self.storedName) = (number, table, name)
    let columns = table.columns.indices.map { "c\($0)" }
    let key: [String]
    let all: [String]
    // No column has a type: an affinity would change values.
    switch table.key {
    case .rowid:
      (key, all) = (["rowid"], ["rowid"] + columns)
      creation = "CREATE TABLE \(name) (\(columns.joined(separator: ", ")))"
    case .columns(let indexes):
      (key, all) = (indexes.map { columns[$0] }, columns)
      creation = """
        CREATE TABLE \(name) (\(columns.joined(separator: ", ")), \
        PRIMARY KEY (\(key.joined(separator: ", ")))) WITHOUT ROWID
        """
    }
    let list = all.joined(separator: ", ")
    let condition = key.map { "\($0) = ?" }.joined(separator: " AND ")
    scan = "SELECT \(list) FROM \(name) ORDER BY \(key.joined(separator: ", "))"
    finding = "SELECT \(list) FROM \(name) WHERE \(condition)"
    let marks = all.map { _ in "?" }.joined(separator: ", ")
    storing = "REPLACE INTO \(name) (\(list)) VALUES (\(marks))"
    deleting = "DELETE FROM \(name) WHERE \(condition)"
  }

  /// The same table under another name of the source, which differs in the case of letters.
  func renamed(_ table: TrackedTable) -> ReplicaTable {
    ReplicaTable(number: number, table: table, storedName: storedName)
  }

  func keyValues(_ key: RowChange.Key) -> [Value] {
    switch key {
    case .rowid(let rowid): [.integer(rowid)]
    case .primaryKey(let values): values
    }
  }
}
