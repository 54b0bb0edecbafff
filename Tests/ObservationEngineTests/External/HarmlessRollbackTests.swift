import ObservationEngine
import TestSupport
import Testing

/// A writer with a rollback journal that waits for nobody, beside an observed dashboard.
@Suite(.fewAtOnce)
struct HarmlessRollbackTests {
  @Test
  func `a writer that pauses between commits is hardly ever refused`() async throws {
    // On a quiet machine it is one to ten in four hundred.
    try await expectFew("--count", "400", "--pause", "5") { $0.refusals * 8 <= $0.commits }
  }

  @Test
  func `a writer that never pauses is hardly ever refused`() async throws {
    // On a quiet machine it never is; if refreshes began at any time, it would be one in 300.
    try await expectFew("--seconds", "3") { $0.refusals <= max(2, $0.commits / 500) }
  }

  /// A machine that is busy for a moment stops the writer within a transaction, and a refresh while it reads, for as long as
  /// either waits for the other. So one flood of several may suffice.
  private func expectFew(_ options: String..., suffices: (Flood) -> Bool) async throws {
    var floods: [Flood] = []
    repeat {
      floods.append(try await flood(options))
    } while !suffices(floods.last!) && floods.count < 6
    #expect(suffices(floods.last!), "\(floods)")
  }

  private struct Flood {
    let commits: Int
    let refusals: Int
    let milliseconds: Int
  }

  /// Has another process commit beside eight panels.
  private func flood(_ options: [String]) async throws -> Flood {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.minimumRefreshInterval = .milliseconds(16)
    let db = try await TemporaryDatabase(.rollbackJournal, configuration: configuration)
    try await db.write(
      script: """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO player (name, score) SELECT 'player' || i, i * 7919 % 100003 FROM n
        """)
    let group = db.database.panels(
      (1...8).map { .rows("SELECT count(*), max(score), \(raw: "\($0)") FROM player") })
    while try #require(await group.next()).results.isEmpty {}
    let refreshes = Task { while await group.next() != nil {} }
    let writer = try ExternalProcess(
      ["flood", db.path, "--sync", "OFF", "--busy", "0", "--count-busy"] + options
        + ["--sql", "INSERT INTO player (name) VALUES ('ada')"])
    // "20 commits in 1000 ms: 20 commits/s, 0 busy"
    let words = try await writer.line().split(separator: " ")
    db.database.shutDown()
    await refreshes.value
    return Flood(
      commits: try #require(Int(words[0])), refusals: try #require(Int(words[7])),
      milliseconds: try #require(Int(words[3])))
  }
}
