package import ObservationEngine

/// A query put into others that read a part of its result.
///
///     WITH w(c0, c1) AS (the query) SELECT * FROM w ORDER BY c0 LIMIT @count OFFSET @first
struct WindowSQL: Sendable {
  /// The order of rows by a column in which no two are equal.
  struct Key: Sendable, Equatable {
    let column: Int
    let isDescending: Bool
  }

  private let body: String
  private let columnCount: Int
  /// A name that the query does not use.
  private let name: String

  /// - Parameter columnCount: How many columns it has.
  /// - Returns: `nil` when the query cannot stand in parentheses, as PRAGMA and EXPLAIN cannot.
  init?(_ sql: String, _ arguments: QueryArguments, columnCount: Int) {
    var tokens = SQLTokenizer.tokens(of: sql)[...]
    // Beyond it nothing but more of its kind can follow; in a query there is none.
    if let end = tokens.firstIndex(where: { $0.isSymbol(";") }) { tokens = tokens[..<end] }
    guard let first = tokens.first, let last = tokens.last, columnCount > 0,
      ["select", "with", "values"].contains(where: first.isWord)
    else { return nil }
    // Without a comment at its end, which could lack an end of its own.
    body = String(decoding: Array(sql.utf8)[..<last.range.upperBound], as: UTF8.self)
    self.columnCount = columnCount
    var name = "livequery_window"
    while tokens.contains(where: { $0.text.asciiLowercased.includes(name) })
      || arguments.named.keys.contains(where: { $0.hasPrefix(name) })
    {
      name += "_"
    }
    self.name = name
  }

  // MARK: - Arguments

  func arguments(
    _ arguments: QueryArguments, count: Int? = nil, first: Int? = nil, key: Int64? = nil
  ) -> QueryArguments {
    var arguments = arguments
    if let count { arguments.named[name + "_count"] = .integer(Int64(count)) }
    if let first { arguments.named[name + "_first"] = .integer(Int64(first)) }
    if let key { arguments.named[name + "_key"] = .integer(key) }
    return arguments
  }

  // MARK: - Queries

  /// How many rows there are.
  var count: String { "SELECT count(*) FROM (\n\(body)\n)" }

  /// All rows in the order of a column.
  func ordered(by key: Key) -> String { with + "SELECT * FROM \(name) ORDER BY " + term(key) }

  /// Some rows in the query's own order: of `count` and `first`.
  var page: String { with + "SELECT * FROM \(name)" + limit }

  /// Some rows in the order of its key, from `key` on if `isBounded`: of `count` and `first`.
  func page(by key: Key, isBounded: Bool) -> String {
    let comparison = "c\(key.column) \(key.isDescending ? "<=" : ">=") @\(name)_key"
    return with + "SELECT * FROM \(name)" + (isBounded ? " WHERE " + comparison : "")
      + " ORDER BY " + term(key) + limit
  }

  /// All rows by the bytes of a column; equal ones in the order of the key, which is the query's own.
  func sorted(by sort: RowWindow.Sort, key: Key) -> String {
    with + "SELECT * FROM \(name) ORDER BY " + term(sort)
      + (sort.column == key.column ? "" : ", " + term(key))
  }

  /// All rows by the bytes of a column; equal ones in the query's own order, which is unknown.
  ///
  /// SQLite's sorter does not keep the order of equal rows once it has spilled to disk.
  func sorted(by sort: RowWindow.Sort) -> String {
    let columns = (0..<columnCount).map { "c\($0)" }.joined(separator: ", ")
    return with + "SELECT \(columns) FROM (SELECT *, row_number() OVER () AS place FROM \(name)) "
      + "ORDER BY \(term(sort)), place"
  }

  /// The first rows of ``sorted(by:)``: of `count` and `first`.
  ///
  /// With a LIMIT SQLite numbers the rows that it keeps. The one without effect keeps it from
  /// dropping the order of the query, or taking another one, where it is put into this one.
  func sortedPage(by sort: RowWindow.Sort) -> String {
    with + "SELECT * FROM (SELECT * FROM \(name) LIMIT -1) ORDER BY \(term(sort))" + limit
  }

  /// Makes some rows of a query, of `count` and `first`.
  func limited(_ sql: String) -> String { sql + limit }

  private var with: String {
    let columns = (0..<columnCount).map { "c\($0)" }.joined(separator: ", ")
    return "WITH \(name)(\(columns)) AS (\n\(body)\n) "
  }

  private var limit: String { " LIMIT @\(name)_count OFFSET @\(name)_first" }

  private func term(_ sort: RowWindow.Sort) -> String {
    "c\(sort.column) COLLATE BINARY" + (sort.isDescending ? " DESC" : "")
  }

  private func term(_ key: Key) -> String { "c\(key.column)" + (key.isDescending ? " DESC" : "") }
}

extension RowWindow.Sort {
  /// A query for all rows of another one, in the order in which windows of it show them.
  ///
  /// - Returns: The query itself where it cannot be put into another one: then windows keep its order.
  package func allRows(
    of sql: String, _ arguments: QueryArguments, columnCount: Int
  ) -> String {
    guard (0..<columnCount).contains(column) else { return sql }
    return WindowSQL(sql, arguments, columnCount: columnCount)?.sorted(by: self) ?? sql
  }
}

extension WindowSQL.Key {
  /// The same rows from the end on.
  var reversed: WindowSQL.Key { .init(column: column, isDescending: !isDescending) }
}

extension RowWindow.Sort {
  /// The same rows from the end on, but for equal ones.
  var reversed: RowWindow.Sort { .init(column: column, isDescending: !isDescending) }
}
