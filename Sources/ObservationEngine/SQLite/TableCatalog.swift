/// The tables of a connection, with what change tracking needs.
package struct TableCatalog {
  /// One table.
  package struct Table {
    /// The name as declared.
    package let name: String
    package let kind: SchemaReader.Table.Kind
    package let columns: [Column]
    package let identity: Identity
    /// How the hooks report its rows.
    let hooked: Result<HookedColumns, HookedColumns.Unknown>
    /// The columns of the declared primary key, in its order; empty without one.
    package let primaryKey: [String]
    /// Why row changes in this table cannot be told apart; `nil` when they can.
    let untrackable: String?
    /// Those that aren't computed when they are read.
    package var storedColumns: [Column] { columns.filter { !$0.isComputed } }

    /// Whether columns are generated, stored or not.
    var hasGeneratedColumns: Bool { columns.contains(where: \.isGenerated) }

    /// A name of the rowid that no column uses; `nil` without one.
    package var rowidAlias: String? {
      guard case .rowid(let alias) = identity else { return nil }
      return columns.contains { $0.name.asciiLowercased == alias } ? nil : alias
    }
  }

  /// One column, in declared order.
  package struct Column {
    package let name: String
    /// The name as in ``Region``.
    package let foldedName: String
    /// Empty without a type.
    package let declaredType: String
    /// Whether rows older than the column may read as its default because their record lacks it.
    package let hasDefault: Bool
    /// Whether its default is `true` or `false`. In a column of texts, rows older than the column have a number then;
    /// when SQLite changes such a row, it stores a text, and leaves the number in the indexes.
    let hasTruthAsDefault: Bool
    /// Whether it is generated, stored or not.
    package let isGenerated: Bool
    /// Whether it is generated, and not stored.
    let isComputed: Bool
    /// The type that it converts values to, if it can.
    let affinity: Affinity
    /// Whether it can have both 1 and 1.0: the others store one as the other.
    let canHaveWholeReals: Bool
  }

  /// What identifies a row.
  package enum Identity {
    /// The rowid, reachable under this name.
    case rowid(alias: String)
    /// The primary key of a WITHOUT ROWID table: indexes of its columns.
    case primaryKey([Int])
  }

  private var tables: [TableID: Table] = [:]
  private var kinds: [TableID: SchemaReader.Table.Kind] = [:]
  /// The declarations of tables, views and triggers.
  private var declarations: [TableID: SchemaReader.Declaration] = [:]
  /// Where virtual tables store their content, if known.
  private var storage: [TableID: [TableID]] = [:]

  init() {}

  /// Statements that compile the double-quoted text in the schema outside of tables: all views, and
  /// each trigger through the statements that may run it.
  var usesOfQuotes: [String] {
    var statements: [String] = []
    for (id, declaration) in declarations {
      guard declaration.sql?.utf8.contains(UInt8(ascii: "\"")) == true else { continue }
      let schema = id.schema.quotedIdentifier
      let name = "\(schema).\(declaration.table.quotedIdentifier)"
      if declaration.kind == .view { statements.append("SELECT * FROM \(name)") }
      guard declaration.kind == .trigger else { continue }
      statements += ["INSERT INTO \(name) DEFAULT VALUES", "DELETE FROM \(name)"]
      let columns = tables[TableID(schema: id.schema, name: declaration.table)]?.columns ?? []
      // One at a time, because a generated column cannot be set.
      statements += columns.map {
        "UPDATE \(name) SET \($0.name.quotedIdentifier) = \($0.name.quotedIdentifier)"
      }
    }
    return statements.sorted()
  }

  init(reading connection: Connection) throws(DatabaseError) {
    let reader = SchemaReader(connection)
    for table in try reader.tables() {
      kinds[table.id] = table.kind
      guard table.kind == .table || table.kind == .shadow else { continue }
      tables[table.id] = try Self.table(table, reader)
    }
    for schema in connection.schemas {
      for declaration in try reader.declarations(in: schema)
      where declaration.kind != .index && !declaration.isInternal {
        declarations[TableID(schema: schema, name: declaration.name)] = declaration
      }
    }
    for (id, kind) in kinds where kind == .virtual {
      guard let sql = declarations[id]?.sql else { continue }
      storage[id] = VirtualTableStorage.tables(of: id, declaredBy: sql) { tables[$0] != nil }
    }
  }

  /// Whether tables, views and triggers have the same declarations: only indexes and SQLite's own
  /// tables may differ.
  func hasSameTables(as other: TableCatalog) -> Bool { declarations == other.declarations }

  private static func table(
    _ table: SchemaReader.Table, _ reader: SchemaReader
  ) throws(DatabaseError) -> Table {
    let name = table.name
    var columns: [Column] = []
    var key: [(position: Int, column: Int)] = []
    var untrackable: String?
    for column in try reader.columns(of: name, in: table.schema) {
      if column.keyPosition > 0 { key.append((column.keyPosition, columns.count)) }
      let affinity = Affinity(declared: column.type)
      columns.append(
        Column(
          name: column.name, foldedName: column.name.asciiLowercased, declaredType: column.type,
          hasDefault: column.defaultValue != nil,
          hasTruthAsDefault: SQLTokenizer.tokens(of: column.defaultValue ?? "").contains {
            $0.isWord("true") || $0.isWord("false")
          }, isGenerated: column.visibility == .generated, isComputed: column.isVirtual,
          affinity: affinity,
          // A type of STRICT tables, which has no affinity.
          canHaveWholeReals: affinity == .blob || column.type.asciiLowercased == "any"))
    }
    if columns.map(\.foldedName).hasEquivalents {
      untrackable = "\(name) has columns that differ only in how Unicode spells them"
    }
    let order = key.sorted { $0.position < $1.position }.map(\.column)
    let primaryKey = order.map { columns[$0].name }
    func hooked(_ recordOrder: [Int]?) -> Result<HookedColumns, HookedColumns.Unknown> {
      Result { () throws(HookedColumns.Unknown) in
        try HookedColumns(of: name, columns, primaryKey: primaryKey, recordOrder: recordOrder)
      }
    }
    if table.isWithoutRowid {
      return Table(
        name: name, kind: table.kind, columns: columns, identity: .primaryKey(order),
        hooked: hooked(try reader.recordOrder(ofKeyed: name, in: table.schema)),
        primaryKey: primaryKey, untrackable: untrackable)
    }
    let taken = Set(columns.map(\.name.asciiLowercased))
    let alias = SchemaReader.rowidNames.first { !taken.contains($0) }
    // A column named rowid is the rowid itself only when it is the INTEGER PRIMARY KEY.
    if alias == nil { untrackable = "\(name) hides its rowid" }
    return Table(
      name: name, kind: table.kind, columns: columns, identity: .rowid(alias: alias ?? "rowid"),
      hooked: hooked(nil),
      primaryKey: primaryKey, untrackable: untrackable)
  }

  package func table(_ id: TableID) -> Table? { tables[id] }

  /// What has this name; `nil` when nothing has.
  func kind(of id: TableID) -> SchemaReader.Table.Kind? { kinds[id] }

  /// The definitions of the views of a name, in any schema.
  func viewDefinitions(named name: String) -> [String] {
    let folded = name.asciiLowercased
    return declarations.compactMap { id, declaration in
      id.name == folded && declaration.kind == .view ? declaration.sql : nil
    }
  }

  /// The SELECT of a view; `nil` when it is none.
  func viewDefinition(_ id: TableID) -> String? {
    guard let declaration = declarations[id], declaration.kind == .view, let sql = declaration.sql,
      let start = SQLTokenizer.tokens(of: sql).first(where: { $0.isWord("as") })
    else { return nil }
    return String(decoding: sql.utf8.dropFirst(start.range.upperBound), as: UTF8.self)
  }

  /// The tables whose rows have a rowid, declared or not.
  func numberedTables(in schema: String) -> [TableID] {
    tables.filter { id, table in
      if case .rowid = table.identity { id.schema == schema } else { false }
    }.map(\.key)
  }

  /// The tables, and their columns, that a query of the virtual table `id` reads indirectly.
  func storage(of id: TableID) -> [TableID: [String]] {
    guard let storage = storage[id] else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: storage.map { ($0, tables[$0]?.columns.map(\.name) ?? []) })
  }

  /// Why a query that reads `table` may depend on more than that table's own rows.
  func reasonForFullRegion(reading table: TableID) -> String? {
    // SQLite calls no hooks for its own tables: sqlite_sequence, sqlite_stat1, …
    if table.name.hasPrefix("sqlite_"), !Self.schemaTables.contains(table.name) {
      return "\(table.declaredName) is a table of SQLite's own"
    }
    return switch kinds[table] {
    case .table, .shadow, .view: nil
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

  /// Table-valued functions whose result depends only on their arguments.
  private static let pureTableFunctions: Set<String> = [
    "json_each", "json_tree", "generate_series", "bytecode", "tables_used",
  ]
  private static let schemaTables: Set<String> = [
    "sqlite_schema", "sqlite_master", "sqlite_temp_schema", "sqlite_temp_master",
  ]
}
