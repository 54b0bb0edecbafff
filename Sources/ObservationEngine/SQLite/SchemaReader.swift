/// Reads the declarations in a connection's schemas, from SQLite's pragmas and schema tables.
///
/// It is the only place where the engine reads a schema: the columns of these rows are named here
/// and nowhere else. Observed queries don't count these reads.
///
/// - Complexity: One statement per call.
package struct SchemaReader {
  /// The names of a rowid that no column has taken, folded.
  package static let rowidNames = ["rowid", "_rowid_", "oid"]

  /// A table, a view, or a similar object.
  package struct Table: Sendable, Equatable {
    package enum Kind: String, Sendable {
      case table, view, virtual, shadow
    }

    package let schema: String
    package let name: String
    package let kind: Kind
    package let isWithoutRowid: Bool
    package let isStrict: Bool

    package var id: TableID { TableID(schema: schema, name: name) }
    /// Whether it is one of SQLite's own tables, such as `sqlite_sequence`.
    package var isInternal: Bool { name.asciiLowercased.hasPrefix("sqlite_") }
  }

  package struct Column: Sendable, Equatable {
    package enum Visibility: Sendable {
      case ordinary
      /// A parameter of a virtual table, which `SELECT *` leaves out.
      case hidden
      case generated
    }

    package let name: String
    /// The declared type; empty without one.
    package let type: String
    package let isNotNull: Bool
    /// The text of the expression.
    package let defaultValue: String?
    /// Its position in the primary key, from 1; 0 if it isn't part of it.
    package let keyPosition: Int
    package let visibility: Visibility
    /// Computed whenever it is read, and not stored.
    let isVirtual: Bool
  }

  /// A row of the schema table.
  package struct Declaration: Sendable, Hashable {
    package enum Kind: String, Sendable {
      case table, index, view, trigger
    }

    package let kind: Kind
    package let name: String
    /// The table or view that an index or a trigger belongs to.
    package let table: String
    /// `nil` for an index that SQLite made for a constraint.
    package let sql: String?

    /// Whether it belongs to one of SQLite's own tables, or is an index of a constraint.
    package var isInternal: Bool { name.asciiLowercased.hasPrefix("sqlite_") }

    package static func == (left: Declaration, right: Declaration) -> Bool {
      left.kind == right.kind && left.name.isExactly(right.name)
        && left.table.isExactly(right.table)
        && left.sql.map(ExactText.init) == right.sql.map(ExactText.init)
    }
  }

  package struct ForeignKey: Sendable, Equatable {
    package var columns: [String] = []
    package let parent: String
    /// Empty when the key refers to the parent's primary key.
    package var targets: [String] = []
    package let onDelete: String
    package let onUpdate: String
  }

  package struct Index: Sendable, Equatable {
    package let name: String
    /// `nil` stands for an expression or the rowid.
    package let columns: [String?]
    package let isUnique: Bool
    package let isPartial: Bool
  }

  /// A row whose foreign key refers to a row that does not exist.
  package struct Violation: Sendable, Hashable {
    package let table: String
    /// `nil` in a table without rowids.
    package let rowid: Int64?
    package let parent: String
    /// The number of the foreign key in its table.
    package let key: Int64
  }

  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  // MARK: - Tables

  /// The tables and views of a schema, or of all schemas, including SQLite's own; ordered by name.
  package func tables(in schema: String? = nil) throws(DatabaseError) -> [Table] {
    try rows(
      """
      SELECT schema, name, type, wr, strict FROM pragma_table_list
      WHERE ?1 IS NULL OR schema = ?1 COLLATE NOCASE ORDER BY name, schema
      """, schema
    ).compactMap { row in
      guard let schema = row[0].asText, let name = row[1].asText,
        let kind = row[2].asText.flatMap(Table.Kind.init)
      else { return nil }
      return Table(
        schema: schema, name: name, kind: kind, isWithoutRowid: row[3] == 1, isStrict: row[4] == 1)
    }
  }

  /// The columns of a table or view in declared order, including hidden ones; empty if it does not
  /// exist.
  ///
  /// - Parameter schema: `nil` for the schema in which SQLite finds the table by its bare name.
  package func columns(
    of table: String, in schema: String?
  ) throws(DatabaseError) -> [Column] {
    try rows(
      """
      SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?1, ?2)
      ORDER BY cid
      """, table, schema
    ).map { row in
      let visibility: Column.Visibility =
        switch row[5] {
        case 0: .ordinary
        case 1: .hidden
        // 2 is VIRTUAL, 3 STORED.
        default: .generated
        }
      return Column(
        name: row[0].asText ?? "", type: row[1].asText ?? "", isNotNull: row[2] == 1,
        defaultValue: row[3].asText, keyPosition: Int(row[4].asInteger ?? 0),
        visibility: visibility, isVirtual: row[5] == 2)
    }
  }

  /// Whether a table is declared STRICT.
  func isStrict(_ table: String, in schema: String) throws(DatabaseError) -> Bool {
    try rows(
      "SELECT strict FROM pragma_table_list(?1) WHERE schema = ?2 COLLATE NOCASE", table, schema
    ).first?.first == 1
  }

  /// The columns of a WITHOUT ROWID table in the order in which its rows are stored, by their places in
  /// declared order; none for a table with rowids.
  func recordOrder(
    ofKeyed table: String, in schema: String
  ) throws(DatabaseError) -> [Int] {
    // By a table's name, and not an index's, SQLite describes the key of a WITHOUT ROWID table.
    try rows("SELECT cid FROM pragma_index_xinfo(?1, ?2) ORDER BY seqno", table, schema)
      .map { row in row[0].asInteger.flatMap { Int(exactly: $0) } ?? -1 }
  }

  /// The schema table's entries for tables, indexes, views and triggers.
  package func declarations(in schema: String) throws(DatabaseError) -> [Declaration] {
    try trees(in: schema).map(\.declaration)
  }

  /// The same with the root page of each b-tree; `nil` for entries without one: views, triggers,
  /// virtual tables.
  package func trees(
    in schema: String
  ) throws(DatabaseError) -> [(declaration: Declaration, root: UInt32?)] {
    try rows(
      "SELECT type, name, tbl_name, sql, rootpage FROM \(schema.quotedIdentifier).sqlite_schema"
    ).compactMap { row in
      guard let kind = row[0].asText.flatMap(Declaration.Kind.init), let name = row[1].asText
      else { return nil }
      let root = row[4].asInteger.flatMap { $0 > 0 ? UInt32(exactly: $0) : nil }
      return (
        Declaration(kind: kind, name: name, table: row[2].asText ?? "", sql: row[3].asText), root
      )
    }
  }

  /// The number that SQLite increments with each change of the schema.
  package func version(of schema: String) throws(DatabaseError) -> Int64? {
    try rows("PRAGMA \(schema.quotedIdentifier).schema_version").first?.first?.asInteger
  }

  // MARK: - Indexes and foreign keys

  /// The indexes of a table, ordered by name.
  ///
  /// - Complexity: One more statement per index.
  package func indexes(
    of table: String, in schema: String
  ) throws(DatabaseError) -> [Index] {
    let rows = try rows(
      #"SELECT name, "unique", partial FROM pragma_index_list(?1, ?2) ORDER BY name"#, table,
      schema)
    var indexes: [Index] = []
    for row in rows {
      guard let name = row[0].asText else { continue }
      let columns = try self.rows(
        "SELECT name FROM pragma_index_info(?1, ?2) ORDER BY seqno", name, schema)
      indexes.append(
        Index(
          name: name, columns: columns.map { $0[0].asText }, isUnique: row[1] == 1,
          isPartial: row[2] == 1))
    }
    return indexes
  }

  /// A column by which an index is sorted.
  struct IndexColumn {
    enum Content {
      case column(String)
      case rowid
      case expression
    }

    /// The root page of the index.
    let root: Int64
    let table: String
    let content: Content
  }

  /// The columns of all indexes of a schema, but for those that are tables WITHOUT ROWID themselves.
  func indexColumns(in schema: String) throws(DatabaseError) -> [IndexColumn] {
    try rows(
      """
      SELECT s.rootpage, s.tbl_name, x.name, x.cid
      FROM \(schema.quotedIdentifier).sqlite_schema AS s, pragma_index_xinfo(s.name, ?1) AS x
      WHERE s.type = 'index' AND s.rootpage > 0 AND x.key
      """, schema
    ).compactMap { row in
      guard let root = row[0].asInteger, let table = row[1].asText else { return nil }
      let content: IndexColumn.Content =
        if let name = row[2].asText { .column(name) } else { row[3] == -1 ? .rowid : .expression }
      return IndexColumn(root: root, table: table, content: content)
    }
  }

  /// Whether the primary key of a table has an index of its own. Only an INTEGER PRIMARY KEY has
  /// none, because it is the rowid itself.
  package func hasKeyIndex(_ table: TableID) throws(DatabaseError) -> Bool {
    try hasKeyIndex(table.name, in: table.schema)
  }

  /// The same for a table by its name; without a schema, in the one where SQLite finds it.
  func hasKeyIndex(_ table: String, in schema: String?) throws(DatabaseError) -> Bool {
    try !rows(
      "SELECT 1 FROM pragma_index_list(?1, ?2) WHERE origin = 'pk'", table, schema
    ).isEmpty
  }

  /// Whether a column of a rowid table is its rowid, which VACUUM then preserves.
  package func declaresRowid(_ table: TableID) throws(DatabaseError) -> Bool {
    let columns = try columns(of: table.name, in: table.schema)
    return columns.count { $0.keyPosition > 0 } == 1 ? try !hasKeyIndex(table) : false
  }

  /// The foreign keys of a table, in declared order.
  package func foreignKeys(
    of table: String, in schema: String
  ) throws(DatabaseError) -> [ForeignKey] {
    let rows = try rows(
      """
      SELECT id, "table", "from", "to", on_delete, on_update
      FROM pragma_foreign_key_list(?1, ?2) ORDER BY id DESC, seq
      """, table, schema)
    var keys: [ForeignKey] = []
    var last: Value?
    for row in rows {
      if row[0] != last {
        keys.append(
          ForeignKey(
            parent: row[1].asText ?? "", onDelete: row[4].asText ?? "",
            onUpdate: row[5].asText ?? ""))
        last = row[0]
      }
      keys[keys.count - 1].columns.append(row[2].asText ?? "")
      if let target = row[3].asText { keys[keys.count - 1].targets.append(target) }
    }
    return keys
  }

  /// The rows of a table, or of a whole schema, whose foreign keys have no matching row.
  ///
  /// - Complexity: O(rows), with a search in the parent for each.
  package func violations(
    in schema: String, table: String? = nil
  ) throws(DatabaseError) -> [Violation] {
    let argument = table.map { "(\($0.quotedIdentifier))" } ?? ""
    return try rows("PRAGMA \(schema.quotedIdentifier).foreign_key_check\(argument)").map { row in
      Violation(
        table: row[0].asText ?? "", rowid: row[1].asInteger, parent: row[2].asText ?? "",
        key: row[3].asInteger ?? 0)
    }
  }

  private func rows(_ sql: String, _ texts: String?...) throws(DatabaseError) -> [[Value]] {
    try connection.fetch(engine: sql, texts.map { $0.map(Value.text) ?? .null })
  }
}

extension Value {
  fileprivate var asText: String? { if case .text(let text) = self { text } else { nil } }
  fileprivate var asInteger: Int64? { if case .integer(let number) = self { number } else { nil } }
}
