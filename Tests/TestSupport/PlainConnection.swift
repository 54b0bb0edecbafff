internal import CSQLite

/// SQLite alone: neither what changes a database under the tracker nor what tells the truth about
/// it may be the engine.
package final class PlainConnection {
  /// What SQLite refused.
  package struct Failure: Error, CustomStringConvertible {
    package let code: Int32
    package let description: String

    /// Somebody else holds the lock, or the rows may not be so: part of a random life.
    package var isExpected: Bool {
      [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_CONSTRAINT].contains(code & 0xff)
    }
  }

  /// What is bound to a parameter.
  package enum Binding {
    case integer(Int64)
    case text(String)
    case blob([UInt8])
  }

  package let handle: OpaquePointer

  /// Opens a file; makes it when there is none.
  ///
  /// - Parameter padsLog: Whether commits in a WAL fill up the sector, as on a device where a write
  ///   of some bytes may spoil those beside them.
  package init(_ path: String, padsLog: Bool = false) throws(Failure) {
    var opened: OpaquePointer?
    let name = padsLog ? "file:\(path)?psow=0" : path
    let code = sqlite3_open_v2(
      name, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, nil)
    guard code == SQLITE_OK, let opened else {
      let message = String(cString: sqlite3_errmsg(opened))
      sqlite3_close(opened)
      throw Failure(code: code, description: "\(path): \(message)")
    }
    handle = opened
  }

  deinit { close() }

  private var isClosed = false

  /// Closes it now; the last one to close a WAL database removes the log.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    sqlite3_close_v2(handle)
  }

  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs the statements of `sql`.
  package func run(_ sql: String) throws(Failure) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code, sql) }
  }

  /// Runs one statement, and hands each of its rows to `row`.
  package func run(
    _ sql: String, _ bindings: [Binding], row: (OpaquePointer) -> Void = { _ in }
  ) throws(Failure) {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(code, sql) }
    defer { sqlite3_finalize(statement) }
    for (index, binding) in bindings.enumerated() {
      let position = Int32(index + 1)
      switch binding {
      case .integer(let value): sqlite3_bind_int64(statement, position, value)
      case .text(let text): _ = lq_bind_text(statement, position, text, UInt64(text.utf8.count))
      case .blob(let bytes): _ = lq_bind_blob(statement, position, bytes, UInt64(bytes.count))
      }
    }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: row(statement)
      case SQLITE_DONE: return
      case let code: throw failure(code, sql)
      }
    }
  }

  /// The first column of the first row; 0 for none.
  package func integer(_ sql: String, _ bindings: [Binding] = []) throws(Failure) -> Int64 {
    var result: Int64?
    try run(sql, bindings) { if result == nil { result = sqlite3_column_int64($0, 0) } }
    return result ?? 0
  }

  /// The first column of all rows, as text.
  package func texts(_ sql: String, _ bindings: [Binding] = []) throws(Failure) -> [String] {
    var result: [String] = []
    try run(sql, bindings) { statement in
      result.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
    }
    return result
  }

  /// The first column of the first row, as bytes.
  package func bytes(_ sql: String, _ bindings: [Binding] = []) throws(Failure) -> [UInt8]? {
    var result: [UInt8]?
    try run(sql, bindings) { statement in
      guard result == nil, let start = sqlite3_column_blob(statement, 0) else { return }
      let count = Int(sqlite3_column_bytes(statement, 0))
      result = Array(UnsafeRawBufferPointer(start: start, count: count))
    }
    return result
  }

  /// Overwrites bytes of a value in place, as incremental BLOB I/O does.
  package func overwrite(
    _ bytes: [UInt8], at offset: Int, table: String, column: String, rowid: Int64
  ) throws(Failure) {
    var blob: OpaquePointer?
    var code = sqlite3_blob_open(handle, "main", table, column, rowid, 1, &blob)
    defer { sqlite3_blob_close(blob) }
    if code == SQLITE_OK {
      code = sqlite3_blob_write(blob, bytes, Int32(bytes.count), Int32(offset))
    }
    guard code == SQLITE_OK else { throw failure(code, "writing into \(table).\(column)") }
  }

  /// Writes the dirty pages of the open transaction to the log, as a full cache would.
  package func spill() throws(Failure) {
    let code = sqlite3_db_cacheflush(handle)
    guard code == SQLITE_OK else { throw failure(code, "sqlite3_db_cacheflush") }
  }

  /// How many bytes at the end of each page stay unused, from the next VACUUM on or, in a database
  /// without pages, from the first.
  package func reserve(_ bytes: Int) {
    var count = Int32(bytes)
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
  }

  /// The first block of the wal-index, in shared memory; `nil` when there is none. Valid as long as
  /// the connection is open, and in WAL mode.
  package var walIndex: UnsafeMutableRawPointer? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    var memory: UnsafeMutableRawPointer?
    guard let file, let map = file.pointee.pMethods?.pointee.xShmMap,
      map(file, 0, 32_768, 0, &memory) == SQLITE_OK
    else { return nil }
    return memory
  }

  /// Whether each published frame of the log says to which generation it belongs.
  ///
  /// SQLite 3.40.1 leaves frames without salts and checksums behind after a ROLLBACK TO in a
  /// transaction that wrote a page twice; the log is then cut off there when its index is made
  /// anew.
  package var logIsWhole: Bool {
    guard let header = walIndex else { return false }
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
    guard let file, let read = file.pointee.pMethods?.pointee.xRead else { return false }
    let last = Int64(header.load(fromByteOffset: 16, as: UInt32.self))
    let size = header.load(fromByteOffset: 14, as: UInt16.self)
    let frameSize = 24 + Int64(size & 0xfe00) + Int64(size & 1) << 16
    let salts = header.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
    for frame in 0..<last {
      var own: UInt64 = 0
      guard read(file, &own, 8, 32 + frame * frameSize + 8) == SQLITE_OK, own == salts else {
        return false
      }
    }
    return true
  }

  private func failure(_ code: Int32, _ sql: String) -> Failure {
    Failure(
      code: sqlite3_extended_errcode(handle) & 0xff == code & 0xff
        ? sqlite3_extended_errcode(handle) : code,
      description: "\(String(cString: sqlite3_errmsg(handle))) (\(code)) in: \(sql)")
  }
}
