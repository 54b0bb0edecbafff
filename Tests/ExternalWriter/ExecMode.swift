/// `exec`: each argument is one commit.
enum ExecMode {
  static func run(_ arguments: Arguments) throws {
    let connection = try Connection(arguments)
    for sql in arguments.rest {
      // A lone statement commits by itself, and may be one that refuses a transaction (VACUUM).
      // One that begins its own transaction says itself where it ends.
      if !connection.isInTransaction, !sql.lowercased().hasPrefix("begin"),
        try connection.hasSeveralStatements(sql)
      {
        try connection.transaction { try connection.run(sql, row: Output.row) }
      } else {
        try connection.run(sql, row: Output.row)
      }
      Output.line("ok")
    }
  }
}
