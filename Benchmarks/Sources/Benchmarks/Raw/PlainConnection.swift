import CPlainSQLite

/// A connection with nothing between the caller and SQLite.
///
/// Proof of `@unchecked`: SQLite's default threading mode serializes what threads do with one.
final class PlainConnection: @unchecked Sendable {
  let handle: OpaquePointer

  init(_ path: String) throws(Failure) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else {
      sqlite3_close(opened)
      throw Failure("\(path) cannot be opened")
    }
    handle = opened
    sqlite3_busy_timeout(handle, 5_000)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Runs all statements of `sql`.
  func run(_ sql: String) throws(Failure) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw Failure("\(String(cString: sqlite3_errmsg(handle))), in: \(sql)")
    }
  }

  func prepare(_ sql: String) throws(Failure) -> PlainStatement {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw Failure("\(String(cString: sqlite3_errmsg(handle))), in: \(sql)")
    }
    return PlainStatement(statement)
  }
}

/// A prepared statement, kept and run again, as a careful programmer would.
final class PlainStatement {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { sqlite3_finalize(handle) }

  func bind(_ value: Int, to index: Int32) { sqlite3_bind_int64(handle, index, Int64(value)) }

  func bind(_ value: Double, to index: Int32) { sqlite3_bind_double(handle, index, value) }

  func bind(_ value: String, to index: Int32) {
    var value = value
    // SQLite copies it: it is gone before the statement runs.
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        _ = sqlite3_bind_text(handle, index, $0.baseAddress, Int32($0.count), copied)
      }
    }
  }

  /// Runs it, and hands each row to `row` while the statement stands on it.
  func run(_ row: (OpaquePointer) -> Void = { _ in }) throws(Failure) {
    var result = sqlite3_step(handle)
    while result == SQLITE_ROW {
      row(handle)
      result = sqlite3_step(handle)
    }
    sqlite3_reset(handle)
    guard result == SQLITE_DONE else { throw Failure("a statement failed with \(result)") }
  }

  /// The first column of the first row, as an integer.
  func integer() throws(Failure) -> Int64 {
    var first: Int64?
    try run { if first == nil { first = sqlite3_column_int64($0, 0) } }
    return first ?? 0
  }

  /// The first column of the first row, as text.
  func text() throws(Failure) -> String? {
    var first: String?
    try run { if first == nil { first = sqlite3_column_text($0, 0).map { String(cString: $0) } } }
    return first
  }

  /// All rows of id, name and score.
  func players() throws(Failure) -> [PlainPlayer] {
    var players: [PlainPlayer] = []
    try run { row in
      players.append(
        PlainPlayer(
          id: sqlite3_column_int64(row, 0), name: String(cString: sqlite3_column_text(row, 1)),
          score: sqlite3_column_int64(row, 2)))
    }
    return players
  }
}

/// One row of ``PlayerTable/top``.
struct PlainPlayer: Equatable, Sendable {
  let id: Int64
  let name: String
  let score: Int64
}
