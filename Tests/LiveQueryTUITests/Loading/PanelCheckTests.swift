import Dashboard
import ObservationEngine
import TestSupport
import Testing

@testable import LiveQueryTUI

@Suite struct PanelCheckTests {
  private func findings(
    _ sql: String, key: [String] = [], parameters: [String: Value] = [:]
  ) async throws -> [PanelCheck.Finding] {
    let temporary = try await TemporaryDatabase()
    return PanelCheck(database: temporary.database, parameters: parameters)
      .findings([
        PanelDefinition(name: "a", sql: "SELECT 1"), PanelDefinition(name: "b", sql: sql, key: key),
      ])
  }

  @Test(
    arguments: [
      ("SELECT * FROM playr", .present, 15, "no such table: playr, did you mean \"player\"?"),
      ("SELECT * FROM main.zzz", .present, 15, "no such table: main.zzz"),
      (
        "SELECT xplayer, * FROM\nplayers", .present, 1,
        "no such table: players, did you mean \"player\"?"
      ),
      ("SELECT nme FROM player", .present, 8, "no such column: nme"),
      ("SELECT 1 +", .present, 1, "incomplete input"),
      ("SELECT :limit", .definite, 8, "the parameter limit has no value; give --param limit=VALUE"),
      (
        "SELECT $limits, @limit", .definite, 8,
        "the parameter limits has no value; give --param limits=VALUE"
      ),
      ("SELECT 1, ?", .definite, 11, "the parameter ? has no value; name it, as in :limit"),
      ("DROP TABLE player", .definite, 1, "this statement writes; only queries are allowed here"),
      ("BEGIN", .definite, 1, "a query that only reads cannot open or end a transaction"),
      (
        "PRAGMA journal_mode = wal", .definite, 1,
        "PRAGMA journal_mode is not allowed in a query that only reads"
      ),
    ] as [(String, PanelCheck.Severity, Int, String)])
  func `a finding has a severity, a place and a message`(
    _ sql: String, _ severity: PanelCheck.Severity, _ column: Int, _ message: String
  ) async throws {
    let findings = try await findings(sql)
    #expect(findings.count == 1)
    let finding = try #require(findings.first)
    #expect(finding.panel == 1)
    #expect(finding.severity == severity)
    #expect(finding.diagnostic.message == message)
    #expect(finding.diagnostic.column == column)
  }

  @Test func `a parameter with a value is no finding`() async throws {
    #expect(try await findings("SELECT :a, @b, $c", parameters: ["a": 1, "b": 2, "c": 3]).isEmpty)
  }

  @Test func `a key that is no column of the result is a definite finding`() async throws {
    let finding = try #require(try await findings("SELECT name FROM player", key: ["nam"]).first)
    #expect(finding.severity == .definite)
    #expect(finding.diagnostic.message.contains("did you mean \"name\"?"))
    #expect(try await findings("SELECT name FROM player", key: ["name"]).isEmpty)
  }

  @Test func `nothing is run`() async throws {
    let endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    #expect(try await findings(endless).isEmpty)
  }

  @Test(
    arguments: [(5, 3), (14, 3), (26, 3), (10, 3), (1, 1), (11, 1), (8, 1)] as [(Int32, Int32)])
  func `an error of the file has another status than one of the query`(
    _ code: Int32, _ status: Int32
  ) {
    let error = DatabaseError(code: DatabaseError.Code(rawValue: code | 0x100), message: "")
    #expect(error.exitStatus == status)
  }

  @Test func `a failure to open names the file once`() {
    let plain = DatabaseError(code: .notADatabase, message: "no database")
    #expect(Failure(opening: "a.db", plain) == Failure("a.db: no database", status: 3))
    let named = DatabaseError(code: .cannotOpen, message: "a.db is a directory")
    #expect(Failure(opening: "a.db", named) == Failure("a.db is a directory", status: 3))
  }
}
