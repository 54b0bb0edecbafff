internal import ObservationEngine
internal import Synchronization

/// How a record type maps to its table.
struct RecordShape: Sendable {
  /// One column, and its property.
  struct Column: Sendable {
    /// The string of the coding key.
    let key: String
    let name: String
    let kind: ColumnKind
    let isOptional: Bool
  }

  /// The type, for messages.
  let type: String
  let table: String
  let columns: [Column]
  /// Indexes of the primary key's columns, in its order; empty without a key.
  let key: [Int]
  let statements: Statements

  /// The SQL that is the same for all records of the type.
  struct Statements: Sendable {
    let insert: String
    let insertWithoutKey: String
    let insertOrUpdate: String
    let update: String
    let delete: String
    let select: String
    let selectByKey: String
  }

  init(type: String, table: String, columns: [Column], key: [Int]) {
    self.type = type
    self.table = table
    self.columns = columns
    self.key = key
    let sql = TableSQL(table)
    let names = columns.map(\.name)
    let keyNames = key.map { names[$0] }
    let others = columns.indices.filter { !key.contains($0) }.map { names[$0] }
    statements = Statements(
      insert: sql.insert(names), insertWithoutKey: sql.insert(others),
      insertOrUpdate: key.isEmpty ? "" : sql.insertOrUpdate(names, key: keyNames),
      update: key.isEmpty || others.isEmpty ? "" : sql.update(others, key: keyNames),
      delete: sql.delete(key: keyNames), select: sql.select(names),
      selectByKey: sql.select(names) + " WHERE \(TableSQL.equals(keyNames))")
  }

  /// The shape with some of its columns, among them the key.
  ///
  /// - Complexity: O(columns) the first time.
  func restricted(to kept: [Int]) -> RecordShape {
    if kept.count == columns.count { return self }
    let restriction = Restriction(select: statements.selectByKey, kept: kept)
    if let known = Self.knownRestrictions.withLock({ $0[restriction] }) { return known }
    let shape = RecordShape(
      type: type, table: table, columns: kept.map { columns[$0] },
      key: key.map { kept.firstIndex(of: $0)! })
    Self.knownRestrictions.withLock { $0[restriction] = shape }
    return shape
  }

  private struct Restriction: Hashable {
    /// Names all columns, and those of the key.
    let select: String
    let kept: [Int]
  }

  private static let knownRestrictions = Mutex<[Restriction: RecordShape]>([:])

  var keyNames: [String] { key.map { columns[$0].name } }

  /// The column that is the rowid: a primary key of a single integer.
  var rowidColumn: Int? {
    guard key.count == 1, columns[key[0]].kind == .integer else { return nil }
    return key[0]
  }

  /// The optional rowid, which SQLite assigns.
  var numberedColumn: Int? { rowidColumn.flatMap { columns[$0].isOptional ? $0 : nil } }

  /// `CREATE TABLE …`
  func creation(ifNotExists: Bool, dateFormat: DateFormat) -> String {
    var parts = columns.enumerated().map { index, column in
      var part = "\(column.name.quotedIdentifier) \(column.kind.declaration(dateFormat))"
      if index == rowidColumn {
        part += " PRIMARY KEY" + (column.isOptional ? " AUTOINCREMENT" : "")
      } else if !column.isOptional {
        part += " NOT NULL"
      }
      return part
    }
    if rowidColumn == nil, !key.isEmpty {
      parts.append("PRIMARY KEY (\(keyNames.map(\.quotedIdentifier).joined(separator: ", ")))")
    }
    return "CREATE TABLE \(ifNotExists ? "IF NOT EXISTS " : "")\(table.quotedIdentifier) "
      + "(\(parts.joined(separator: ", ")))"
  }

  /// Throws the error for an operation that needs a key on a type without one.
  func requireKey() throws(DatabaseError) {
    guard key.isEmpty else { return }
    throw DatabaseError(
      code: .misuse,
      message: """
        \(type) has no primary key, so no single row can be named: declare \
        `static var primaryKey`, or use a condition
        """)
  }
}

extension RecordShape {
  private static let known = Mutex<[ObjectIdentifier: RecordShape]>([:])

  /// The shape of a record type, determined on first use.
  ///
  /// - Throws: `DatabaseError` with code `misuse` when it can't be determined, or contradicts
  ///   itself.
  static func of<Element: Record>(_ type: Element.Type) throws(DatabaseError) -> RecordShape {
    let id = ObjectIdentifier(type)
    if let shape = known.withLock({ $0[id] }) { return shape }
    let shape = try find(type)
    known.withLock { $0[id] = shape }
    return shape
  }

  private static func find<Element: Record>(
    _ type: Element.Type
  ) throws(DatabaseError) -> RecordShape {
    let naming = type.columnNaming
    let columns = try RecordFields.of(type).map {
      Column(
        key: $0.key, name: naming.column($0.key), kind: $0.kind, isOptional: $0.isOptional)
    }
    var indexes: [String: Int] = [:]
    for (index, column) in columns.enumerated() {
      let folded = column.name.asciiLowercased
      if let other = indexes.updateValue(index, forKey: folded) {
        throw DatabaseError(
          code: .misuse,
          message: """
            \(type) has two properties for one column: \(columns[other].key) and \(column.key) are \
            both \(column.name), since SQLite ignores case in names
            """)
      }
    }
    var key: [Int] = []
    for name in type.primaryKey {
      guard let index = indexes[name.asciiLowercased] else {
        throw DatabaseError(
          code: .misuse,
          message: """
            \(type) has no column \(name), its primary key; it has \
            \(columns.map(\.name).joined(separator: ", ")): declare `static var primaryKey` with the \
            names of columns; it may be []
            """)
      }
      key.append(index)
    }
    return RecordShape(type: "\(type)", table: type.tableName, columns: columns, key: key)
  }
}
