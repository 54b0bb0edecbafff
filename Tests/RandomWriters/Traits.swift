import TestSupport

/// How a database is laid out, and what is shown of it.
struct Traits: CustomStringConvertible {
  static let pageSizes = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]
  static let rollbackModes = ["delete", "truncate", "persist"]

  let pageSize: Int
  let autoVacuum: Int
  let isWAL: Bool
  /// Bytes in the longest value of a writer: more than a page has, of small pages.
  let longest: Int
  /// The kind of each table, by the letter that its name ends with.
  let tables: [String]

  struct Panel {
    let name: String
    let columns: [String]
    /// Its query, of tables in a schema: "" or "truth.".
    let query: @Sendable (_ schema: String) -> String
  }

  init(using random: inout SeededRandom) {
    pageSize = Self.pageSizes.randomElement(using: &random)!
    autoVacuum = Int.random(in: 0...2, using: &random)
    isWAL = Int.random(in: 0..<5, using: &random) < 3
    longest = min(20_000, pageSize * Int.random(in: 1...4, using: &random))
    tables = (0..<Int.random(in: 2...4, using: &random)).map { number in
      "t\(number)_" + ["row", "seq", "key", "bag"].randomElement(using: &random)!
    }
  }

  var description: String {
    """
    page_size \(pageSize), auto_vacuum \(autoVacuum), \(isWAL ? "wal" : "rollback journal"), \
    values up to \(longest) bytes, tables \(tables.joined(separator: " "))
    """
  }

  /// The statements that make the database, a line each.
  var creation: [String] {
    ["PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = \(autoVacuum)"]
      + (isWAL ? ["PRAGMA journal_mode = WAL"] : [])
      + [
        "BEGIN; "
          + tables.map { Self.declaration(of: $0) + "; " }.joined()
          + "CREATE TABLE commits (w INTEGER PRIMARY KEY, n INT); "
          + (0..<Ground.writerLimit).map { "INSERT INTO commits VALUES (\($0), 0); " }.joined()
          + "COMMIT"
      ]
  }

  private static func declaration(of table: String) -> String {
    switch table.suffix(3) {
    case "seq":
      "CREATE TABLE \(table) (id INTEGER PRIMARY KEY AUTOINCREMENT, a INT, b TEXT, c BLOB)"
    case "key": "CREATE TABLE \(table) (a INT, b TEXT, c BLOB, PRIMARY KEY (b, a)) WITHOUT ROWID"
    case "bag": "CREATE TABLE \(table) (a, b, c); CREATE INDEX \(table)_a ON \(table) (a, b)"
    default: "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, a INT, b TEXT, c BLOB)"
    }
  }

  /// What livequery shows: each table, sums, a join, the counts of commits and the schema.
  var panels: [Panel] {
    let (first, last) = (tables[0], tables[tables.count - 1])
    var panels = tables.map { table in
      Panel(name: table, columns: ["a", "b", "n", "c"]) { schema in
        "SELECT a, b, length(c) AS n, hex(substr(c, -4)) AS c FROM \(schema)\(table)"
      }
    }
    panels += tables.map { table in
      Panel(name: "sum_\(table)", columns: ["count", "sum", "last"]) { schema in
        "SELECT count(*) AS count, sum(a) AS sum, max(b) AS last FROM \(schema)\(table)"
      }
    }
    panels += [
      Panel(name: "join", columns: ["a", "pairs"]) { schema in
        """
        SELECT x.a AS a, count(*) AS pairs FROM \(schema)\(first) AS x \
        JOIN \(schema)\(last) AS y ON x.a = y.a GROUP BY x.a
        """
      },
      Panel(name: "commits", columns: ["w", "n"]) { "SELECT w, n FROM \($0)commits" },
      Panel(name: "schema", columns: ["type", "name"]) {
        "SELECT type, name FROM \($0)sqlite_schema"
      },
    ]
    return panels
  }
}
