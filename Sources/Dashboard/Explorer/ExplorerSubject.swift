import DatabaseConsole
package import ObservationEngine

/// The rows that the explorer shows.
package enum ExplorerSubject: Sendable, Hashable {
  /// All rows of a table or view, the newest first where its order shows that.
  case table(String)
  /// The values of a column, and how often each of them occurs.
  case values(table: String, column: String)
  /// The rows and the sums for each value of a column.
  case groups(table: String, column: String)
  /// The rows with one value in a column.
  case matches(table: String, column: String, value: Value)

  package var table: String {
    switch self {
    case .table(let table), .values(let table, _), .groups(let table, _),
      .matches(let table, _, _):
      table
    }
  }

  /// The column that it is about, if it isn't a whole table.
  var column: String? {
    switch self {
    case .table: nil
    case .values(_, let column), .groups(_, let column), .matches(_, let column, _): column
    }
  }

  /// Whether its rows are those of the table, and not made from them.
  var hasTableRows: Bool {
    switch self {
    case .table, .matches: true
    case .values, .groups: false
    }
  }

  /// The words for a step of the way to it: `Orders`, `ShipCountry`, `by ShipCountry`,
  /// `ShipCountry = France`.
  var step: String {
    switch self {
    case .table(let table): table
    case .values(_, let column): column
    case .groups(_, let column): "by " + column
    case .matches(_, let column, let value): "\(column) = \(Self.text(value))"
    }
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .text(let text): text.isEmpty ? "''" : text
    default: SQLLiteral.text(value)
    }
  }

  /// How many rows of a server's table are read: they come whole, not in windows.
  static let serverRowLimit = 1_000

  /// The panel with its rows.
  ///
  /// - Parameter title: The way to it.
  func panel(
    of table: SchemaDescription.Table, title: String, dialect: SQLDialect = .sqlite
  ) -> PanelDefinition {
    var panel = panel(of: table, title, dialect)
    if dialect == .postgres {
      panel.sql += " LIMIT \(Self.serverRowLimit)"
      panel.rowLimit = Self.serverRowLimit
    }
    return panel
  }

  private func panel(
    of table: SchemaDescription.Table, _ title: String, _ dialect: SQLDialect
  ) -> PanelDefinition {
    let name = table.name.quotedIdentifier
    switch self {
    case .table: return Self.rows(of: table, where: "", named: table.name, title: title)
    case .matches(_, let column, let value):
      return Self.rows(
        of: table,
        where: " WHERE \(column.quotedIdentifier) \(Self.equality(with: value, dialect))",
        named: "\(table.name) with \(column)", title: title)
    case .values(_, let column):
      let rows = Self.free("rows", column)
      return PanelDefinition(
        name: "\(table.name) values of \(column)", title: title,
        sql: """
          SELECT \(column.quotedIdentifier), count(*) AS \(rows) \
          FROM \(name) GROUP BY 1 ORDER BY 2 DESC, 1
          """,
        view: .table, key: [column],
        formats: [
          ColumnFormatting(column: rows, format: ColumnFormat(.thousands, bar: .relative))
        ])
    case .groups(_, let column):
      let rows = Self.free("rows", column)
      let sums = table.measures.filter { $0 != column }.prefix(6).map {
        ", sum(\($0.quotedIdentifier)) AS \("sum of \($0)".quotedIdentifier)"
      }
      return PanelDefinition(
        name: "\(table.name) by \(column)", title: title,
        sql: """
          SELECT \(column.quotedIdentifier), count(*) AS \(rows)\(sums.joined()) \
          FROM \(name) GROUP BY 1 ORDER BY 2 DESC, 1
          """,
        view: .table, key: [column])
    }
  }

  /// What a value is compared by, NULL included.
  private static func equality(with value: Value, _ dialect: SQLDialect) -> String {
    guard dialect == .postgres else { return "IS \(SQLLiteral.text(value))" }
    // A server compares only values of one type, and gives a text in quotes the type of the column.
    switch value {
    case .null: return "IS NULL"
    case .integer(let number): return "= '\(number)'"
    case .real(let number): return "= '\(number)'"
    case .blob: return "= '\\\(SQLLiteral.text(value).filter { $0 != "'" })'"
    case .text, .date: return "= \(SQLLiteral.text(value))"
    }
  }

  /// The panel of a database without a table: it notices the first one.
  package static func nothing(in dialect: SQLDialect) -> PanelDefinition {
    AutomaticDashboard.schema(in: dialect)
  }

  /// The newest rows of a table. A table without a primary key is identified by its rowid, so that
  /// a changed row isn't a removed and a new one.
  private static func rows(
    of table: SchemaDescription.Table, where condition: String, named name: String, title: String
  ) -> PanelDefinition {
    let source = "FROM \(table.name.quotedIdentifier)\(condition)"
    let order = table.newestFirst.map { " ORDER BY \($0) DESC" } ?? ""
    guard table.key.isEmpty, let rowid = table.rowid else {
      return PanelDefinition(
        name: name, title: title, sql: "SELECT * \(source)\(order)", view: .table, key: table.key)
    }
    var hidden = ColumnFormat()
    hidden.isHidden = true
    return PanelDefinition(
      name: name, title: title, sql: "SELECT \(rowid) AS \(rowid), * \(source)\(order)",
      view: .table, key: [rowid], formats: [ColumnFormatting(column: rowid, format: hidden)])
  }

  /// A name that isn't the column's.
  private static func free(_ name: String, _ column: String) -> String {
    column.asciiLowercased == name ? name + "_" : name
  }
}

extension SchemaDescription.Table {
  /// What its newest rows have the greatest value of, as SQL: the rowid; without one, a column of
  /// times that leads an index.
  var newestFirst: String? {
    if let rowid { return rowid }
    guard kind == .table else { return nil }
    let leading = indexes.compactMap { $0.columns.first ?? nil } + key.prefix(1)
    return columns.first { MomentForm.isMoment(name: $0.name) && leading.contains($0.name) }?
      .name.quotedIdentifier
  }

  /// The columns of quantities: numbers that are neither keys nor names made of digits.
  var measures: [String] {
    let foreign = Set(foreignKeys.flatMap(\.columns))
    return columns.filter { column in
      let type = column.type.asciiLowercased
      return column.keyPosition == 0 && !foreign.contains(column.name)
        && Self.numericTypes.contains { type.includes($0) }
        && !["interval", "point"].contains { type.hasPrefix($0) }
        && !ColumnSummary.isName(column.name, keys: []) && !MomentForm.isMoment(name: column.name)
    }.map(\.name)
  }

  private static let numericTypes = [
    "int", "real", "floa", "doub", "num", "dec", "money", "currency",
  ]
}
