import ObservationEngine
import TestSupport
import Testing

/// Commits that other connections make, here or elsewhere.
@Suite(.fewAtOnce)
struct NoticedConnectionTests {
  private static let count = "SELECT count(*) FROM player"

  @Test(arguments: StorageKind.files)
  func `commits of other processes`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(kind, TemporaryDatabase.players, Self.count)
    let other = try await ExternalProcess.serve(query.db.path)
    for _ in 1...3 {
      try await query.notices { _ in try await other.send("INSERT INTO player DEFAULT VALUES") }
      // Own commits between them are noticed as ever.
      try await query.notices("INSERT INTO player DEFAULT VALUES")
    }
  }

  @Test(arguments: StorageKind.files)
  func `commits of other connections of this process`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(kind, TemporaryDatabase.players, Self.count)
    let other = try Database(path: query.db.path)
    defer { other.close() }
    for _ in 1...3 {
      try await query.notices { _ in
        _ = try await other.write { try $0.execute("INSERT INTO player DEFAULT VALUES") }
      }
    }
  }

  @Test(arguments: StorageKind.files)
  func `commits to a database that is opened for reading`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.isReadOnly = true
    let database = try Database(path: db.path, configuration: configuration)
    defer { database.close() }
    let recorder = database.record(integer: Self.count)
    try await recorder.expect(0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await recorder.expect(1)
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("INSERT INTO player DEFAULT VALUES")
    try await recorder.expect(2)
  }
}
