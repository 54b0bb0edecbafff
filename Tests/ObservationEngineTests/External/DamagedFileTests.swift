import ObservationEngine
import TestSupport
import Testing

/// Observing a database of which a part cannot be read.
@Suite(.fewAtOnce)
struct DamagedFileTests {
  /// A database with the table `deep`, whose root page is overwritten, and a sound one, `fine`.
  private static func damaged() throws -> BrokenDatabase {
    var file = try BrokenDatabase()
    let root = file.offset(try file.root(of: "deep"))
    for place in root..<root + 100 { file.bytes[place] = 0x99 }
    try file.write()
    return file
  }

  @Test func `it is said once that tables cannot be told, and panels go on`() async throws {
    let file = try Self.damaged()
    let database = try Database(path: file.path, configuration: TemporaryDatabase.alwaysOpen)
    defer { database.close() }
    let notices = Journal<String>()
    let follower = EventFollower(database) { event, _ in
      if case .notice(let text, _) = event, text.contains("be determined") { notices.append(text) }
    }
    defer { withExtendedLifetime(follower) {} }
    let log = CommitLog(database)
    let group = database.panels([
      .rows("SELECT count(*) FROM fine"), .rows("SELECT count(*) FROM deep"),
    ])
    let first = try #require(await group.next())
    #expect(try first.results[0]?.get().rows == [[1]])
    let notice = try #require(await notices.entry(at: 0))
    #expect(notice.contains("every panel is refreshed: page "))
    let other = try await ExternalProcess.serve(file.path)
    for number in 2...6 {
      try await other.send("INSERT INTO fine(name) VALUES ('bob')")
      guard case .all(let reason) = try await log.nextCommit().tables else {
        throw Unexpected("tables are told")
      }
      #expect(!reason.isEmpty)
      var rows: [[Value]]?
      while rows != [[.integer(Int64(number))]] {
        let refresh = try #require(await group.next())
        if let result = refresh.results[0] { rows = try result.get().rows }
      }
    }
    #expect(notices.entries.count == 1)
  }

  @Test func `damaged pages are the error of the panel that reads them`() async throws {
    let file = try Self.damaged()
    let database = try Database(path: file.path, configuration: TemporaryDatabase.alwaysOpen)
    defer { database.close() }
    let group = database.panels([
      .rows("SELECT count(*) FROM fine"), .rows("SELECT count(body) FROM deep NOT INDEXED"),
    ])
    let refresh = try #require(await group.next())
    #expect(try refresh.results[0]?.get().rows == [[1]])
    #expect(refresh.error(1)?.code.primary == .corrupt)
  }
}
