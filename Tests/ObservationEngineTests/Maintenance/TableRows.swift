@testable import ObservationEngine

/// What the tables of a query hold, as far as it reads them.
struct TableRows {
  /// By the place of the table.
  private let rows: [[RowChange.Key: [Value]]]

  init(of query: PlannedQuery, _ connection: Connection) throws {
    rows = try zip(query.tables, query.places).map { table, places in
      guard !table.isPart else { return [:] }
      let names = places.map { table.columns[$0].name.quotedIdentifier }
      let list = (table.identity + names).joined(separator: ", ")
      var rows: [RowChange.Key: [Value]] = [:]
      for row in try connection.fetch(engine: "SELECT \(list) FROM \(table.sqlName)") {
        let key: RowChange.Key =
          if case .integer(let rowid) = row[0], table.keyPlaces.isEmpty {
            .rowid(rowid)
          } else {
            .primaryKey(Array(row.prefix(table.identity.count)))
          }
        rows[key] = Array(row.dropFirst(table.identity.count))
      }
      return rows
    }
  }

  /// The rows that differ from those of an earlier time.
  func changes(since old: TableRows) -> [PendingChanges.Row] {
    zip(old.rows, rows).enumerated().flatMap { table, rows in
      let (old, new) = rows
      return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.map {
        PendingChanges.Row(table: table, key: $0, old: old[$0], new: new[$0])
      }
    }
  }
}
