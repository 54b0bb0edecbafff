import DatabaseConsole
import ObservationEngine
import ObservationPostgres

/// What a browser and a console show of a server's schema: what is visible without naming a schema.
extension Server {
  /// The relations that the search path finds: tables, views, materialized views, foreign and
  /// partitioned tables.
  private static let relations = """
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition \
    AND c.relpersistence <> 't' AND n.nspname NOT IN ('pg_catalog', 'information_schema') \
    AND pg_table_is_visible(c.oid)
    """

  /// The columns of the primary key, in order.
  private static let key = """
    (SELECT string_agg(a.attname, E'\\n' ORDER BY k.place) FROM pg_index i, \
    unnest(i.indkey) WITH ORDINALITY AS k (number, place), pg_attribute a \
    WHERE i.indrelid = c.oid AND i.indisprimary AND a.attrelid = c.oid AND a.attnum = k.number)
    """

  func tables() throws -> [TableDescription] {
    try rowsWaiting(
      """
      SELECT c.relname, c.relkind::text, \(Self.key) \(Self.relations) \
      ORDER BY c.relkind IN ('v', 'm'), c.relname
      """
    ).compactMap { row in
      guard let name = row[0].name else { return nil }
      let key = Self.lines(row[2])
      return TableDescription(name: name, rowid: Self.order(key), key: key)
    }
  }

  /// What the newest rows come last by: a key of one column.
  private static func order(_ key: [String]) -> String? {
    key.count == 1 ? key[0].quotedIdentifier : nil
  }

  private static func lines(_ value: Value) -> [String] {
    value.name.map { $0.split(separator: "\n").map(String.init) } ?? []
  }

  func vocabulary() async throws -> SQLVocabulary {
    var tables: [SQLVocabulary.Table] = []
    for table in try await schema().tables {
      tables.append(
        SQLVocabulary.Table(
          schema: "public", name: table.name, kind: table.kind.rawValue,
          columns: table.columns.map { SQLVocabulary.Column(name: $0.name, type: $0.type) }))
    }
    let functions = try await rows(
      """
      SELECT DISTINCT proname::text FROM pg_proc WHERE prokind IN ('f', 'a', 'w') \
      AND pg_function_is_visible(oid) AND proname !~ '^(_|pg_|bt|hash|gin|gist|brin|int[248]|float[48])' \
      AND prorettype <> 'trigger'::regtype ORDER BY 1
      """
    ).compactMap(\.[0].name)
    return SQLVocabulary(tables: tables, functions: functions)
  }

  func schema() async throws -> SchemaDescription {
    var tables: [String: SchemaDescription.Table] = [:]
    for row in try await rows(
      """
      SELECT c.relname, c.relkind::text, \(Self.key), \
      CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid, true) END \(Self.relations)
      """)
    {
      guard let name = row[0].name, let kind = row[1].name else { continue }
      var table = SchemaDescription.Table(
        name: name, kind: kind == "v" || kind == "m" ? .view : kind == "f" ? .virtual : .table)
      table.key = Self.lines(row[2])
      table.rowid = Self.order(table.key)
      table.sql = row[3].name.map {
        "CREATE \(kind == "m" ? "MATERIALIZED " : "")VIEW \(name.quotedIdentifier) AS\n\($0)"
      }
      tables[name] = table
    }
    try await addColumns(to: &tables)
    try await addIndexes(to: &tables)
    try await addForeignKeys(to: &tables)
    try await addTriggers(to: &tables)
    for (name, table) in tables where table.sql == nil {
      tables[name]?.sql = Self.declaration(of: table)
    }
    return SchemaDescription(tables: tables.values.sorted { $0.name < $1.name }, version: nil)
  }

  private func addColumns(to tables: inout [String: SchemaDescription.Table]) async throws {
    for row in try await rows(
      """
      SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, \
      pg_get_expr(d.adbin, d.adrelid), a.attgenerated <> '' \
      FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
      JOIN (SELECT c.oid, c.relname \(Self.relations)) c ON c.oid = a.attrelid \
      WHERE a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum
      """)
    {
      guard let table = row[0].name, let name = row[1].name else { continue }
      let place = tables[table]?.key.firstIndex(of: name)
      tables[table]?.columns.append(
        SchemaDescription.Column(
          name: name, type: row[2].name ?? "", isNotNull: row[3] == 1, defaultValue: row[4].name,
          keyPosition: place.map { $0 + 1 } ?? 0, isGenerated: row[5] == 1))
    }
  }

  private func addIndexes(to tables: inout [String: SchemaDescription.Table]) async throws {
    for row in try await rows(
      """
      SELECT c.relname, x.relname, i.indisunique, i.indpred IS NOT NULL, pg_get_indexdef(i.indexrelid), \
      (SELECT string_agg(coalesce(a.attname, ''), E'\\n' ORDER BY k.place) \
      FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place) \
      LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number AND k.number > 0) \
      FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid \
      JOIN (SELECT c.oid, c.relname \(Self.relations)) c ON c.oid = i.indrelid ORDER BY x.relname
      """)
    {
      guard let table = row[0].name, let name = row[1].name else { continue }
      let columns = (row[5].name ?? "").split(separator: "\n", omittingEmptySubsequences: false)
      tables[table]?.indexes.append(
        SchemaDescription.Index(
          name: name, columns: columns.map { $0.isEmpty ? nil : String($0) },
          isUnique: row[2] == 1, isPartial: row[3] == 1, sql: row[4].name))
    }
  }

  func reference(ofColumn column: Int, in sql: String) async throws -> RowReference? {
    let statement = ServerStatement(sql)
    let columns = try await inBackground { try self.columns(of: statement) }
    guard columns.indices.contains(column), let origin = columns[column].origin else { return nil }
    for row in try await rows(
      """
      SELECT r.relname, array_to_string(k.conkey, E'\\n'), \
      (SELECT string_agg(a.attname, E'\\n' ORDER BY u.place) \
      FROM unnest(k.confkey) WITH ORDINALITY AS u (number, place) \
      JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.number) \
      FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid \
      WHERE k.contype = 'f' AND k.conrelid = $1::oid AND $2::int2 = ANY (k.conkey) \
      AND pg_table_is_visible(r.oid) ORDER BY k.conname
      """, ["\(origin.table)", "\(origin.column)"])
    {
      let sources = Self.lines(row[1]).map { number -> Int? in
        if number == "\(origin.column)" { return column }
        let same = columns.indices.filter { index in
          columns[index].origin?.table == origin.table
            && columns[index].origin.map { "\($0.column)" } == number
        }
        return same.count == 1 ? same[0] : nil
      }
      guard let table = row[0].name, !sources.contains(nil) else { continue }
      return RowReference(
        table: table,
        columns: zip(Self.lines(row[2]), sources).map {
          RowReference.Column(name: $0, source: $1 ?? 0)
        })
    }
    return nil
  }

  private func addForeignKeys(to tables: inout [String: SchemaDescription.Table]) async throws {
    func names(_ relation: String, _ numbers: String) -> String {
      """
      (SELECT string_agg(a.attname, E'\\n' ORDER BY u.place) \
      FROM unnest(\(numbers)) WITH ORDINALITY AS u (number, place) \
      JOIN pg_attribute a ON a.attrelid = \(relation) AND a.attnum = u.number)
      """
    }
    for row in try await rows(
      """
      SELECT c.relname, (SELECT relname FROM pg_class WHERE oid = k.confrelid), \(names("k.conrelid", "k.conkey")), \
      \(names("k.confrelid", "k.confkey")), k.confdeltype::text, k.confupdtype::text \
      FROM pg_constraint k JOIN (SELECT c.oid, c.relname \(Self.relations)) c ON c.oid = k.conrelid \
      WHERE k.contype = 'f' ORDER BY k.conname
      """)
    {
      guard let table = row[0].name, let parent = row[1].name else { continue }
      let words = ["c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT", "r": "RESTRICT"]
      let actions = [("ON DELETE", row[4].name), ("ON UPDATE", row[5].name)].compactMap {
        verb, letter in
        letter.flatMap { words[$0] }.map { "\(verb) \($0)" }
      }
      tables[table]?.foreignKeys.append(
        SchemaDescription.ForeignKey(
          columns: Self.lines(row[2]), table: parent, targets: Self.lines(row[3]),
          actions: actions.joined(separator: " ")))
    }
  }

  private func addTriggers(to tables: inout [String: SchemaDescription.Table]) async throws {
    for row in try await rows(
      """
      SELECT c.relname, t.tgname, pg_get_triggerdef(t.oid, true) FROM pg_trigger t \
      JOIN (SELECT c.oid, c.relname \(Self.relations)) c ON c.oid = t.tgrelid \
      WHERE NOT t.tgisinternal ORDER BY t.tgname
      """)
    {
      guard let table = row[0].name, let name = row[1].name else { continue }
      tables[table]?.triggers.append(SchemaDescription.Trigger(name: name, sql: row[2].name))
    }
  }

  /// How a table could be declared: its columns and its key. `pg_dump -s` says all of it.
  private static func declaration(of table: SchemaDescription.Table) -> String {
    var lines = table.columns.map { column in
      var line = "  \(column.name.quotedIdentifier) \(column.type)"
      if column.isNotNull { line += " NOT NULL" }
      if let value = column.defaultValue {
        line += column.isGenerated ? " GENERATED ALWAYS AS (\(value)) STORED" : " DEFAULT \(value)"
      }
      return line
    }
    if !table.key.isEmpty {
      lines.append("  PRIMARY KEY (\(table.key.map(\.quotedIdentifier).joined(separator: ", ")))")
    }
    return "CREATE TABLE \(table.name.quotedIdentifier) (\n\(lines.joined(separator: ",\n"))\n)"
  }

  func rowCounts(of tables: [String], limit: Int64) async throws -> [String: RowCount] {
    // A table that was never analyzed has no estimate. Counting so many takes milliseconds.
    let limit = max(limit, 100_000)
    let queries = tables.map { table in
      let name = table.quotedIdentifier
      return PanelQuery(
        sql: """
          SELECT (SELECT count(*) FROM (SELECT 1 FROM \(name) LIMIT \(limit + 1)) AS counted), \
          (SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass(:name::text))
          """, parameters: ["name": .text(name)])
    }
    var counts: [String: RowCount] = [:]
    for (table, query) in zip(tables, queries) {
      // One after the other: panels come in between.
      let result = try await results(of: [query], limit: .seconds(1))[0]
      // A table that is gone, or that this role may not read, has no count.
      guard let row = try? result.get().rows.first, case .integer(let count) = row[0] else {
        continue
      }
      if count <= limit {
        counts[table] = .exact(count)
      } else if case .integer(let estimate) = row[1], estimate > limit {
        counts[table] = .estimate(estimate)
      } else {
        counts[table] = .moreThan(limit)
      }
    }
    return counts
  }

  func statistics(
    of table: String, columns: [String], within limit: Duration
  ) async throws -> [String: ColumnStatistics] {
    let end = MonotonicClock.now + UInt64(limit.nanoseconds)
    let types = try await rows(
      """
      SELECT attname, format_type(atttypid, NULL) FROM pg_attribute \
      WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
      """, [table.quotedIdentifier])
    let expressions = types.compactMap { row -> (column: String, sql: String)? in
      guard let name = row[0].name, columns.contains(name) else { return nil }
      return (name, Self.comparable(name.quotedIdentifier, type: row[1].name ?? ""))
    }
    /// Nil when the time is over.
    func fetch(_ values: [String]) async throws -> [Value]? {
      try Task.checkCancellation()
      let now = MonotonicClock.now
      guard now < end else { return nil }
      let query = PanelQuery(
        sql: "SELECT \(values.joined(separator: ", ")) FROM \(table.quotedIdentifier)",
        parameters: [:])
      return try await results(of: [query], limit: .nanoseconds(Int64(end - now)))
        .first.flatMap { try? $0.get().rows.first }
    }
    var statistics: [String: ColumnStatistics] = [:]
    // Many columns at a time: a pass costs mostly reading the rows.
    for start in stride(from: 0, to: expressions.count, by: 100) {
      let part = expressions[start..<min(start + 100, expressions.count)]
      let values = try await fetch(
        ["count(*)"] + part.flatMap { ["count(\($0.sql))", "min(\($0.sql))", "max(\($0.sql))"] })
      guard let values, case .integer(let rows) = values[0] else { break }
      for (index, expression) in part.enumerated() {
        guard case .integer(let known) = values[1 + index * 3] else { continue }
        statistics[expression.column] = ColumnStatistics(
          rows: rows, nulls: rows - known, least: values[2 + index * 3],
          greatest: values[3 + index * 3], distinct: nil)
      }
    }
    for expression in expressions where statistics[expression.column] != nil {
      guard
        case .integer(let distinct)? = try await fetch(["count(DISTINCT \(expression.sql))"])?.first
      else { break }
      statistics[expression.column]?.distinct = distinct
    }
    return statistics
  }

  /// A column as something that has a least and a greatest value; not all types do.
  private static func comparable(_ column: String, type: String) -> String {
    if type == "boolean" { return column + "::int" }
    return comparableTypes.contains(where: type.hasPrefix) && !type.hasSuffix("[]")
      ? column : column + "::text"
  }

  private static let comparableTypes = [
    "smallint", "integer", "bigint", "numeric", "real", "double precision", "money", "date", "time",
    "interval", "text", "character", "inet", "oid",
  ]

  func storageSizes() async throws -> [String: Int64] {
    var sizes: [String: Int64] = [:]
    for row in try await rows(
      """
      SELECT c.relname, pg_table_size(c.oid) \(Self.relations) UNION ALL \
      SELECT x.relname, pg_relation_size(x.oid) FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid \
      WHERE pg_table_is_visible(x.oid)
      """)
    {
      if let name = row[0].name, case .integer(let bytes) = row[1] { sizes[name] = bytes }
    }
    return sizes
  }
}

extension Value {
  /// Its text, if it is one.
  fileprivate var name: String? { if case .text(let text) = self { text } else { nil } }
}
