import CSQLite

/// What SQLite said, and to which statement.
struct WriterError: Error, CustomStringConvertible {
  let code: Int32
  let message: String
  /// Whether the database could not even be opened.
  var opening = false

  var description: String { "error \(code) \(message)" }
}

/// A connection that does what it is told, one statement at a time.
///
/// Not the engine's own connection: what observes commits must not be tested by itself.
final class Connection {
  let handle: OpaquePointer

  init(_ arguments: Arguments) throws {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(
      arguments.database, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    guard code == SQLITE_OK, let opened else {
      let message = String(cString: sqlite3_errmsg(opened))
      sqlite3_close(opened)
      throw WriterError(code: code, message: "\(arguments.database): \(message)", opening: true)
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, arguments.busyMilliseconds)
    do {
      // Before the first look at the file: then no -shm is made.
      if arguments.isExclusive { try run("PRAGMA locking_mode = EXCLUSIVE") }
      if let journal = arguments.journal { try setJournal(journal) }
      if let sync = arguments.sync { try run("PRAGMA synchronous = \(sync)") }
      // Opening is lazy: only now is it known whether the file is a database.
      try run("SELECT count(*) FROM sqlite_schema")
    } catch let error as WriterError {
      throw WriterError(code: error.code, message: error.message, opening: true)
    }
  }

  deinit { sqlite3_close_v2(handle) }

  private func setJournal(_ mode: String) throws {
    // SQLite answers with the mode in force, and with no error, when it will not change it.
    let inForce = try text("PRAGMA journal_mode = \(mode)")
    guard inForce == mode.lowercased() else {
      throw WriterError(
        code: SQLITE_ERROR, message: "journal mode is \(inForce ?? "unknown"), not \(mode)")
    }
  }

  /// Runs all statements of `sql`, and hands each row, its columns as text, to `row`.
  func run(_ sql: String, row: ([String?]) -> Void = { _ in }) throws {
    var rest = sql[...]
    while let statement = try prepare(&rest) {
      defer { sqlite3_finalize(statement) }
      while try step(statement) {
        row(
          (0..<sqlite3_column_count(statement)).map { column in
            sqlite3_column_text(statement, column).map { String(cString: $0) }
          })
      }
    }
  }

  /// The first column of the first row.
  func text(_ sql: String) throws -> String? {
    var first: String??
    try run(sql) { if first == nil { first = $0.first } }
    return first ?? nil
  }

  func integer(_ sql: String) throws -> Int {
    try text(sql).flatMap { Int($0) } ?? 0
  }

  /// Runs `body` as one commit; rolls back when it throws.
  func transaction(_ body: () throws -> Void) throws {
    try run("BEGIN IMMEDIATE")
    do {
      try body()
      try run("COMMIT")
    } catch {
      // SQLite may have rolled back by itself (disk full, interrupt).
      if isInTransaction { try run("ROLLBACK") }
      throw error
    }
  }

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Writes the dirty pages of the open transaction out, as a full cache would.
  func spill() throws {
    let code = sqlite3_db_cacheflush(handle)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Whether `sql` has more than one statement.
  func hasSeveralStatements(_ sql: String) throws -> Bool {
    var rest = sql[...]
    guard let first = try prepare(&rest) else { return false }
    sqlite3_finalize(first)
    // Not prepared: it may need what the first one makes.
    return rest.contains { !$0.isWhitespace && $0 != ";" }
  }

  /// Prepares the first statement of `rest`, and takes it off. Comments alone give nil.
  private func prepare(_ rest: inout Substring) throws -> OpaquePointer? {
    while !rest.isEmpty {
      var statement: OpaquePointer?
      var text = String(rest)
      let (code, used) = text.withUTF8 { bytes -> (Int32, Int) in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
          var tail: UnsafePointer<CChar>?
          let code = sqlite3_prepare_v2(
            handle, bytes.baseAddress, Int32(bytes.count), &statement, &tail)
          return (code, tail.map { $0 - bytes.baseAddress! } ?? bytes.count)
        }
      }
      guard code == SQLITE_OK else { throw failure(code) }
      rest = rest[rest.utf8.index(rest.startIndex, offsetBy: used)...]
      if let statement { return statement }
    }
    return nil
  }

  private func step(_ statement: OpaquePointer) throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: true
    case SQLITE_DONE: false
    case let code: throw failure(code)
    }
  }

  func failure(_ code: Int32) -> WriterError {
    WriterError(code: code, message: String(cString: sqlite3_errmsg(handle)))
  }
}
