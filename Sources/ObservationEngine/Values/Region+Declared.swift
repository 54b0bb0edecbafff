extension Region {
  /// A part of a region that is stated by names, and looked up in the schema when it is used.
  package enum Declaration: Sendable, Hashable {
    /// Columns of a table or view, or all of them, of all rows or some.
    case table(TableID, columns: Set<String>?, rowids: Set<Int64>?)
    /// What a query reads.
    case query(String, QueryArguments)
  }

  /// Everything about a table: its rows, and all of their columns. Of a view, what it reads.
  ///
  ///     let region: Region = .table("player") + .columns("name", of: "map")
  ///
  /// Names are looked up when the region is used, and again when the schema changes: a table that does
  /// not exist, or a column, makes every commit matter until it does.
  ///
  /// - Parameters:
  ///   - name: Its name, in any case and without quotes.
  ///   - schema: The database it belongs to: `main`, or the name of an attached one.
  public static func table(_ name: String, in schema: String = "main") -> Region {
    Region(.table(TableID(schema: schema, name: name), columns: nil, rowids: nil))
  }

  /// Some columns of a table: rows that come or go, and those whose values in these columns change.
  public static func columns(
    _ names: String..., of table: String, in schema: String = "main"
  ) -> Region {
    Region(
      .table(
        TableID(schema: schema, name: table), columns: Set(names.map(\.asciiLowercased)),
        rowids: nil))
  }

  /// Some rows of a table, by their rowid or INTEGER PRIMARY KEY, with all of their columns.
  ///
  /// A view, or a table WITHOUT ROWID, counts as a whole.
  public static func rows(
    _ rowids: some Sequence<Int64>, of table: String, in schema: String = "main"
  ) -> Region {
    Region(.table(TableID(schema: schema, name: table), columns: nil, rowids: Set(rowids)))
  }

  /// Whatever is stored, the schema included.
  public static var fullDatabase: Region { .full(reason: "the full database was asked for") }

  /// What is part of one of two regions, or of both.
  public static func + (left: Region, right: Region) -> Region {
    var sum = left
    sum.formUnion(right)
    return sum
  }

  package init(_ declaration: Declaration) {
    self.init()
    declarations = [declaration]
  }

  /// Whether no commit can affect this region.
  package var isEmpty: Bool {
    parts.isEmpty && declarations.isEmpty && !isFull
  }
}

extension Region: CustomStringConvertible {
  /// Tables with their columns, as `player(name,score),score(*)`; `everything: REASON`, or `nothing`;
  /// and `time: REASON` where that matters too.
  public var description: String {
    if let fullReason { return "everything: \(fullReason)" }
    let tables = parts.sorted { $0.key < $1.key }.map { table, part in
      let columns = part.columns.isEmpty ? "*" : part.columns.sorted().joined(separator: ",")
      let rows = part.restriction.map { "[\($0.values.count) rows]" } ?? ""
      return "\(table)(\(columns))\(rows)"
    }
    let declared = declarations.map { declaration in
      switch declaration {
      case .table(let table, let columns, let rowids):
        "\(table)(\(columns?.sorted().joined(separator: ",") ?? "*"))"
          + (rowids.map { "[\($0.count) rows]" } ?? "")
      case .query(let sql, _): "(\(sql))"
      }
    }
    let all = tables + declared.sorted() + (timeDependence.map { ["time: \($0)"] } ?? [])
    return all.isEmpty ? "nothing" : all.joined(separator: ",")
  }
}
