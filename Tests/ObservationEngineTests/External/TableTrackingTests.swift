import TestSupport
import Testing

@testable import ObservationEngine

/// What is told of commits around the making of the map.
struct TableTrackingTests {
  private let db: TemporaryDatabase
  private let connection: Connection
  private var tracking: TableTracking

  init() async throws {
    db = try await TemporaryDatabase(.wal)
    try await db.write(script: "CREATE TABLE prize(name TEXT)")
    var options = Connection.Options()
    options.isReader = true
    connection = try Connection(path: db.path, options: options)
    connection.usesWAL = true
    tracking = TableTracking(TableTracker(connection: connection))
  }

  private func position() throws -> CommitWatch.Position {
    guard case .position(let position) = FileProbe.read(connection) else {
      throw Unexpected("there is no position")
    }
    return position
  }

  private func commit() async throws -> CommitWatch.Position {
    try await db.write(script: "INSERT INTO prize VALUES ('cup')")
    return try position()
  }

  private mutating func told(
    to position: CommitWatch.Position
  ) throws -> TableTracking.Change {
    guard let change = tracking.changed(to: position) else { throw Unexpected("nothing is told") }
    return change
  }

  @Test mutating func `what was committed after the last look, before the map, may be anything`()
    async throws
  {
    let last = try position()
    let next = try await commit()
    let notice = tracking.work(SystemClock.monotonic(), position: last)
    #expect(notice == nil)
    let change = try told(to: next)
    #expect(
      change.changeset.allReason == "it was committed while the tables' pages were looked for")
    let later = try told(to: try await commit())
    #expect(later.changeset.tableNames == ["prize"])
    #expect(later.changeset.allReason == nil)
  }

  @Test mutating func `a map as of the last look tells the next commit`() async throws {
    #expect(tracking.timeToWork(SystemClock.monotonic()) == 0)
    _ = tracking.work(SystemClock.monotonic(), position: try position())
    #expect(tracking.timeToWork(SystemClock.monotonic()) == .max)
    let change = try told(to: try await commit())
    #expect(change.changeset.tableNames == ["prize"])
  }

  @Test mutating func `without a map a commit may be anything`() async throws {
    let change = try told(to: try await commit())
    #expect(change.changeset.allReason != nil)
    #expect(change.evidence == nil)
  }

  @Test mutating func `after a change of the schema the map is made again`() async throws {
    _ = tracking.work(SystemClock.monotonic(), position: try position())
    try await db.write(script: "CREATE TABLE more(name TEXT)")
    let change = try told(to: try position())
    #expect(change.kind == .schema)
    #expect(change.evidence == .pages)
    let now = SystemClock.monotonic()
    #expect(tracking.timeToWork(now) < .max)
    // At most a twentieth of the time is spent on it; by then it is due.
    _ = tracking.work(now + 600_000_000_000, position: try position())
    let next = try told(to: try await commit())
    #expect(next.changeset.tableNames == ["prize"])
  }
}
