internal import ObservationEngine

/// Which tables the files in the log belong to, in one database.
struct TableMap {
  /// A table, a materialized view or a sequence.
  struct Table: Hashable {
    var oid: UInt32
    /// With its schema, unless that is `public`.
    var name: String
    /// Whether a transaction that is reported may have written to it without that being reported: an unlogged table,
    /// or one without a trigger.
    var isUnreported = false
    /// One of the ``SchemaCatalogs``.
    var isSchema = false
    /// Another catalog: statistics.
    var isSystem = false
  }

  /// The number of the database.
  let database: UInt32
  // A number can be used again in another tablespace: then all of its tables are meant.
  private var tables: [UInt32: Set<Table>] = [:]
  private(set) var unreported: Set<UInt32> = []
  /// The user's tables, and how many of them are ``unreported``.
  private(set) var userTables = (count: 0, unreported: 0)
  private var byReport: [ReportedRelation: Table] = [:]

  /// The query whose rows ``init(database:rows:former:)`` reads.
  static func query(for reporter: CommitReporter) -> String {
    let isUnreported =
      reporter == .triggers
      ? ReportingTriggers.areMissing(on: "coalesce(t.oid, c.oid)") : "c.relpersistence = 'u'"
    return """
      SELECT pg_relation_filenode(c.oid), coalesce(t.oid, c.oid), \(isUnreported), n.nspname, \
      coalesce(t.relname, c.relname), t.oid IS NULL, c.relkind = 'r' AND c.oid >= 16384 FROM pg_class c LEFT JOIN pg_class t ON t.reltoastrelid = c.oid \
      JOIN pg_namespace n ON n.oid = coalesce(t.relnamespace, c.relnamespace) \
      WHERE c.relkind IN ('r', 'm', 't', 'S') AND c.relpersistence <> 't'
      """
  }

  /// - Parameter former: The map before: it alone knows the file of a table that was truncated or dropped since.
  init(database: UInt32, rows: [[Value]], former: TableMap?) {
    self.database = database
    tables = former?.tables ?? [:]
    var current: [UInt32: Set<Table>] = [:]
    for row in rows {
      guard case .integer(let file) = row[0], case .integer(let oid) = row[1],
        case .text(let schema) = row[3], case .text(let name) = row[4]
      else { continue }
      var table = Table(
        oid: UInt32(truncatingIfNeeded: oid), name: schema == "public" ? name : schema + "." + name)
      table.isUnreported = row[2] == 1
      table.isSystem = schema == "pg_catalog"
      table.isSchema = table.isSystem && SchemaCatalogs.names.contains(name)
      if table.isUnreported { unreported.insert(table.oid) }
      if row[6] == 1 {
        userTables.count += 1
        userTables.unreported += table.isUnreported ? 1 : 0
      }
      current[UInt32(truncatingIfNeeded: file), default: []].insert(table)
      if row[5] == 1 {
        byReport[.named(schema: schema, name: name)] = table
        byReport[.numbered(table.oid)] = table
      }
    }
    tables.merge(current) { $1 }
  }

  /// What a transaction changed.
  enum Changes {
    case tables(Set<Table>, isSchema: Bool)
    /// Of another database alone.
    case foreign
    case unknown
  }

  /// The tables that a reported transaction changed.
  ///
  /// - Complexity: O(files that it wrote).
  func changes(of ended: ReportedTransactions.Ended) -> Changes {
    guard ended.isComplete else { return .unknown }
    if !ended.relations.isEmpty {
      let tables = ended.relations.map { byReport[$0] }
      guard !tables.contains(nil) else { return .unknown }
      return .tables(Set(tables.compactMap(\.self)), isSchema: false)
    }
    let own = ended.files.filter(concerns)
    if own.isEmpty, !ended.files.isEmpty { return .foreign }
    var changed: Set<Table> = []
    for file in own {
      // One that came after this map was read.
      guard let known = tables[file.number] else { return .unknown }
      changed.formUnion(known)
    }
    return .tables(changed.filter { !$0.isSystem }, isSchema: changed.contains(where: \.isSchema))
  }

  /// Whether a file is of this database, or of a catalog that all databases share.
  private func concerns(_ file: WALRecord.RelationFile) -> Bool {
    file.database == database || file.database == 0
  }
}
