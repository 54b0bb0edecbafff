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
    var bench = SchedulerBench()
    bench.fetch = ObservedFetch({ try $0.fetch(names) }, areEqual: { $0 == $1 })
    _ = bench.add(1)
    #expect(bench.calls() == [.quick])
    let job = try bench.job(.quick)
    func fetched(_ before: @escaping @Sendable () -> Void = {}) async throws -> Int {
      try await queue.perform { connection in
        // The lane has its connection, and takes the job only now.
        before()
        return try coordinator.runner.read(job, connection).outcomes.count
      }
    }
    #expect(try await fetched() == 1)
    #expect(try await fetched { database.epoch.advance() } == 0)
    #expect(try await fetched() == 1, "the next job has a new connection")
  }
}
