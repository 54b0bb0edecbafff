import DatabaseConsole
import ObservationEngine

/// A command typed into the console instead of SQL: `:explain`, `.tables`, …
///
/// A colon introduces the console's own commands, and a dot those of `sqlite3` that users know. The
/// latter are run if there is an equivalent, and otherwise answered with a hint.
enum ConsoleCommand: Equatable {
  /// Shows a plan: of this statement, or of the last query.
  case explain(String?)
  case pin(name: String?)
  /// Takes a pinned panel away: this one, or the last.
  case unpin(name: String?)
  /// Saves pinned panels: `[NAME] [FILE]`; without a file, into the open dashboard.
  case save(String)
  case read(file: String, asks: Bool)
  case undo
  case redo
  /// Runs this SQL instead.
  case sql(String)
  case answer([String])
  /// It is unknown; with the message for it.
  case unknown(String)
  /// The console has no command of this name.
  case unknownName(String)

  static let names = ["explain", "pin", "unpin", "save", "read", "undo", "redo", "help"]

  /// Parses a command; nil for SQL, or for text that becomes SQL.
  init?(_ text: String, dialect: SQLDialect = .sqlite) {
    let text = text.trimmedOfWhitespace
    if ["quit", "exit", "q"].contains(text.asciiLowercased) {
      self = .unknown("this console runs SQL; Esc leaves it, then :quit ends the program")
      return
    }
    let help = dialect == .sqlite ? Self.help : PsqlCommand.help
    if text.asciiLowercased == "help" {
      self = .answer(help)
      return
    }
    let shellSign: Character = dialect == .sqlite ? "." : "\\"
    guard let sign = text.first, sign == ":" || sign == shellSign else { return nil }
    let words = text.dropFirst().split(maxSplits: 1, whereSeparator: \.isWhitespace)
    // A number may start with a dot, and isn't a statement either.
    guard let name = words.first.map({ String($0).asciiLowercased }) else {
      self = .answer(help)
      return
    }
    let rest = words.count > 1 ? String(words[1]).trimmedOfWhitespace : ""
    guard dialect == .postgres else {
      self = sign == ":" ? Self.own(name, rest) : Self.shell(name, rest)
      return
    }
    if sign == ":" {
      if ["help", "h", "?"].contains(name) {
        self = .answer(help)
      } else if name == "explain" {
        self = .unknown("on a server, EXPLAIN stands before the statement: EXPLAIN SELECT ...")
      } else if DotCommand.known.contains(name), name != "read", name != "save" {
        self = .unknown(":\(name) is for SQLite; \\? lists the commands")
      } else {
        self = Self.own(name, rest)
      }
    } else {
      // psql's statements may end with a semicolon out of habit.
      let argument = rest.hasSuffix(";") ? String(rest.dropLast()) : rest
      self =
        PsqlCommand.command(name.hasSuffix(";") ? String(name.dropLast()) : name, argument)
        ?? .unknown(
          "\\\(name) is not a command here"
            + Suggestion.phrase(for: name, among: PsqlCommand.known, sign: "\\"))
    }
  }

  /// Whether a submitted text is a command in either dialect: no statement begins with a dot or a
  /// backslash.
  static func isCommand(_ text: String) -> Bool {
    ConsoleCommand(text) != nil || ConsoleCommand(text, dialect: .postgres) != nil
  }

  static let help = [
    ":explain [SQL]     the plan of a statement, or of the last query, as a tree",
    ":pin [NAME]        make the last query a live panel",
    ":unpin [NAME]      take a pinned panel away: this one, or the last",
    ":save [NAME]       add this pinned panel, or all, to the open dashboard, after showing the lines",
    ":save [NAME] FILE  the same to a new dashboard file, or one that :save made",
    ":read FILE         run the statements of a file, up to the first error, after asking",
    ":read! FILE        the same without asking",
    ":undo :redo        take the last own transaction back; do it again",
    ".tables .schema .indexes .databases .read  as in sqlite3",
    "^o ^r ^y           browse the result, search the history, paste what was cut",
  ]

  private static func own(_ name: String, _ rest: String) -> ConsoleCommand {
    switch name {
    case "explain", "e": .explain(rest.isEmpty ? nil : rest)
    case "pin": .pin(name: rest.isEmpty ? nil : rest)
    case "unpin": .unpin(name: rest.isEmpty ? nil : rest)
    case "save": .save(rest)
    case "read", "r", "read!", "r!":
      rest.isEmpty
        ? .unknown(":\(name) needs the name of a file")
        : .read(file: rest, asks: !name.hasSuffix("!"))
    case "undo", "u": .undo
    case "redo": .redo
    case "help", "h", "?": .answer(help)
    case "q", "quit", "exit": .unknown(DotCommand.leave)
    case _ where DotCommand.known.contains(name): shell(name, rest)
    default:
      .unknownName(name)
    }
  }

  private static func shell(_ name: String, _ rest: String) -> ConsoleCommand {
    switch DotCommand(name, rest) {
    case .sql(let sql): .sql(sql)
    case .read(let file):
      file.isEmpty ? .unknown(".read needs the name of a file") : .read(file: file, asks: true)
    case .help: .answer(help)
    case .pointer(let text): .answer([text])
    case nil:
      .unknown(
        ".\(name) is not a command here"
          + Suggestion.phrase(for: name, among: DotCommand.known, sign: "."))
    }
  }
}
