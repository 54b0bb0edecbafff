import Testing

@testable import ObservationEngine

/// What is concluded from the files beside a database.
struct WALFilesTests {
  private static func inode(_ number: UInt64) -> DatabaseFile.Identity {
    DatabaseFile.Identity(device: 1, inode: number)
  }

  private let open = WALFiles(log: inode(1), index: inode(2))

  @Test
  func `the same files are present`() {
    #expect(open.fate(open) == .present)
  }

  @Test
  func `a file that is gone is missing`() {
    #expect(open.fate(WALFiles(log: nil, index: Self.inode(2))) == .missing)
    #expect(open.fate(WALFiles(log: Self.inode(1), index: nil)) == .missing)
    #expect(open.fate(WALFiles()) == .missing)
  }

  @Test
  func `another file in the place of one is a replacement, whatever became of the other`() {
    for index in [Self.inode(2), Self.inode(3), nil] {
      #expect(open.fate(WALFiles(log: Self.inode(4), index: index)) == .replaced)
    }
    #expect(open.fate(WALFiles(log: nil, index: Self.inode(3))) == .replaced)
  }

  @Test
  func `what is open under no name is lost, whatever stands at the path`() {
    let none = WALFiles()
    #expect(none.fate(none) == .missing)
    #expect(none.fate(open) == .replaced)
    #expect(WALFiles(log: Self.inode(1)).fate(open) == .replaced)
    #expect(WALFiles(log: Self.inode(1)).fate(WALFiles(log: Self.inode(1))) == .missing)
  }

  @Test
  func `a write is unexplained when no frame was copied since before the last drain but one`() {
    var notes = CheckpointNotes()
    for _ in 1...2 {
      notes.add(CheckpointProgress(salts: 1, frames: 5))
      #expect(!notes.areAllEqual, "too little is known")
    }
    notes.add(CheckpointProgress(salts: 1, frames: 5))
    #expect(notes.areAllEqual)
    #expect(!notes.isSettling)
    // Copied before the second note, seen by the third drain.
    notes.add(CheckpointProgress(salts: 1, frames: 9))
    #expect(!notes.areAllEqual && notes.isSettling)
    notes.add(CheckpointProgress(salts: 1, frames: 9))
    #expect(!notes.areAllEqual && notes.isSettling)
    notes.add(CheckpointProgress(salts: 1, frames: 9))
    #expect(notes.areAllEqual && !notes.isSettling)
    // Another log.
    notes.add(CheckpointProgress(salts: 2, frames: 9))
    #expect(!notes.areAllEqual)
  }

  @Test
  func `a file says how long it is unless what it says is outdated`() {
    func header(pageSize: [UInt8], pages: UInt8, validFor: UInt8) -> FileHeader {
      var bytes = [UInt8](repeating: 0, count: 100)
      bytes.replaceSubrange(16..<18, with: pageSize)
      bytes[27] = 7
      bytes[31] = pages
      bytes[95] = validFor
      return FileHeader(bytes: bytes)
    }
    #expect(header(pageSize: [0x10, 0], pages: 3, validFor: 7).byteCount == 12_288)
    #expect(header(pageSize: [0, 1], pages: 2, validFor: 7).byteCount == 131_072)
    #expect(header(pageSize: [0x10, 0], pages: 3, validFor: 6).byteCount == nil)
  }
}
