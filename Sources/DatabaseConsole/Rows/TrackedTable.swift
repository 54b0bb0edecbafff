internal import ObservationEngine

/// A table as its lines show it: the names of its columns, and what identifies a row.
struct TrackedTable: Sendable, Equatable {
  enum Key: Sendable, Equatable {
    /// The rowid, and the INTEGER PRIMARY KEY that declares it; `nil` for a hidden rowid.
    case rowid(column: Int?)
    /// The primary key of a WITHOUT ROWID table, by indexes of its columns.
    case columns([Int])
  }

  /// The name as declared.
  let name: String
  /// The names of all columns, in declared order.
  let columns: [String]
  let key: Key

  /// A name under which SQL reaches the rowid; `nil` without one.
  private var rowidName: String? {
    guard case .rowid(let column) = key else { return nil }
    if let column { return columns[column] }
    let taken = Set(columns.map(\.asciiLowercased))
    return SchemaReader.rowidNames.first { !taken.contains($0) }
  }

  /// The names of the columns that identify a row.
  var keyNames: [String] {
    switch key {
    case .rowid: [rowidName ?? "rowid"]
    case .columns(let indexes): indexes.map { columns[$0] }
    }
  }

  /// Whether a key of one identifies a row of the other.
  func hasSameKey(as other: TrackedTable) -> Bool {
    switch (key, other.key) {
    case (.rowid, .rowid), (.columns, .columns): keyNames == other.keyNames
    case (.rowid, .columns), (.columns, .rowid): false
    }
  }

  /// Splits a row that ``selection`` or ``ReplicaTable/scan`` returns.
  func keyed(_ row: [Value]) -> KeyedRow {
    switch key {
    case .columns(let indexes):
      return KeyedRow(key: .primaryKey(indexes.map { row[$0] }), values: row)
    case .rowid:
      guard case .integer(let rowid)? = row.first else {
        preconditionFailure("a rowid is an integer")
      }
      return KeyedRow(key: .rowid(rowid), values: Array(row.dropFirst()))
    }
  }

  /// The columns of a key with their values, for a line.
  func row(of key: RowChange.Key) -> Row {
    switch key {
    case .rowid(let rowid): Row(columns: keyNames, values: [.integer(rowid)])
    case .primaryKey(let values): Row(columns: keyNames, values: values)
    }
  }

  /// The SQL for all rows, in the order of ``KeyOrder`` as far as SQLite's encoding and collations have that.
  var selection: String {
    let names = columns.map(\.quotedIdentifier)
    let table = "main.\(name.quotedIdentifier)"
    switch key {
    case .columns(let indexes):
      let order = indexes.map { names[$0] + " COLLATE BINARY" }.joined(separator: ", ")
      return "SELECT \(names.joined(separator: ", ")) FROM \(table) ORDER BY \(order)"
    case .rowid(let column):
      let rowid = column.map { names[$0] } ?? rowidName ?? "rowid"
      return "SELECT \(rowid), \(names.joined(separator: ", ")) FROM \(table) ORDER BY 1"
    }
  }
}

/// A row and what identifies it.
struct KeyedRow {
  let key: RowChange.Key
  /// The values of all columns, in declared order.
  let values: [Value]
}

extension TrackedTable {
  /// Reads what a table is like.
  ///
  /// - Throws: `DatabaseError` when its rows can't be told apart, or can't be read.
  init(_ table: SchemaReader.Table, on connection: Connection) throws {
    let reader = SchemaReader(connection)
    let declared = try reader.columns(of: table.name, in: table.schema)
    name = table.name
    columns = declared.map(\.name)
    let keys = declared.indices.filter { declared[$0].keyPosition > 0 }
      .sorted { declared[$0].keyPosition < declared[$1].keyPosition }
    if table.isWithoutRowid {
      key = .columns(keys)
    } else {
      key = .rowid(column: try reader.declaresRowid(table.id) ? keys.first : nil)
    }
    if !table.isWithoutRowid, rowidName == nil {
      throw DatabaseError(
        code: .misuse, message: "its rows can't be told apart: columns hide all names of its rowid")
    }
    // Functions or collations of an application may be missing.
    try connection.withCachedStatement(selection) { _ in }
  }
}
