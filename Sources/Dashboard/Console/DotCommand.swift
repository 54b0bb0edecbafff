import ObservationEngine

/// A command of the `sqlite3` program, and its equivalent here.
enum DotCommand: Equatable {
  /// SQL with the same result.
  case sql(String)
  case read(file: String)
  case help
  /// A hint at what to use instead.
  case pointer(String)

  static let known =
    ["tables", "schema", "fullschema", "indexes", "indices", "databases", "read", "help"]
    + Array(pointers.keys).sorted()

  /// - Returns: nil when `sqlite3` has no such command that matters here.
  init?(_ name: String, _ argument: String) {
    switch name {
    case "tables": self = .sql(Self.tables(argument))
    case "schema", "fullschema": self = .sql(Self.schema(argument))
    case "indexes", "indices": self = .sql(Self.indexes(argument))
    case "databases": self = .sql("SELECT seq, name, file FROM pragma_database_list;")
    case "read": self = .read(file: argument)
    case "help": self = .help
    default:
      guard let text = Self.pointers[name] else { return nil }
      self = .pointer(text)
    }
  }

  private static func tables(_ pattern: String) -> String {
    let condition = pattern.isEmpty ? "" : " AND name LIKE \(quoted(pattern))"
    return """
      SELECT name, type, ncol AS columns FROM pragma_table_list
       WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND type <> 'shadow'\(condition)
       ORDER BY name;
      """
  }

  private static func schema(_ pattern: String) -> String {
    let condition = pattern.isEmpty ? "" : " AND tbl_name LIKE \(quoted(pattern))"
    return """
      SELECT sql FROM sqlite_schema
       WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'\(condition)
       ORDER BY tbl_name, type DESC, name;
      """
  }

  private static func indexes(_ table: String) -> String {
    let condition = table.isEmpty ? "" : " AND tbl_name LIKE \(quoted(table))"
    return """
      SELECT name, tbl_name AS "table", sql FROM sqlite_schema
       WHERE type = 'index'\(condition) ORDER BY tbl_name, name;
      """
  }

  private static func quoted(_ text: String) -> String { SQLLiteral.text(.text(text)) }

  /// How to leave the program from the console.
  static let leave = "Esc leaves the console, then :quit ends the program"
  private static let explainTree = ":explain SQL shows the plan of a statement as a tree"
  private static let printFile = "livequery --csv -o FILE -c 'SELECT …' app.db"
  private static let askedParameters = "parameters are asked for when a statement has some"
  private static let suspend = "Ctrl-Z suspends livequery; fg comes back"
  private static let everyStatement = "every statement is shown"

  private static let pointers: [String: String] = [
    "backup": "VACUUM INTO 'file'; copies the database",
    "bail": ":read always stops at the first error",
    "cd": "files are named from the folder that livequery was started in",
    "changes": "each statement shows the number of changed rows",
    "dump": "sqlite3 app.db .dump; here .schema shows how tables are declared",
    "echo": everyStatement,
    "eqp": explainTree,
    "excel": "livequery --csv -c 'SELECT …' app.db > file.csv",
    "exit": leave,
    "expert": ":explain SQL shows the layout, and which indexes it uses",
    "explain": explainTree,
    "headers": "results always have their column names",
    "import": "sqlite3 app.db '.import --csv file.csv table'; panels here follow",
    "limit": "write LIMIT in the query; very long results are cut off",
    "lint": "PRAGMA foreign_key_check; finds rows that refer to nothing",
    "load": "extensions cannot be loaded here",
    "log": "the feed of transactions logs every commit",
    "mode": "^o looks through a result as a table; livequery --csv, --json and --ndjson print one",
    "nullvalue": "NULL is shown dimmed; livequery --null TEXT prints another word for it",
    "once": printFile,
    "open": "leave, and start livequery with the other file",
    "output": printFile,
    "parameter": askedParameters,
    "param": askedParameters,
    "print": "SELECT 'text'; shows a text",
    "prompt": "the prompt shows whether a transaction is open",
    "quit": leave,
    "restore": "sqlite3 app.db '.restore file'; panels here follow",
    "save": "VACUUM INTO 'file'; copies the database. :save FILE keeps a pinned panel",
    "scanstats": explainTree,
    "separator": "livequery --csv prints a result with separators",
    "shell": suspend,
    "show": "the frame of the console and the first line of the screen show the state",
    "stats": "the line above the keys shows the latencies",
    "system": suspend,
    "timeout": "start livequery with --busy-timeout MS",
    "timer": "each statement shows the time that it took",
    "trace": everyStatement,
    "width": "columns fit their content; ^o looks through a result and scrolls sideways",
  ]
}
