// Facts about the WAL beyond the frames that the wal-index counts.

extension WALView {
  /// The checkpoint sequence in the header of the WAL, if the header has these salts; `nil`
  /// otherwise.
  func checkpointSequence(salts: UInt64) -> UInt32? {
    withUnsafeTemporaryAllocation(byteCount: WALLayout.headerSize, alignment: 8) { bytes in
      guard readLog(at: 0, into: bytes),
        bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self) == salts
      else { return nil }
      return UnsafeRawBufferPointer(bytes).bigEndian32(at: 12)
    }
  }

  /// Whether the WAL still has the frames that it had at the position of `header`, without a
  /// restart.
  ///
  /// A process that rebuilds the index after a crash drops what follows an invalid frame, and the
  /// next writer continues from there. The count of commits does not show that, because it restarts
  /// too.
  func logContinues(_ header: WALIndexHeader) -> Bool {
    guard header.lastFrame > 0 else { return true }
    let size = WALLayout.frameHeaderSize
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { bytes in
      let offset = WALLayout.offset(ofFrame: header.lastFrame, pageSize: header.pageSize)
      guard readLog(at: offset, into: bytes) else { return false }
      let frame = UnsafeRawBufferPointer(bytes)
      let checksum = UInt64(frame.bigEndian32(at: 16)) << 32 | UInt64(frame.bigEndian32(at: 20))
      return checksum == header.checksum
    }
  }

  /// How many of the frames 1…`last` end a commit, and whether one of them repeats the one before it.
  ///
  /// - Returns: `nil` when the WAL restarted meanwhile.
  /// - Complexity: O(frames), by reading 24 bytes of each.
  func commits(
    upTo last: UInt32, salts: UInt64, pageSize: Int
  ) -> (count: UInt32, hasPadding: Bool)? {
    let head = WALLayout.frameHeaderSize
    var count: UInt32 = 0
    var hasPadding = false
    var previous: (page: UInt32, frame: UInt32)?
    let isWhole = withUnsafeTemporaryAllocation(byteCount: head, alignment: 8) { bytes in
      for frame in 1...last {
        guard readLog(at: WALLayout.offset(ofFrame: frame, pageSize: pageSize), into: bytes)
        else { return false }
        let header = UnsafeRawBufferPointer(bytes)
        guard isFrame(header, of: salts) else { return false }
        guard header.bigEndian32(at: 4) != 0 else {
          previous = nil
          continue
        }
        count += 1
        let page = header.bigEndian32(at: 0)
        if let previous, previous.page == page,
          haveSameContent(previous.frame, frame, pageSize: pageSize)
        {
          hasPadding = true
        }
        previous = (page, frame)
      }
      return true
    }
    return isWhole ? (count, hasPadding) : nil
  }

  /// How many of these frames end a commit.
  ///
  /// - Returns: `nil` when the WAL restarted meanwhile.
  /// - Complexity: O(frames), by reading 24 bytes of each.
  func commitFrames(in frames: ClosedRange<UInt32>, salts: UInt64, pageSize: Int) -> Int? {
    commitEnds(in: frames, salts: salts, pageSize: pageSize)?.count
  }

  /// Those of these frames that end a commit, with the number of pages that the database has then.
  ///
  /// - Returns: `nil` when the WAL was reset meanwhile.
  /// - Complexity: O(frames), by reading 24 bytes of each.
  func commitEnds(
    in frames: ClosedRange<UInt32>, salts: UInt64, pageSize: Int
  ) -> [(frame: UInt32, pageCount: UInt32)]? {
    let head = WALLayout.frameHeaderSize
    return withUnsafeTemporaryAllocation(byteCount: head, alignment: 8) { bytes in
      var ends: [(frame: UInt32, pageCount: UInt32)] = []
      for frame in frames {
        guard readLog(at: WALLayout.offset(ofFrame: frame, pageSize: pageSize), into: bytes)
        else { return nil }
        let header = UnsafeRawBufferPointer(bytes)
        guard isFrame(header, of: salts) else { return nil }
        let pageCount = header.bigEndian32(at: 4)
        if pageCount != 0 { ends.append((frame, pageCount)) }
      }
      return ends
    }
  }

  private func haveSameContent(_ first: UInt32, _ second: UInt32, pageSize: Int) -> Bool {
    func content(_ frame: UInt32) -> [UInt8]? {
      let offset =
        WALLayout.offset(ofFrame: frame, pageSize: pageSize) + Int64(WALLayout.frameHeaderSize)
      var isRead = false
      let bytes = [UInt8](unsafeUninitializedCapacity: pageSize) { buffer, count in
        isRead = readLog(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        count = isRead ? pageSize : 0
      }
      return isRead ? bytes : nil
    }
    // A frame that can't be read proves no difference.
    guard let first = content(first), let second = content(second) else { return true }
    return first == second
  }
}
