/// `transfers`: every committed state has the same total, so a mixed snapshot gives itself away.
enum TransfersMode {
  static func run(_ arguments: Arguments) throws {
    let connection = try Connection(arguments)
    let accounts = arguments.accounts
    try connection.transaction {
      try connection.run(
        "CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)")
      try connection.run(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(accounts))
        INSERT OR IGNORE INTO accounts (id, balance) SELECT i, 1000 FROM n
        """)
    }
    var random = Random(seed: arguments.seed)
    for _ in 0..<(arguments.count ?? 1000) {
      let from = Int.random(in: 1...accounts, using: &random)
      let to = Int.random(in: 1...accounts, using: &random)
      let amount = Int.random(in: 1...100, using: &random)
      // Two statements: a reader that saw the first without the second would see another sum.
      try connection.transaction {
        try connection.run("UPDATE accounts SET balance = balance - \(amount) WHERE id = \(from)")
        try connection.run("UPDATE accounts SET balance = balance + \(amount) WHERE id = \(to)")
      }
    }
    Output.line("ok sum \(try connection.integer("SELECT sum(balance) FROM accounts"))")
  }
}
