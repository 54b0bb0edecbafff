import DatabaseConsole
import ObservationEngine

/// A table with what its newest rows say about its columns.
struct ProfiledTable {
  let table: SchemaDescription.Table
  let columns: [ProfiledColumn]
  /// How many rows it has, at least.
  let rows: Int64
  /// How many of them were read.
  let sampled: Int

  /// A span of time to count by.
  struct Unit {
    var name: String
    var seconds: Double
    /// For SQLite's `strftime`.
    var format: String
    /// For PostgreSQL's `to_char`.
    var template: String

    static let all = [
      Unit(name: "minute", seconds: 60, format: "%Y-%m-%d %H:%M", template: "YYYY-MM-DD HH24:MI"),
      Unit(name: "hour", seconds: 3_600, format: "%Y-%m-%d %H:00", template: "YYYY-MM-DD HH24:00"),
      Unit(name: "day", seconds: 86_400, format: "%Y-%m-%d", template: "YYYY-MM-DD"),
      Unit(name: "month", seconds: 2_629_746, format: "%Y-%m", template: "YYYY-MM"),
      Unit(name: "year", seconds: 31_556_952, format: "%Y-01", template: "YYYY-01"),
    ]
  }

  init(_ table: SchemaDescription.Table, _ sample: RowSet, rows: Int64) {
    self.table = table
    self.rows = rows
    sampled = sample.rows.count
    columns = sample.columns.enumerated().map { index, name in
      ProfiledColumn(name, sample.rows.map { $0[index] })
    }
  }

  var name: String { table.name }
  var sqlName: String { table.name.quotedIdentifier }

  func foreignKey(_ column: String) -> SchemaDescription.ForeignKey? {
    table.foreignKeys.first { $0.columns == [column] }
  }

  /// The column that says when a row was made: the first one of times that are nearly always known.
  var time: ProfiledColumn? {
    let times = columns.filter { $0.moment != nil && $0.nulls * 5 <= sampled && $0.distinct > 2 }
    return times.first { column in
      let name = column.name.asciiLowercased
      return !name.includes("birth") && !name.includes("update") && !name.includes("modif")
    } ?? times.first
  }

  /// The unit by which the rows of the table make a line of some dozens of points.
  func unit(of column: ProfiledColumn) -> Unit? {
    guard let span = column.span, sampled > 0 else { return nil }
    // Only the newest rows were read.
    let whole = span * max(1, Double(rows) / Double(sampled))
    let units = column.hasTimeOfDay ? Unit.all[...] : Unit.all.dropFirst(2)
    let found = units.first { whole / $0.seconds <= 150 } ?? Unit.all.last
    return found.flatMap { whole / $0.seconds >= 3 ? $0 : nil }
  }

  /// The SQL for the unit that a time belongs to; nil where the database has none for such times.
  func bucket(of time: ProfiledColumn, by unit: Unit, _ dialect: SQLDialect) -> String? {
    switch dialect {
    case .sqlite: return time.momentSQL.map { "strftime('\(unit.format)', \($0))" }
    case .postgres:
      let type = table.columns.first { $0.name == time.name }?.type.asciiLowercased ?? ""
      return time.serverMomentSQL(type: type).map { "to_char(\($0), '\(unit.template)')" }
    }
  }

  /// The columns of quantities with some different values.
  var measures: [ProfiledColumn] {
    let names = Set(table.measures)
    return columns.filter {
      names.contains($0.name) && $0.numbers * 2 > sampled && $0.distinct >= 5
    }
  }
}

/// What some values of a column have in common.
struct ProfiledColumn {
  let name: String
  private(set) var nulls = 0
  private(set) var numbers = 0
  private(set) var texts = 0
  private(set) var isBlob = false
  /// How many different values were found, up to a limit.
  private(set) var distinct = 0
  /// The length of the longest text, in bytes.
  private(set) var length = 0
  let moment: MomentForm?
  /// How many seconds lie between the first time and the last one.
  private(set) var span: Double?
  /// Whether the times aren't only days.
  private(set) var hasTimeOfDay = false

  init(_ name: String, _ values: [Value]) {
    self.name = name
    moment = MomentForm(of: values, column: name)
    var found: Set<Value> = []
    var (first, last) = (Double.infinity, -Double.infinity)
    for value in values {
      found.insert(value)
      switch value {
      case .null: nulls += 1
      case .integer, .real: numbers += 1
      case .text(let text):
        texts += 1
        length = max(length, text.utf8.count)
      case .blob: isBlob = true
      case .date: break
      }
      guard let seconds = moment?.seconds(value), seconds.isFinite else { continue }
      first = min(first, seconds)
      last = max(last, seconds)
      if (seconds / 86_400).rounded(.down) * 86_400 != seconds { hasTimeOfDay = true }
    }
    found.remove(.null)
    distinct = found.count
    if last >= first { span = last - first }
  }

  var sqlName: String { name.quotedIdentifier }

  /// The time as SQLite's functions take it, with its modifier; nil if they don't.
  var momentSQL: String? {
    switch moment {
    case .text, .julianDay: sqlName
    case .seconds: "\(sqlName), 'unixepoch'"
    case .milliseconds: "\(sqlName) / 1000, 'unixepoch'"
    case .microseconds: "\(sqlName) / 1000000, 'unixepoch'"
    case .nanoseconds: "\(sqlName) / 1000000000, 'unixepoch'"
    case nil: nil
    }
  }

  /// The time as PostgreSQL's functions take it; nil if they don't.
  ///
  /// - Parameter type: Of the column, in lower case.
  func serverMomentSQL(type: String) -> String? {
    switch moment {
    // A text might have one value that is no time, and the query would fail for it.
    case .text: type.hasPrefix("timestamp") || type == "date" ? sqlName : nil
    case .seconds: "to_timestamp(\(sqlName))"
    case .milliseconds: "to_timestamp(\(sqlName) / 1000.0)"
    case .microseconds: "to_timestamp(\(sqlName) / 1000000.0)"
    case .nanoseconds: "to_timestamp(\(sqlName) / 1000000000.0)"
    case .julianDay, nil: nil
    }
  }

  /// How well its values are worth a bar each; nil if they aren't.
  func categoryScore(of table: ProfiledTable) -> Int? {
    let known = table.sampled - nulls
    guard !table.table.key.contains(name), moment == nil, !isBlob, length <= 30,
      (2...60).contains(distinct), known >= distinct * 2, nulls * 4 <= table.sampled
    else { return nil }
    let lower = name.asciiLowercased
    let isNamed = Self.names.contains { lower.includes($0) }
    if table.foreignKey(name) != nil { return distinct <= 30 ? 14 : 10 }
    // Numbers are categories only if they are called so.
    guard texts * 2 > known || numbers == known && Self.names.contains(where: lower.hasSuffix),
      texts > 0 || !table.measures.contains(where: { $0.name == name })
    else { return nil }
    return (isNamed ? 16 : 8) + (distinct <= 12 ? 4 : 0) + (texts > 0 ? 2 : 0)
  }

  /// How much its sum says; nil for what is not to be added up.
  var sumScore: Int? {
    let lower = name.asciiLowercased
    func has(_ words: [String]) -> Bool { words.contains { lower.includes($0) } }
    if has(["price", "rate", "percent", "ratio", "average", "avg", "level", "discount", "score"]) {
      return nil
    }
    if has(["total", "amount", "revenue", "sales", "cost", "value", "balance", "paid"]) {
      return 3
    }
    if has(["freight", "fee", "tax", "quantity", "qty", "count", "duration", "tokens"]) {
      return 2
    }
    return has(["byte", "size", "milli", "width", "height", "version"]) ? nil : 1
  }

  private static let names = [
    "status", "state", "type", "kind", "category", "country", "role", "level", "priority",
    "method", "channel", "genre", "result", "severity", "stage", "plan", "tier", "queue",
  ]
}
