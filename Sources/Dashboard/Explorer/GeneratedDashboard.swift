package import DatabaseConsole
package import ObservationEngine

/// A dashboard for a database, found by its schema and some newest rows of its largest tables.
///
/// Numbers are the rows of the largest tables; a line counts by a column of times; bars are columns
/// with few values, and foreign keys by the name in the other table; a histogram shows a quantity.
package struct GeneratedDashboard {
  private let schema: SchemaDescription
  private let name: String
  private let tables: [ProfiledTable]
  private let hasSizes: Bool
  private let dialect: SQLDialect
  private var taken: Set<String> = ["console", "transactions", "schema", "all"]

  /// How many newest rows of a table are read.
  static let sampleLimit = 1_000

  /// The tables whose newest rows show what is worth a panel: those with rows, busy ones first,
  /// then large ones.
  package static func candidates(
    _ schema: SchemaDescription, _ counts: [String: RowCount], busy: Set<String> = []
  ) -> [SchemaDescription.Table] {
    let tables = schema.tables.filter {
      $0.kind == .table && $0.trouble == nil && !ExplorerState.isBookkeeping($0.name)
        && counts[$0.name].map(ExplorerState.number) ?? 0 > 0
    }
    func rows(_ table: SchemaDescription.Table) -> Int64 {
      counts[table.name].map(ExplorerState.number) ?? 0
    }
    return Array(
      tables.sorted { left, right in
        let (a, b) = (busy.contains(left.name), busy.contains(right.name))
        return a != b ? a : (rows(left), right.name) > (rows(right), left.name)
      }.prefix(12))
  }

  /// The query for the newest rows of a table.
  package static func sampleQuery(of table: SchemaDescription.Table) -> String {
    let order = table.newestFirst.map { " ORDER BY \($0) DESC" } ?? ""
    return "SELECT * FROM \(table.name.quotedIdentifier)\(order) LIMIT \(sampleLimit)"
  }

  /// - Parameters:
  ///   - samples: The results of ``sampleQuery(of:)``, by table.
  ///   - hasSizes: Whether the file is small enough to be measured after each commit.
  ///   - dialect: Whose SQL the queries are.
  package init(
    _ schema: SchemaDescription, _ counts: [String: RowCount], _ samples: [String: RowSet],
    named name: String, busy: Set<String> = [], hasSizes: Bool, dialect: SQLDialect = .sqlite
  ) {
    self.schema = schema
    self.name = name
    self.hasSizes = hasSizes
    self.dialect = dialect
    tables = Self.candidates(schema, counts, busy: busy).compactMap { table in
      samples[table.name].map { sample in
        ProfiledTable(
          table, sample, rows: counts[table.name].map(ExplorerState.number) ?? 0)
      }
    }
  }

  /// The dashboard file; nil when no table has rows.
  package var text: String? {
    var made = self
    return made.write()
  }

  // MARK: Panels

  private struct Panel {
    var name: String
    /// Why there is such a panel.
    var reason: String
    var directives: [String]
    var sql: String

    var text: String {
      "-- \(reason)\n-- name: \(name)\n" + directives.map { "-- \($0)\n" }.joined() + sql + ";\n"
    }
  }

  private mutating func write() -> String? {
    guard !tables.isEmpty else { return nil }
    let numbers = numberPanels()
    var wide = linePanels(limit: 1)
    if let newest = newestPanel() { wide.append(newest) }
    var narrow = barPanels(limit: 2) + histogramPanels(limit: 1)
    if hasSizes { narrow.append(sizePanel()) }
    let layout = Self.layout(numbers.map(\.name), wide.map(\.name), narrow.map(\.name))
    let head = """
      -- dashboard: \(Self.line(name))
      -- Made by livequery from the schema and the newest rows; change it as you like.
      \(layout.map { "-- layout: " + $0.joined(separator: " ") }.joined(separator: "\n"))

      """
    return ([head] + (numbers + wide + narrow).map(\.text)).joined(separator: "\n")
  }

  /// A line of numbers, and below it blocks: a wide panel on the left, narrow ones on the right.
  private static func layout(
    _ numbers: [String], _ wide: [String], _ narrow: [String]
  ) -> [[String]] {
    let width = 4
    func spread(_ names: [String], over width: Int) -> [String] {
      (0..<width).map { names[$0 * names.count / width] }
    }
    var rows = numbers.isEmpty ? [] : [spread(numbers, over: width)]
    var rest = narrow[...]
    for (index, left) in wide.enumerated() {
      // The last block takes what is left.
      let count = index == wide.count - 1 ? min(2, rest.count) : min(2, (rest.count + 1) / 2)
      let right = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      let row =
        right.isEmpty
        ? Array(repeating: left, count: width) : [left, left] + spread(right, over: 2)
      rows += [row, row]
    }
    if !rest.isEmpty {
      let row = spread(Array(rest.prefix(width)), over: width)
      rows += [row, row]
    }
    return rows
  }

  private mutating func numberPanels() -> [Panel] {
    var panels = tables.prefix(3).map { table in
      Panel(
        name: free(table.name), reason: "One of the \(tables.count > 1 ? "largest " : "")tables.",
        directives: ["title: \(Self.line(table.name))", "view: number"],
        sql: "SELECT count(*) AS rows FROM \(table.sqlName)")
    }
    if let (table, measure) = bestMeasure {
      panels.append(
        Panel(
          name: free("sum-of-\(measure.name)"), reason: "A quantity of \(Self.line(table.name)).",
          directives: [
            "title: sum of \(Self.line(measure.name))", "view: number", "format: total compact",
          ], sql: "SELECT sum(\(measure.sqlName)) AS total FROM \(table.sqlName)"))
    } else if let table = tables.dropFirst(3).first {
      panels.append(
        Panel(
          name: free(table.name), reason: "One of the largest tables.",
          directives: ["title: \(Self.line(table.name))", "view: number"],
          sql: "SELECT count(*) AS rows FROM \(table.sqlName)"))
    }
    return panels
  }

  /// The quantity whose sum means most, of the largest table that has one.
  private var bestMeasure: (ProfiledTable, ProfiledColumn)? {
    let found = tables.enumerated().flatMap { place, table in
      table.measures.compactMap { measure in
        measure.sumScore.map { (score: $0 * 20 - place, table: table, measure: measure) }
      }
    }
    return found.max { $0.score < $1.score }.map { ($0.table, $0.measure) }
  }

  private mutating func linePanels(limit: Int) -> [Panel] {
    var panels: [Panel] = []
    for table in tables where panels.count < limit {
      guard let time = table.time, let unit = table.unit(of: time),
        let bucket = table.bucket(of: time, by: unit, dialect)
      else { continue }
      panels.append(
        Panel(
          name: free("\(table.name)-per-\(unit.name)"),
          reason: "\(Self.line(time.name)) has times: rows per \(unit.name).",
          directives: [
            "title: \(Self.line(table.name)) per \(unit.name)", "view: line min=0",
          ],
          sql: """
            SELECT \(bucket) AS \(unit.name), count(*) AS rows
            FROM \(table.sqlName) WHERE \(time.sqlName) IS NOT NULL GROUP BY 1 ORDER BY 1
            """))
    }
    return panels
  }

  private mutating func barPanels(limit: Int) -> [Panel] {
    var found: [(score: Int, table: ProfiledTable, column: ProfiledColumn)] = []
    for (place, table) in tables.enumerated() {
      for column in table.columns {
        guard let score = column.categoryScore(of: table) else { continue }
        found.append((score - place, table, column))
      }
    }
    found.sort { $0.score > $1.score }
    var panels: [Panel] = []
    var used: Set<String> = []
    for (_, table, column) in found where panels.count < limit {
      // Two charts of one table are better than none, but two tables are better.
      guard
        !used.contains(table.name) || found.allSatisfy({ used.contains($0.table.name) })
          || panels.count + 1 < limit
      else { continue }
      guard let panel = barPanel(table, column) else { continue }
      used.insert(table.name)
      panels.append(panel)
    }
    return panels
  }

  private mutating func barPanel(_ table: ProfiledTable, _ column: ProfiledColumn) -> Panel? {
    let name = "\(table.name)-by-\(column.name)"
    if let key = table.foreignKey(column.name) {
      guard let parent = schema.tables.first(where: { $0.name == key.table }),
        let label = Self.label(of: parent),
        let target = key.targets.first ?? (parent.key.count == 1 ? parent.key[0] : nil)
      else { return nil }
      let other = parent.name.quotedIdentifier
      return Panel(
        name: free(name),
        reason: "\(Self.line(column.name)) refers to \(Self.line(parent.name)), which has a name.",
        directives: [
          "title: \(Self.line(table.name)) by \(Self.line(parent.name))", "view: bar",
        ],
        sql: """
          SELECT p.\(label.quotedIdentifier) AS label, count(*) AS rows
          FROM \(table.sqlName) AS t JOIN \(other) AS p ON p.\(target.quotedIdentifier) = t.\(column.sqlName)
          GROUP BY \(dialect == .postgres ? "1, " : "")p.\(target.quotedIdentifier) ORDER BY rows DESC, label LIMIT 12
          """)
    }
    return Panel(
      name: free(name), reason: "\(Self.line(column.name)) has few different values.",
      directives: [
        "title: \(Self.line(table.name)) by \(Self.line(column.name))", "view: bar",
      ],
      sql: """
        SELECT CAST(\(column.sqlName) AS TEXT) AS label, count(*) AS rows
        FROM \(table.sqlName) GROUP BY 1 ORDER BY rows DESC, label LIMIT 12
        """)
  }

  private mutating func histogramPanels(limit: Int) -> [Panel] {
    var panels: [Panel] = []
    for table in tables where panels.count < limit {
      guard
        let measure = table.measures.filter({ $0.distinct >= 12 })
          .max(by: { ($0.sumScore ?? 0, $0.distinct) < ($1.sumScore ?? 0, $1.distinct) })
      else { continue }
      let isLong = table.rows > 5_000
      let order = table.table.newestFirst.map { " ORDER BY \($0) DESC" } ?? ""
      panels.append(
        Panel(
          name: free("\(measure.name)-histogram"),
          reason: "\(Self.line(measure.name)) is a quantity"
            + (isLong ? "; of the newest 5 000 rows." : "."),
          directives: [
            "title: \(Self.line(measure.name)) of \(Self.line(table.name))", "view: histogram",
          ],
          sql:
            "SELECT \(measure.sqlName) FROM \(table.sqlName) WHERE \(measure.sqlName) IS NOT NULL"
            + (isLong ? "\(order) LIMIT 5000" : "")))
    }
    return panels
  }

  private mutating func newestPanel() -> Panel? {
    guard
      let table = tables.first(where: { $0.time != nil && $0.table.newestFirst != nil })
        ?? tables.first(where: { $0.table.newestFirst != nil }) ?? tables.first
    else { return nil }
    let shown = table.columns.filter { column in
      table.table.key.contains(column.name) || (column.length <= 40 && !column.isBlob)
    }.prefix(8)
    guard !shown.isEmpty else { return nil }
    let order = table.table.newestFirst.map { " ORDER BY \($0) DESC" } ?? ""
    let hasKey =
      !table.table.key.isEmpty
      && table.table.key.allSatisfy { key in shown.contains { $0.name == key } }
    // A directive has a name as it is, without blanks around it, and ends a line.
    let keys = table.table.key.filter {
      !$0.isEmpty && !$0.contains(",") && $0 == $0.trimmedOfWhitespace && $0 == Self.line($0)
    }
    return Panel(
      name: free("newest-\(table.name)"), reason: "The newest rows, with what changes in them.",
      directives: ["title: newest \(Self.line(table.name))", "view: table"]
        + (hasKey && keys.count == table.table.key.count
          ? ["key: " + keys.joined(separator: ", ")] : []),
      sql: "SELECT \(shown.map(\.sqlName).joined(separator: ", "))\nFROM \(table.sqlName)\(order)"
        + " LIMIT 50")
  }

  /// All of the file, so that the bars' shares are those of the file.
  private mutating func sizePanel() -> Panel {
    Panel(
      name: free("biggest"),
      reason: "What takes the space; this reads the file after each commit, as dbstat does.",
      directives: ["title: biggest tables", "view: bar", "format: bytes bytes"],
      sql: """
        SELECT coalesce(s.tbl_name, d.name) AS "table", sum(d.pgsize) AS bytes
        FROM dbstat AS d LEFT JOIN sqlite_schema AS s ON s.name = d.name
        WHERE d.aggregate = TRUE GROUP BY 1
        UNION ALL SELECT '(free)', freelist_count * page_size
        FROM pragma_freelist_count, pragma_page_size WHERE freelist_count > 0
        ORDER BY bytes DESC, 1
        """)
  }

  // MARK: Names

  /// The column that names the rows of a table: its first text that isn't the key.
  private static func label(of table: SchemaDescription.Table) -> String? {
    let texts = table.columns.filter { column in
      let type = column.type.asciiLowercased
      return column.keyPosition == 0 && (type.includes("char") || type.includes("text"))
    }
    return
      (texts.first { column in
        let name = column.name.asciiLowercased
        return name.includes("name") || name.includes("title")
      } ?? texts.first)?.name
  }

  /// One word that no other panel has.
  private mutating func free(_ name: String) -> String {
    var word = ""
    for scalar in name.asciiLowercased.unicodeScalars {
      let isPlain = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      if isPlain {
        word.unicodeScalars.append(scalar)
      } else if !word.isEmpty, word.last != "-" {
        word.append("-")
      }
    }
    while word.last == "-" { word.removeLast() }
    if word.isEmpty { word = "panel" }
    var free = word
    var number = 2
    while !taken.insert(free).inserted {
      free = "\(word)-\(number)"
      number += 1
    }
    return free
  }

  /// A name on one line of a comment; in quotes when there is nothing to see of it.
  private static func line(_ name: String) -> String {
    let line = String(
      String.UnicodeScalarView(name.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    return line.trimmedOfWhitespace.isEmpty ? line.quotedIdentifier : line
  }
}
