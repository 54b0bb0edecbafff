import CSQLite
import Glibc

/// What happens to the file as a whole, or to its schema.
enum FileModes {
  static func vacuum(_ arguments: Arguments) throws {
    try Connection(arguments).run("VACUUM")
    Output.line("ok")
  }

  static func replace(_ arguments: Arguments) throws {
    try rename(arguments.rest[0], over: arguments.database)
    Output.line("ok")
  }

  static func rename(_ new: String, over database: String) throws {
    guard Glibc.rename(new, database) == 0 else {
      throw WriterError(
        code: SQLITE_IOERR, message: "rename \(new): \(String(cString: strerror(errno)))")
    }
  }

  static func schema(_ arguments: Arguments) throws {
    let connection = try Connection(arguments)
    let name = arguments.table ?? "passing"
    let (table, index) = (quoted(name), quoted(name + "_value"))
    for sql in [
      "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, value INTEGER)",
      "ALTER TABLE \(table) ADD COLUMN note TEXT",
      "CREATE INDEX \(index) ON \(table) (value)",
      "DROP TABLE \(table)",
    ] {
      try connection.run(sql)
      Output.line("ok")
    }
  }
}
