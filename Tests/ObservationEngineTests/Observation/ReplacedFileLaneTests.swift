import TestSupport
import Testing

@testable import ObservationEngine

/// A job that begins while the file is replaced.
struct ReplacedFileLaneTests {
  @Test(arguments: StorageKind.files)
  func `a connection from before the file was replaced fetches nothing`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let (database, coordinator) = (db.database, db.database.coordinator)
    let queue = try #require(database.readers).makeQueue(label: "test")
    defer { queue.shutDown() }
    let names = Query.scalar("SELECT group_concat(name) FROM player", as: String.self)
    var bench = Bench()
    bench.fetch = ObservedFetch({ try $0.fetch(names) }, areEqual: { $0 == $1 })
    _ = bench.add(1)
    #expect(bench.machine.startLanes() == [.quick])
    let job = try bench.job(.quick)
    func outcome(
      _ before: @escaping @Sendable () -> Void = {}
    ) async throws -> ObservationStateMachine.Outcome {
      try await queue.perform { connection in
        // The lane has its connection, and takes the job only now.
        before()
        return try #require(coordinator.fetch(job, connection, limit: nil).first)
      }
    }
    #expect(try await outcome().cancellation == nil)
    #expect(try await outcome { database.generations.advance() }.cancellation == .postponed)
    #expect(try await outcome().cancellation == nil, "the next job has a new connection")
  }
}
