internal import CSQLite

/// The rows of its table that a statement reads, once its parameters have values.
struct ResolvedRestriction {
  let table: TableID
  let column: RowRestriction.Column
  let operands: [StatedRestriction.Operand]
  /// Whether the column has text, compared byte by byte; otherwise integers.
  let isText: Bool

  /// The values to compare the column with, as they are stored.
  ///
  /// - Returns: `nil` when one of them is not compared by plain equality: `'5'` with an INTEGER
  ///   column, for example.
  func restriction(
    _ arguments: QueryArguments, names: [String?], dateFormat: DateFormat
  ) -> RowRestriction? {
    var values: Set<Value> = []
    // Without all values the statement does not run.
    let bound = (try? arguments.values(ofParameters: names, sql: "")) ?? []
    for operand in operands {
      let value: Value? =
        switch operand {
        case .literal(let value): value
        case .parameter(let number, _):
          bound.indices.contains(number - 1) ? bound[number - 1] : nil
        }
      // A date that the format can't express stops the statement before it reads.
      switch try? value?.encoded(dateFormat: dateFormat) {
      case .null?: values.insert(.null)
      // The smallest integer equals a REAL that INTEGER affinity leaves unchanged.
      case .integer(let number)? where !isText && number != .min: values.insert(.integer(number))
      case .text(let text)? where isText: values.insert(.text(text))
      default: return nil
      }
    }
    return RowRestriction(column, in: values)
  }
}

extension Statement {
  /// The region that the statement reads when it runs with `arguments`.
  ///
  /// - Complexity: The first call tokenizes the SQL text.
  package func region(with arguments: QueryArguments) -> Region {
    let rows = restriction.flatMap { resolved in
      resolved.restriction(arguments, names: parameterNames, dateFormat: connection.dateFormat)
        .map { (resolved.table, $0) }
    }
    let time = timeDependence.reason(arguments: arguments)
    guard rows != nil || time != nil else { return region }
    var region = region
    if let (table, restriction) = rows { region.restrict(table, to: restriction) }
    if let time { region.insertTime(reason: time) }
    return region
  }
}

extension Statement {
  /// The region whose changes can change the result: what it reads, and by what it visits rows.
  ///
  /// - Complexity: As ``region(with:)``; the first call may compile the statement once more.
  func visitedRegion(with arguments: QueryArguments) -> Region {
    var region = region(with: arguments)
    do throws(DatabaseError) {
      let visited: [TableID: Set<String>]
      if let known = visitedColumns {
        visited = known
      } else {
        visited = try connection.visitedColumns(of: sql, arguments, reading: self.region)
        visitedColumns = visited
      }
      for (table, columns) in visited {
        for column in columns { region.insert(column: column, of: table) }
      }
    } catch {
      region.insertEverything(reason: "its program can't be read: \(error.message)")
    }
    return region
  }
}

extension Connection {
  /// Determines the rows of a table to which `statement` is restricted; `nil` for all, or when in
  /// doubt.
  func restriction(of statement: Statement) -> ResolvedRestriction? {
    guard !statement.region.isFull, statement.region.parts.count == 1,
      let id = statement.region.parts.keys.first, let table = catalog.table(id)
    else { return nil }
    let found = QueryShape.rowRestrictions(statement.sql).compactMap { resolve($0, table, id) }
    // Rows are found by their rowid without decoding them.
    return found.first { $0.column == .rowid } ?? found.first
  }

  private func resolve(
    _ stated: StatedRestriction, _ table: TableCatalog.Table, _ id: TableID
  ) -> ResolvedRestriction? {
    // A view is read as the tables below it.
    guard stated.table.asciiLowercased == id.name,
      let column = columnMetadata(stated.column, table, id.schema)
    else { return nil }
    let name = stated.column.asciiLowercased
    let isText = column.affinity == .text
    guard isText ? column.collation == "BINARY" : column.affinity == .integer else { return nil }
    let isRowid = isRowid(name, table, id, declaredType: column.type)
    return ResolvedRestriction(
      table: id, column: isRowid ? .rowid : .named(name), operands: stated.operands,
      isText: isText)
  }

  /// SQLite's metadata of a column; its type in lower case.
  private func columnMetadata(
    _ column: String, _ table: TableCatalog.Table, _ schema: String
  ) -> (type: String, affinity: Affinity, collation: String)? {
    var type: UnsafePointer<CChar>?
    var collation: UnsafePointer<CChar>?
    let result = sqlite3_table_column_metadata(
      handle, schema, table.name, column, &type, &collation, nil, nil, nil)
    guard result == SQLITE_OK else { return nil }
    let name = (type.map { String(cString: $0) } ?? "").asciiLowercased
    let affinity = Affinity(declared: name)
    return (name, affinity, collation.map { String(cString: $0) } ?? "BINARY")
  }

  /// The collation by which a column is compared.
  func collation(of column: String, _ table: String, _ schema: String) -> String {
    var collation: UnsafePointer<CChar>?
    sqlite3_table_column_metadata(
      handle, schema, table, column, nil, &collation, nil, nil, nil)
    return collation.map { String(cString: $0) } ?? "BINARY"
  }

  /// Whether the column is the rowid itself.
  ///
  /// - Parameters:
  ///   - column: In lower case.
  ///   - declaredType: In lower case.
  func isRowid(
    _ column: String, _ table: TableCatalog.Table, _ id: TableID, declaredType: String
  ) -> Bool {
    guard case .rowid = table.identity else { return false }
    guard table.columns.contains(where: { $0.name.asciiLowercased == column }) else { return true }
    guard declaredType == "integer", table.primaryKey.map(\.asciiLowercased) == [column] else {
      return false
    }
    // An INTEGER PRIMARY KEY DESC isn't; it has an index, which the rowid doesn't need.
    return (try? SchemaReader(self).hasKeyIndex(id)) == false
  }
}
