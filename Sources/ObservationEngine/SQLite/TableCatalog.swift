/// The tables of a connection as far as change tracking must know them.
struct TableCatalog {
  /// One table.
  struct Table {
    /// The name as declared.
    let name: String
    let columns: [Column]
    let identity: Identity
    /// The columns of the declared primary key, in its order; empty without one.
    let primaryKey: [String]
    /// Why row changes cannot be told apart in this table; `nil` when they can.
    let untrackable: String?

    /// A name of the rowid that no column takes; `nil` without one.
    var rowidAlias: String? {
      guard case .rowid(let alias) = identity else { return nil }
      return columns.contains { $0.name.asciiLowercased == alias } ? nil : alias
    }
  }

  /// One column, in declared order.
  struct Column {
    let name: String
    /// The name as ``Region`` has it.
    let foldedName: String
    /// Whether rows older than the column may read as its default where the record says nothing.
    let hasDefault: Bool
  }

  /// What identifies a row.
  enum Identity {
    /// The rowid, reachable under this name.
    case rowid(alias: String)
    /// The primary key of a WITHOUT ROWID table: indexes of its columns.
    case primaryKey([Int])
  }

  private enum Kind {
    case table, virtual, other
  }

  private var tables: [TableID: Table] = [:]
  private var kinds: [TableID: Kind] = [:]
  /// How tables, views and triggers are declared.
  private var declarations: [TableID: [Value]] = [:]
  /// Where virtual tables keep what they tell, as far as that is known.
  private var storage: [TableID: [TableID]] = [:]

  init() {}

  /// Statements that compile what the schema says in double quotes outside of tables: all views, and each
  /// trigger by the statements that may run it.
  var usesOfQuotes: [String] {
    var statements: [String] = []
    for (id, row) in declarations {
      guard case .text(let type) = row[1], case .text(let target) = row[2],
        case .text(let sql) = row[3], sql.utf8.contains(UInt8(ascii: "\""))
      else { continue }
      let schema = id.schema.quotedIdentifier
      let name = "\(schema).\(target.quotedIdentifier)"
      if type == "view" { statements.append("SELECT * FROM \(name)") }
      guard type == "trigger" else { continue }
      statements += ["INSERT INTO \(name) DEFAULT VALUES", "DELETE FROM \(name)"]
      let columns = tables[TableID(schema: id.schema, name: target)]?.columns ?? []
      // One at a time: a generated column cannot be set.
      statements += columns.map {
        "UPDATE \(name) SET \($0.name.quotedIdentifier) = \($0.name.quotedIdentifier)"
      }
    }
    return statements.sorted()
  }

  init(reading connection: Connection) throws(DatabaseError) {
    for row in try connection.fetch(engine: "PRAGMA table_list") {
      guard case .text(let schema) = row[0], case .text(let name) = row[1],
        case .text(let type) = row[2]
      else { continue }
      let id = TableID(schema: schema, name: name)
      kinds[id] = type == "virtual" ? .virtual : type == "view" ? .other : .table
      guard type == "table" || type == "shadow" else { continue }
      tables[id] = try Self.table(name, of: schema, isWithoutRowid: row[4] == 1, connection)
    }
    for schema in connection.schemas {
      let rows = try connection.fetch(
        engine: """
          SELECT name, type, tbl_name, sql FROM \(schema.quotedIdentifier).sqlite_schema
          WHERE type <> 'index' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          """)
      for row in rows {
        guard case .text(let name) = row[0] else { continue }
        declarations[TableID(schema: schema, name: name)] = row
      }
    }
    for (id, kind) in kinds where kind == .virtual {
      guard case .text(let sql)? = declarations[id]?[3] else { continue }
      storage[id] = VirtualTableStorage.tables(of: id, declaredBy: sql) { tables[$0] != nil }
    }
  }

  /// Whether tables, views and triggers are declared alike: only indexes and SQLite's own tables may
  /// differ.
  func hasSameTables(as other: TableCatalog) -> Bool { declarations == other.declarations }

  private static func table(
    _ name: String, of schema: String, isWithoutRowid: Bool, _ connection: Connection
  ) throws(DatabaseError) -> Table {
    var columns: [Column] = []
    var key: [(position: Int64, column: Int)] = []
    var untrackable: String?
    for row in try connection.fetch(
      engine: "SELECT name, dflt_value, pk, hidden FROM pragma_table_xinfo(?1, ?2)",
      [.text(name), .text(schema)])
    {
      guard case .text(let column) = row[0], case .integer(let position) = row[2],
        case .integer(let hidden) = row[3]
      else { continue }
      // 2 is VIRTUAL, 3 STORED. The preupdate hook numbers stored columns, so a virtual one shifts
      // all that follow, and a generated column changes without being named by the UPDATE.
      if hidden != 0 { untrackable = "\(name) has generated columns" }
      if position > 0 { key.append((position, columns.count)) }
      columns.append(
        Column(name: column, foldedName: column.asciiLowercased, hasDefault: row[1] != .null))
    }
    let order = key.sorted { $0.position < $1.position }.map(\.column)
    let primaryKey = order.map { columns[$0].name }
    if isWithoutRowid {
      return Table(
        name: name, columns: columns, identity: .primaryKey(order), primaryKey: primaryKey,
        untrackable: untrackable)
    }
    let taken = Set(columns.map(\.name.asciiLowercased))
    let alias = ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
    // A column named rowid is the rowid itself only when it is the INTEGER PRIMARY KEY.
    if alias == nil { untrackable = "\(name) hides its rowid" }
    return Table(
      name: name, columns: columns, identity: .rowid(alias: alias ?? "rowid"),
      primaryKey: primaryKey, untrackable: untrackable)
  }

  func table(_ id: TableID) -> Table? { tables[id] }

  /// The tables whose rows have a rowid, declared or not.
  func numberedTables(in schema: String) -> [TableID] {
    tables.filter { id, table in
      if case .rowid = table.identity { id.schema == schema } else { false }
    }.map(\.key)
  }

  /// The tables, and their columns, that a query of the virtual table `id` reads unseen.
  func storage(of id: TableID) -> [TableID: [String]] {
    guard let storage = storage[id] else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: storage.map { ($0, tables[$0]?.columns.map(\.name) ?? []) })
  }

  /// Why a query that reads `table` may depend on more than that table's own rows.
  func reasonForFullRegion(reading table: TableID) -> String? {
    // SQLite tells its hooks nothing of its own tables: sqlite_sequence, sqlite_stat1, …
    if table.name.hasPrefix("sqlite_"), !Self.schemaTables.contains(table.name) {
      return "\(table.declaredName) is a table of SQLite's own"
    }
    return switch kinds[table] {
    case .table, .other: nil
    case .virtual: storage[table] == nil ? "\(table.declaredName) is a virtual table" : nil
    case nil:
      if Self.pureTableFunctions.contains(table.name) {
        nil
      } else if Self.schemaTables.contains(table.name) {
        // A change of the schema names it, or refreshes everything.
        nil
      } else {
        "\(table.declaredName) is not an ordinary table"
      }
    }
  }

  /// Table-valued functions of their arguments alone.
  private static let pureTableFunctions: Set<String> = [
    "json_each", "json_tree", "generate_series", "bytecode", "tables_used",
  ]
  private static let schemaTables: Set<String> = [
    "sqlite_schema", "sqlite_master", "sqlite_temp_schema", "sqlite_temp_master",
  ]
}

extension String {
  /// The name as an SQL identifier.
  package var quotedIdentifier: String {
    "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
