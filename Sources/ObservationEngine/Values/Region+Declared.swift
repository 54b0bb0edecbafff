extension Region {
  /// A part of a region that is declared by names, which the engine looks up in the schema when it
  /// uses them.
  package enum Declaration: Sendable, Hashable {
    /// Columns of a table or view, or all columns; of all rows, or of some.
    case table(TableID, columns: Set<String>?, rowids: Set<Int64>?)
    /// Everything that a query reads.
    case query(String, QueryArguments)
  }

  /// Everything about a table: its rows and all of their columns. For a view, everything it reads.
  ///
  ///     let region: Region = .table("player") + .columns("name", of: "map")
  ///
  /// Names are looked up when the region is used, and again when the schema changes. While a table
  /// or column does not exist, every commit matters.
  ///
  /// - Parameters:
  ///   - name: Its name, in any case and without quotes.
  ///   - schema: The database it belongs to: `main`, or the name of an attached database.
  public static func table(_ name: String, in schema: String = "main") -> Region {
    Region(.table(TableID(schema: schema, name: name), columns: nil, rowids: nil))
  }

  /// Some columns of a table: rows that are inserted or deleted, and rows whose values in these
  /// columns change.
  public static func columns(
    _ names: String..., of table: String, in schema: String = "main"
  ) -> Region {
    Region(
      .table(
        TableID(schema: schema, name: table), columns: Set(names.map(\.asciiLowercased)),
        rowids: nil))
  }

  /// Some rows of a table, by rowid or INTEGER PRIMARY KEY, with all of their columns.
  ///
  /// A view, or a table WITHOUT ROWID, counts as a whole.
  public static func rows(
    _ rowids: some Sequence<Int64>, of table: String, in schema: String = "main"
  ) -> Region {
    Region(.table(TableID(schema: schema, name: table), columns: nil, rowids: Set(rowids)))
  }

  /// Everything in the database, including the schema.
  public static var fullDatabase: Region { .full(reason: "the full database was asked for") }

  /// The union of two regions.
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
  /// Tables with their columns, as `player(name,score),score(*)`; `everything: REASON`, or
  /// `nothing`; followed by `time: REASON` if the result also depends on time.
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
