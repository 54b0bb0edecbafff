import Synchronization
import TestSupport
import Testing

@testable import ObservationEngine

/// What keeps connections of this process from being opened, and how long.
struct ProcessFileTests {
  /// No such files exist; each test has its own.
  private let file = ProcessFileTests.anyFile()
  private let one = Owner()
  private let other = Owner()

  private final class Owner: Sendable {
    var id: ObjectIdentifier { ObjectIdentifier(self) }

    func hold(_ purpose: ProcessFile.Purpose) -> ProcessFile.OpenHold {
      ProcessFile.OpenHold(owner: id, purpose: purpose, reason: "because")
    }
  }

  private static func anyFile() -> ProcessFile {
    ProcessFile(FileIdentity(device: .max, inode: .random(in: 0 ... .max)))
  }

  /// Counts a connection to each of the files, if none is held, and takes it away again.
  private func refusal(_ files: ProcessFile...) -> ProcessFile.Purpose? {
    let paths = Dictionary(uniqueKeysWithValues: files.map { ($0.identity, "/none") })
    if let hold = ProcessFile.connectionWillOpen(paths) { return hold.purpose }
    for file in files { file.connectionDidClose() }
    return nil
  }

  @Test func `each releases its own hold alone`() {
    file.hold(one.hold(.emptying))
    file.hold(other.hold(.keepingOut))
    file.release(one.id)
    #expect(refusal(file) == .keepingOut)
    file.release(other.id)
    #expect(refusal(file) == nil)
  }

  @Test func `an owner that holds for another purpose has one hold still`() {
    file.hold(one.hold(.keepingOut))
    file.hold(one.hold(.emptying))
    #expect(refusal(file) == .emptying)
    file.release(one.id)
    #expect(refusal(file) == nil)
  }

  @Test func `a file that is held is not held for a rest`() {
    file.hold(one.hold(.keepingOut))
    #expect(!file.holdIfFree(other.hold(.resting)))
    file.release(other.id)
    #expect(refusal(file) == .keepingOut)
    file.release(one.id)
    #expect(file.holdIfFree(other.hold(.resting)))
    #expect(refusal(file) == .resting)
    file.release(other.id)
  }

  @Test func `the moment without a connection is one for all who wait for it`() {
    file.connectionDidOpen(at: "/none")
    file.hold(one.hold(.emptying))
    file.hold(other.hold(.emptying))
    #expect(!file.isEmptied(by: one.id))
    file.connectionDidClose()
    #expect(file.isEmptied(by: one.id))
    #expect(refusal(file) == nil)
    // The first has opened it again by now.
    file.connectionDidOpen(at: "/none")
    #expect(file.isEmptied(by: other.id))
    file.connectionDidClose()
  }

  @Test func `that moment ends no hold of another purpose`() {
    file.hold(one.hold(.emptying))
    file.hold(other.hold(.keepingOut))
    #expect(file.isEmptied(by: one.id))
    #expect(refusal(file) == .keepingOut)
    file.release(other.id)
  }

  @Test func `the others are asked to close`() {
    #expect(file.reasonToClose(besides: other.id) == nil)
    file.hold(one.hold(.keepingOut))
    #expect(file.reasonToClose(besides: other.id) == nil)
    file.hold(one.hold(.emptying))
    #expect(file.reasonToClose(besides: one.id) == nil)
    #expect(file.reasonToClose(besides: other.id) == "because")
    file.release(one.id)
  }

  @Test func `one held file of several is enough, and no connection is counted then`() {
    let second = Self.anyFile()
    file.hold(one.hold(.resting))
    #expect(refusal(second, file) == .resting)
    #expect(second.connections == 0)
    file.release(one.id)
    #expect(refusal(second, file) == nil)
  }

  @Test func `what is known of the content ends with the last connection`() {
    file.connectionDidOpen(at: "/none")
    file.connectionDidOpen(at: "/none")
    file.noteOverwritten()
    file.watchDidOpen()
    #expect(!file.hasOnlyWatches)
    file.connectionDidClose()
    #expect(file.hasOnlyWatches && file.isOverwritten)
    file.watchWillClose()
    file.connectionDidClose()
    #expect(file.connections == 0 && file.hasOnlyWatches && !file.isOverwritten)
  }

  @Test func `a connection without patience waits for one that rests`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let file = ProcessFile(try #require(DatabaseFile.identity(of: db.path)))
    file.hold(one.hold(.resting))
    let isOpen = Flag()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [path = db.path] in
        let database = try Database(path: path, configuration: Self.impatient)
        isOpen.value.withLock { $0 = true }
        database.close()
      }
      // As long as it takes to open and close other databases it has not come further.
      for _ in 1...3 { _ = try await TemporaryDatabase(.wal) }
      #expect(!isOpen.value.withLock { $0 })
      file.release(one.id)
      try await group.waitForAll()
    }
    #expect(isOpen.value.withLock { $0 })
  }

  @Test func `a connection without patience is refused where other programs are in the way`()
    async throws
  {
    let db = try await TemporaryDatabase(.wal)
    let file = ProcessFile(try #require(DatabaseFile.identity(of: db.path)))
    file.hold(one.hold(.keepingOut))
    defer { file.release(one.id) }
    #expect(throws: DatabaseError.self) {
      try Database(path: db.path, configuration: Self.impatient)
    }
  }

  private final class Flag: Sendable {
    let value = Mutex(false)
  }

  private static var impatient: Configuration {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.busyTimeout = .zero
    return configuration
  }
}
