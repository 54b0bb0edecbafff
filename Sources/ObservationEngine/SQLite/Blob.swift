internal import CSQLite

/// A BLOB or text of one row that is read and written in parts, without loading it into memory.
///
/// Lent by ``Connection/withBlob(table:column:rowid:schema:isWritable:_:)`` and valid only within
/// its closure; afterwards its methods throw a `DatabaseError` with code `misuse`.
public final class Blob {
  /// `nil` once the closure has returned.
  private var handle: OpaquePointer?
  private let connection: Connection
  private let name: String

  fileprivate init(_ handle: OpaquePointer, _ connection: Connection, _ name: String) {
    self.handle = handle
    self.connection = connection
    self.name = name
  }

  fileprivate func close() {
    sqlite3_blob_close(handle)
    handle = nil
  }

  /// Its size in bytes, which only SQL can change; 0 after the closure has returned.
  public var count: Int { handle.map { Int(sqlite3_blob_bytes($0)) } ?? 0 }

  /// Reads some bytes.
  ///
  /// - Parameters:
  ///   - offset: The offset of the first byte.
  ///   - count: The number of bytes; `nil` for all that follow.
  /// - Throws: `DatabaseError`: with code `range` beyond the end; with code `aborted` when SQL has
  ///   changed the row since the blob was lent.
  public func read(at offset: Int = 0, count: Int? = nil) throws -> [UInt8] {
    // A negative offset is refused below, and may be too great to be subtracted.
    let length = count ?? max(0, self.count - max(0, offset))
    try check(offset, length)
    return try [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
      try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset, length)
      initialized = length
    }
  }

  /// Reads as many bytes as `buffer` holds.
  ///
  /// - Throws: As ``read(at:count:)``.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int = 0) throws {
    try check(offset, buffer.count)
    try read(into: buffer, at: offset, buffer.count)
  }

  private func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int, _ count: Int
  ) throws {
    guard count > 0 else { return }
    let result = sqlite3_blob_read(handle, buffer.baseAddress, Int32(count), Int32(offset))
    guard result == SQLITE_OK else { throw error(result) }
  }

  /// Overwrites some bytes; the size stays.
  ///
  /// - Throws: As ``read(at:count:)``; `DatabaseError` with code `readOnly` when the blob was lent
  ///   for reading.
  public func write(_ bytes: [UInt8], at offset: Int = 0) throws {
    try check(offset, bytes.count)
    guard !bytes.isEmpty else { return }
    let result = bytes.withUnsafeBytes {
      sqlite3_blob_write(handle, $0.baseAddress, Int32($0.count), Int32(offset))
    }
    guard result == SQLITE_OK else { throw error(result) }
  }

  /// Moves to the same column of another row, which is faster than lending again.
  ///
  /// - Throws: `DatabaseError` when there is no such row, or its value is neither BLOB nor text;
  ///   the blob is unusable afterwards.
  public func move(toRow rowid: Int64) throws {
    try checkUse()
    let result = sqlite3_blob_reopen(handle, rowid)
    guard result == SQLITE_OK else { throw error(result) }
  }

  private func checkUse() throws(DatabaseError) {
    try connection.checkUse()
    guard handle != nil else {
      throw DatabaseError(
        code: .misuse,
        message:
          "\(name): it was used outside of the closure that received it; return its bytes from there"
      )
    }
  }

  private func check(_ offset: Int, _ count: Int) throws(DatabaseError) {
    try checkUse()
    guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
      throw DatabaseError(
        code: .range,
        message: "bytes \(offset) and \(count) more are not in \(name), which has \(self.count); "
          + "UPDATE it with zeroblob(size) to make room")
    }
  }

  private func error(_ result: Int32) -> DatabaseError {
    let error = connection.error(result, sql: nil)
    let reason =
      switch error.code.primary {
      case .aborted: "its row was changed or deleted since it was opened; open it again"
      case .readOnly: "it was opened for reading; say isWritable: true"
      default: error.message
      }
    return DatabaseError(code: error.code, message: "\(name): \(reason)")
  }
}

extension Connection {
  /// Lends a BLOB or text of one row, to be read or written in parts.
  ///
  ///     try await database.write { connection in
  ///       try connection.execute("INSERT INTO photo(id, data) VALUES (1, zeroblob(10000000))")
  ///       try connection.withBlob(
  ///         table: "photo", column: "data", rowid: 1, isWritable: true
  ///       ) { blob in
  ///         for index in chunks.indices { try blob.write(chunks[index], at: index * 65_536) }
  ///       }
  ///     }
  ///
  /// Writes are part of the open transaction and refresh observations as an UPDATE does. Reads
  /// within an observation become part of what it observes.
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - column: The name of the column.
  ///   - rowid: The row.
  ///   - schema: `main`, `temp`, or the name of an attached database.
  ///   - isWritable: Whether ``Blob/write(_:at:)`` is needed. SQLite refuses it for columns that an
  ///     index, a primary key or a foreign key uses.
  ///   - body: Receives the blob, valid only during the call.
  /// - Throws: What `body` throws; `DatabaseError` when there is no such row, table or column, when
  ///   the value is neither BLOB nor text, and for a view, a virtual table or a table WITHOUT
  ///   ROWID.
  /// - Complexity: One lookup of the row.
  public func withBlob<Output>(
    table: String, column: String, rowid: Int64, schema: String = "main", isWritable: Bool = false,
    _ body: (Blob) throws -> Output
  ) throws -> Output {
    try checkUse()
    try checkTransaction()
    let name = "\(table).\(column) of row \(rowid)"
    if isWritable, isReadingOnly {
      throw DatabaseError(
        code: .readOnly, message: "\(name): this connection only reads; use write")
    }
    fetchState.recorded?.insert(column: column, of: TableID(schema: schema, name: table))
    var opened: OpaquePointer?
    let result = sqlite3_blob_open(
      handle, schema, table, column, rowid, isWritable ? 1 : 0, &opened)
    guard result == SQLITE_OK, let opened else {
      let failure = error(result, sql: nil)
      throw DatabaseError(code: failure.code, message: "\(name): \(failure.message)")
    }
    let blob = Blob(opened, self, name)
    defer {
      blob.close()
      delegate?.settle()
    }
    return try body(blob)
  }
}
