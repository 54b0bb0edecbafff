/// Finds the rows that commits changed, from the pages of their tables.
///
///     pages before and after ─▶ TreeDelta ─▶ records that differ ─▶ RecordLayout ─▶ rows by key
///
/// Belongs to one state of the schema. Confined to one thread.
final class RowTracker {
  /// The version of the schema, as page 1 has it.
  private let schemaVersion: UInt32
  private let encoding: RecordLayout.TextEncoding?
  private var layouts: [TableID: RecordLayout] = [:]
  /// By the names of their tables; `nil` where it can't be done.
  private var computations: [String: ComputedColumns?] = [:]

  /// - Parameter firstPage: Page 1 of the database.
  init(firstPage: [UInt8]) {
    (schemaVersion, encoding) = firstPage.withUnsafeBytes { bytes in
      (bytes.bigEndian32(at: 40), RecordLayout.TextEncoding(rawValue: bytes.bigEndian32(at: 56)))
    }
  }

  /// What a commit did to the rows of a table; `nil` when no row differs.
  ///
  /// The caller must ask `history` afterwards whether what it read holds.
  ///
  /// - Parameters:
  ///   - interest: What of it is kept.
  ///   - connection: One that reads the schema.
  /// - Complexity: O(bytes of the pages, and of the long rows that differ), within ``TreeDelta/Bounds``.
  func change(
    of table: TableID, _ pages: TreeDelta.Pages, _ history: PageHistory,
    from old: PageHistory.Position, to new: PageHistory.Position, _ interest: TableInterest,
    _ connection: Connection
  ) -> TableChange? {
    do {
      let layout = try layout(of: table, connection)
      let delta = try TreeDelta(pages, of: history, from: old, to: new)
      return try difference(delta, layout, interest).map { .rows($0) }
    } catch let error as RowsUnknown {
      return .bulk(reason: error.reason)
    } catch {
      return .bulk(reason: RowsUnknown(error).reason)
    }
  }

  private func difference(
    _ delta: TreeDelta, _ layout: RecordLayout, _ interest: TableInterest
  ) throws -> RowDifference? {
    var rows: [RowChange.Key: (old: [Value]?, new: [Value]?)] = [:]
    rows.reserveCapacity(max(delta.lost.count, delta.gained.count))
    for record in delta.lost {
      let values = try layout.values(rowid: record.rowid, record.payload)
      let key = layout.key(rowid: record.rowid, values)
      guard key.isFaithful else { throw RowsUnknown.unfaithful }
      guard rows.updateValue((values, nil), forKey: key) == nil else { throw RowsUnknown.twice }
    }
    for record in delta.gained {
      let values = try layout.values(rowid: record.rowid, record.payload)
      let key = layout.key(rowid: record.rowid, values)
      guard key.isFaithful else { throw RowsUnknown.unfaithful }
      guard rows[key]?.new == nil else { throw RowsUnknown.twice }
      rows[key, default: (nil, nil)].new = values
    }
    let wantsRows = interest.wantsRows || !interest.keyColumns.isEmpty
    var difference = RowDifference()
    var entries: [RowDifference.Entry] = []
    for (key, row) in rows {
      switch row {
      case (nil, nil): continue
      case (nil, .some): difference.counts.inserted += 1
      case (.some, nil): difference.counts.deleted += 1
      case (let old?, let new?):
        // The same values can be stored in two ways.
        let changed = layout.columns.indices.filter { !old[$0].isSurely(new[$0]) }
        if changed.isEmpty { continue }
        difference.counts.updated += 1
        for index in changed {
          difference.updatedColumns.insert(layout.columns[index].foldedName)
        }
      }
      if wantsRows { entries.append(RowDifference.Entry(key: key, old: row.old, new: row.new)) }
    }
    if difference.counts == Commit.RowCounts() { return nil }
    difference.interest = .all(wantsRows: wantsRows)
    difference.interest.keyColumns = interest.keyColumns
    difference.interest.version = interest.version
    let columns = layout.columns.map(\.name)
    if !wantsRows {
      difference.lack(layout.computedColumns)
    } else if layout.computedColumns.isEmpty {
      difference.keep(entries, columns: columns)
    } else {
      difference.keep(
        entries, columns: columns, computed: layout.computedColumns, by: computation(layout))
    }
    return difference
  }

  /// What computes the columns that are generated when they are read; `nil` when there are none, or when they aren't
  /// computed. Made for the first rows.
  private func computation(_ layout: RecordLayout) -> ComputedColumns? {
    guard let declaration = layout.computed else { return nil }
    if let known = computations[declaration.table] { return known }
    // What SQLite refuses, or what is too much, is so until the schema changes.
    let made = try? ComputedColumns(declaration)
    computations[declaration.table] = .some(made)
    return made
  }

  // MARK: - Layouts

  private func layout(of table: TableID, _ connection: Connection) throws -> RecordLayout {
    if let known = layouts[table] { return known }
    let layout = try readLayout(of: table, connection)
    layouts[table] = layout
    return layout
  }

  private func readLayout(of table: TableID, _ connection: Connection) throws -> RecordLayout {
    guard let encoding else { throw RowsUnknown(reason: "the encoding of texts is unknown") }
    // That of ``OldPages`` may be open.
    let isReading = connection.hasOpenTransaction
    if !isReading { try connection.run(.begin) }
    defer { if !isReading { connection.endReading() } }
    // A later schema may declare the table differently.
    let version = try connection.integer(of: .schemaVersion)
    guard UInt32(truncatingIfNeeded: version) == schemaVersion else {
      throw RowsUnknown(reason: "the schema changed meanwhile")
    }
    let reader = SchemaReader(connection)
    let declared = try reader.columns(of: table.declaredName, in: table.schema)
    guard !declared.isEmpty else { throw RowsUnknown(reason: "\(table) is no table any more") }
    guard !declared.map(\.name.asciiLowercased).hasEquivalents else {
      throw RowsUnknown(
        reason: "\(table) has columns that differ only in how Unicode spells them")
    }
    let stored = declared.indices.filter { !declared[$0].isVirtual }
    let hasDefaults = stored.contains { declared[$0].defaultValue != nil }
    let isStrict =
      try hasDefaults && reader.isStrict(table.declaredName, in: table.schema)
    var columns: [RecordLayout.Column] = []
    for index in stored {
      let column = declared[index]
      columns.append(
        RecordLayout.Column(
          name: column.name, foldedName: column.name.asciiLowercased,
          isReal: Affinity(declared: column.type) == .real,
          whenMissing: Self.whenMissing(column, isStrict: isStrict)))
    }
    let order = try reader.recordOrder(ofKeyed: table.declaredName, in: table.schema)
    let isKeyed = !order.isEmpty
    let fields =
      isKeyed ? try order.map { try Self.place(of: $0, in: stored) } : Array(columns.indices)
    let keys = declared.indices.filter { declared[$0].keyPosition > 0 }
      .sorted { declared[$0].keyPosition < declared[$1].keyPosition }
    let hasNumberAsKey = !isKeyed && keys.count == 1 ? try reader.declaresRowid(table) : false
    return RecordLayout(
      columns: columns,
      computedColumns: Set(declared.filter(\.isVirtual).map(\.name.asciiLowercased)),
      computed: try ComputedColumns.Declaration(of: table.declaredName, declared, connection),
      fields: fields,
      rowidColumn: hasNumberAsKey ? try Self.place(of: keys[0], in: stored) : nil,
      key: isKeyed ? try keys.map { try Self.place(of: $0, in: stored) } : nil, encoding: encoding)
  }

  private static func place(of column: Int, in stored: [Int]) throws(RowsUnknown) -> Int {
    guard let place = stored.firstIndex(of: column) else {
      throw RowsUnknown(reason: "a column of the key isn't stored")
    }
    return place
  }

  /// What rows have that are older than a column, as SQLite reads them.
  ///
  /// That is not what a row has that is inserted with the default. In a column with TEXT affinity, `DEFAULT 1.50` is `'1.50'`
  /// here and `'1.5'` there, and `DEFAULT true` the number 1 here; without affinity, `DEFAULT 1.0` is an integer here.
  private static func whenMissing(_ column: SchemaReader.Column, isStrict: Bool) -> Value? {
    guard let text = column.defaultValue else { return .null }
    // In a STRICT table the type says more than its affinity does, and can be nothing but one of six words.
    let type = isStrict ? column.type : Affinity(declared: column.type).rawValue
    // SQLite leaves out the parentheses of an expression that it gives back.
    for expression in [text, "(\(text))"] {
      // What SQLite doesn't accept is left unknown.
      let value: Value? = try? { () throws -> Value? in
        let scratch = try Connection(path: ":memory:", options: Connection.Options())
        defer { scratch.close() }
        try scratch.execute(engine: "CREATE TABLE t (older INT)\(isStrict ? " STRICT" : "")")
        try scratch.execute(engine: "INSERT INTO t VALUES (1)")
        try scratch.execute(engine: "ALTER TABLE t ADD COLUMN c \(type) DEFAULT \(expression)")
        return try scratch.fetch(engine: "SELECT c FROM t").first?.first
      }()
      if let value { return value }
    }
    return nil
  }
}

extension RowsUnknown {
  static let twice = RowsUnknown(reason: "two rows have the same key")
  static let unfaithful = RowsUnknown(reason: RowChange.Key.unfaithful)

  init(_ error: any Error) {
    switch error {
    case PageMapFailure.inconsistent(let what): reason = "the pages are not clear: \(what)"
    case PageMapFailure.outdated: reason = "the WAL was reset meanwhile"
    case PageMapFailure.tooLong: reason = "it takes too long to find the rows"
    case let error as DatabaseError: reason = "the schema can't be read: \(error.message)"
    default: reason = "\(error)"
    }
  }
}
