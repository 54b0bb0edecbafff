internal import CLinux
internal import CSQLite

/// How far a log was copied into the database file, at one moment.
struct CheckpointProgress: Equatable {
  /// Which log it is.
  let salts: UInt64
  let frames: UInt32
}

/// What the write-ahead log says that this connection has open, which need not be the one at its path
/// any more. No lock is taken.
extension Connection {
  /// The header of the log that is open: empty when nothing was written to it; `nil` when the
  /// connection has no log.
  ///
  /// Salts that are drawn at random make it differ from that of any other log.
  func openLogHeader() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 32)
    let result = lq_read_log(handle, &bytes, 32, 0)
    if Int(result) == LQ_IOERR_SHORT_READ { return [] }
    // A rollback journal stands in the same place, and begins otherwise.
    guard result == SQLITE_OK, bytes.starts(with: [0x37, 0x7f, 0x06]) else { return nil }
    return bytes
  }

  /// The header of the wal-index that is mapped, both copies; for a connection in WAL mode.
  func openIndexHeader() -> [UInt8]? {
    guard let memory = lq_wal_index(handle, 0) else { return nil }
    return [UInt8](unsafeUninitializedCapacity: WALIndexHeader.byteCount) { buffer, initialized in
      lq_copy_shared(buffer.baseAddress, memory, Int32(WALIndexHeader.byteCount))
      initialized = WALIndexHeader.byteCount
    }
  }

  /// How many frames of which log were copied into the database file; for a connection in WAL mode.
  func checkpointProgress() -> CheckpointProgress? {
    guard let memory = lq_wal_index(handle, 0) else { return nil }
    // The salts stand in the header, and nBackfill follows its two copies.
    let size = WALIndexHeader.byteCount + 4
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
      lq_copy_shared(buffer.baseAddress, memory, Int32(size))
      return CheckpointProgress(
        salts: buffer.load(fromByteOffset: 32, as: UInt64.self),
        frames: buffer.load(fromByteOffset: WALIndexHeader.byteCount, as: UInt32.self))
    }
  }
}
