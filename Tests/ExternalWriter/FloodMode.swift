import Glibc

/// `flood`: one-row commits as fast as the disk allows, or with a pause after each.
enum FloodMode {
  static func run(_ arguments: Arguments) throws {
    let connection = try Connection(arguments)
    let sql = try arguments.sql ?? insertion(into: arguments.table ?? "flood", connection)
    let limit = arguments.count ?? Int.max
    let start = Clock.nanoseconds
    let end = arguments.seconds.map { start + UInt64($0 * 1e9) } ?? UInt64.max
    var commits = 0
    // Tried again at once, one lock refuses a writer many times: that counts once.
    var refusals = 0
    var isRefused = false
    while commits < limit, Clock.nanoseconds < end {
      do {
        try connection.run(sql)
        commits += 1
        isRefused = false
      } catch let error as WriterError where arguments.countsBusy && error.code & 0xff == 5 {
        if !isRefused { refusals += 1 }
        isRefused = true
      }
      if let pause = arguments.pause { usleep(UInt32(pause * 1000)) }
    }
    let seconds = Double(Clock.nanoseconds - start) / 1e9
    let rate = seconds > 0 ? Int(Double(commits) / seconds) : 0
    Output.line(
      "\(commits) commits in \(Int(seconds * 1000)) ms: \(rate) commits/s"
        + (arguments.countsBusy ? ", \(refusals) busy" : ""))
  }

  private static func insertion(into name: String, _ connection: Connection) throws -> String {
    let table = quoted(name)
    try connection.run(
      "CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)")
    return "INSERT INTO \(table) (value) SELECT 1 + ifnull(max(id), 0) FROM \(table)"
  }
}

/// `name` as an SQL identifier.
func quoted(_ name: String) -> String {
  "\"" + name.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
}
