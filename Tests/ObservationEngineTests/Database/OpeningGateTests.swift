import Synchronization
import TestSupport
import Testing

@testable import ObservationEngine

/// Who keeps connections of this process out, and how long.
struct OpeningGateTests {
  private let gate = OpeningGate()
  private let file = DatabaseFile.Identity(device: 1, inode: 2)
  private let one = Owner()
  private let other = Owner()

  private final class Owner: Sendable {
    var id: ObjectIdentifier { ObjectIdentifier(self) }

    func bar(_ purpose: OpeningGate.Purpose) -> OpeningGate.Bar {
      OpeningGate.Bar(owner: id, purpose: purpose, reason: "because")
    }
  }

  private var isOpen: Bool { gate.pass([file]) {} == nil }

  @Test func `each takes away its own bar alone`() {
    gate.shut(file, one.bar(.emptying))
    gate.shut(file, other.bar(.keepingOut))
    gate.admit(to: file, by: one.id)
    #expect(!isOpen)
    gate.admit(to: file, by: other.id)
    #expect(isOpen)
  }

  @Test func `who shuts for another purpose has one bar still`() {
    gate.shut(file, one.bar(.keepingOut))
    gate.shut(file, one.bar(.emptying))
    gate.admit(to: file, by: one.id)
    #expect(isOpen)
  }

  @Test func `nobody rests while another shuts`() {
    gate.shut(file, one.bar(.keepingOut))
    #expect(!gate.shutIfOpen(file, other.bar(.resting)))
    gate.admit(to: file, by: other.id)
    #expect(!isOpen)
    gate.admit(to: file, by: one.id)
    #expect(gate.shutIfOpen(file, other.bar(.resting)))
    #expect(!isOpen)
  }

  @Test func `the moment without a connection is one for all who wait for it`() {
    gate.shut(file, one.bar(.emptying))
    gate.shut(file, other.bar(.emptying))
    #expect(!gate.isEmptied(file, by: one.id) { 1 })
    #expect(gate.isEmptied(file, by: one.id) { 0 })
    #expect(isOpen)
    // The first has opened it again by now.
    #expect(gate.isEmptied(file, by: other.id) { 1 })
  }

  @Test func `that moment lifts no bar of another purpose`() {
    gate.shut(file, one.bar(.emptying))
    gate.shut(file, other.bar(.keepingOut))
    #expect(gate.isEmptied(file, by: one.id) { 0 })
    #expect(!isOpen)
  }

  @Test func `the others are told to close`() {
    #expect(gate.reasonToClose(file, besides: other.id) == nil)
    gate.shut(file, one.bar(.keepingOut))
    #expect(gate.reasonToClose(file, besides: other.id) == nil)
    gate.shut(file, one.bar(.emptying))
    #expect(gate.reasonToClose(file, besides: one.id) == nil)
    #expect(gate.reasonToClose(file, besides: other.id) == "because")
  }

  @Test func `one of several files is enough to be kept out`() {
    gate.shut(file, one.bar(.resting))
    let entered = Mutex(0)
    let files: Set = [file, DatabaseFile.Identity(device: 1, inode: 3)]
    #expect(gate.pass(files) { entered.withLock { $0 += 1 } }?.purpose == .resting)
    #expect(entered.withLock { $0 } == 0)
  }

  @Test func `a connection without patience waits for one that rests`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let file = try #require(DatabaseFile.identity(of: db.path))
    let gate = DescriptorRegistry.shared.gate
    gate.shut(file, one.bar(.resting))
    let opening = Task { [path = db.path] in
      try Database(path: path, configuration: Self.impatient).close()
    }
    // No synchronisation: most of the time it waits by then.
    try await Task.sleep(for: .milliseconds(20))
    gate.admit(to: file, by: one.id)
    try await opening.value
  }

  @Test func `a connection without patience is refused where other programs are in the way`()
    async throws
  {
    let db = try await TemporaryDatabase(.wal)
    let file = try #require(DatabaseFile.identity(of: db.path))
    let gate = DescriptorRegistry.shared.gate
    gate.shut(file, one.bar(.keepingOut))
    defer { gate.admit(to: file, by: one.id) }
    #expect(throws: DatabaseError.self) {
      try Database(path: db.path, configuration: Self.impatient)
    }
  }

  private static var impatient: Configuration {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.busyTimeout = .milliseconds(0)
    return configuration
  }
}
