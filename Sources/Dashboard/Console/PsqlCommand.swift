import DatabaseConsole
import ObservationEngine

/// A command of `psql`, and its equivalent here: what users of PostgreSQL type without thinking.
enum PsqlCommand {
  static let known =
    ["d", "dt", "dv", "dm", "di", "df", "dn", "l", "i", "conninfo", "?"]
    + Array(pointers.keys).sorted()

  /// - Parameters:
  ///   - name: Without the backslash, in lower case; `d+` is `d`.
  ///   - argument: A name or a pattern with `*`.
  /// - Returns: nil when it is no command that matters here.
  static func command(_ name: String, _ argument: String) -> ConsoleCommand? {
    let name = name.hasSuffix("+") ? String(name.dropLast()) : name
    switch name {
    case "d" where !argument.isEmpty: return .sql(columns(of: argument))
    case "d": return .sql(relations("'r', 'p', 'v', 'm', 'S', 'f'", argument))
    case "dt": return .sql(relations("'r', 'p'", argument))
    case "dv": return .sql(relations("'v'", argument))
    case "dm": return .sql(relations("'m'", argument))
    case "di": return .sql(relations("'i', 'I'", argument))
    case "df": return .sql(functions(argument))
    case "dn":
      return .sql("SELECT nspname AS name FROM pg_namespace WHERE nspname !~ '^pg_' ORDER BY 1;")
    case "l":
      return .sql(
        "SELECT datname AS name, pg_get_userbyid(datdba) AS owner FROM pg_database ORDER BY 1;")
    case "conninfo":
      return .sql(
        """
        SELECT current_database() AS database, current_user AS "user", inet_server_addr() AS address,
         current_setting('port') AS port, current_setting('server_version') AS version;
        """)
    case "i":
      return argument.isEmpty
        ? .unknown("\\i needs the name of a file") : .read(file: argument, asks: true)
    case "?", "h", "help": return .answer(help)
    default: return pointers[name].map { .answer([$0]) }
    }
  }

  static let help = [
    ":explain [SQL]     the plan of a statement, or of the last query",
    ":pin [NAME]        make the last query a live panel",
    ":save [NAME] FILE  append this pinned panel, or all, to a dashboard file that :save made",
    ":read FILE         run the statements of a file, up to the first error, after asking",
    "\\d [NAME] \\dt \\dv \\dm \\di \\df \\dn \\l \\i \\conninfo  as in psql",
    "^o ^r ^y           look through the result, search the history, put in what was cut",
  ]

  private static func relations(_ kinds: String, _ pattern: String) -> String {
    """
    SELECT n.nspname AS schema, c.relname AS name, CASE c.relkind WHEN 'r' THEN 'table'
     WHEN 'p' THEN 'partitioned table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
     WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table' ELSE 'index' END AS type,
     CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint END AS "about rows"
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN (\(kinds)) AND n.nspname !~ '^(pg_|information_schema)'\(condition("c.relname", pattern))
     ORDER BY 1, 2;
    """
  }

  private static func columns(of name: String) -> String {
    """
    SELECT a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type,
     CASE WHEN a.attnotnull THEN 'not null' END AS null, pg_get_expr(d.adbin, d.adrelid) AS "default"
     FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     WHERE a.attrelid = \(quoted(name))::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum;
    """
  }

  private static func functions(_ pattern: String) -> String {
    """
    SELECT n.nspname AS schema, p.proname AS name, pg_get_function_result(p.oid) AS result,
     pg_get_function_arguments(p.oid) AS arguments
     FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname !~ '^(pg_|information_schema)'\(condition("p.proname", pattern)) ORDER BY 1, 2;
    """
  }

  private static func condition(_ column: String, _ pattern: String) -> String {
    guard !pattern.isEmpty else { return "" }
    let like = pattern.map { $0 == "*" ? "%" : $0 == "?" ? "_" : String($0) }.joined()
    return " AND \(column) LIKE \(quoted(like))"
  }

  private static func quoted(_ text: String) -> String { SQLLiteral.text(.text(text)) }

  private static let pointers: [String: String] = [
    "c": "leave, and start livequery with the other database",
    "connect": "leave, and start livequery with the other database",
    "copy": "COPY … TO a file of the server; livequery --csv -c 'SELECT …' prints a query",
    "e": ":read FILE runs a file; :edit in a panel opens its query in your editor",
    "g": "a statement ends with ;",
    "q": DotCommand.leave,
    "timing": "each statement shows the time that it took",
    "watch": ":pin NAME makes the last query a panel, which is always live",
    "x": "^o looks through a result, where a row that is inspected is shown line by line",
    "pset": "NULL is shown dimmed; livequery --null TEXT prints another word for it",
    "o": "livequery --csv -o FILE -c 'SELECT …'",
    "s": "^r searches the history",
    "set": "SET name = value; is PostgreSQL's own",
  ]
}
