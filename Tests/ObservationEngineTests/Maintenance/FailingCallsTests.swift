import TestSupport
import Testing

@testable import ObservationEngine

/// Queries that call what fails for some rows, as JSON functions do for text that isn't JSON.
struct FailingCallsTests {
  private static let schema = """
    CREATE TABLE event (id INTEGER PRIMARY KEY, kind TEXT, data TEXT, size INTEGER);
    CREATE INDEX by_kind ON event(kind, size);
    CREATE TABLE kind (name TEXT PRIMARY KEY, title TEXT)
    """

  /// A state that follows never hides that the whole query fails; and what SQLite returns it returns.
  @Test(arguments: [
    "SELECT id, data ->> 'n' FROM event ORDER BY id",
    "SELECT data ->> '$.user.name' AS user, count(*), sum(data ->> 'n') FROM event GROUP BY user ORDER BY 2 DESC",
    "SELECT kind, avg(json_extract(data, '$.n')), max(data -> 'n') FROM event GROUP BY kind",
    "SELECT count(*) FROM event WHERE data ->> 'n' > 2",
    "SELECT count(*), sum(abs(size)) FROM event WHERE kind = 'a' AND json_extract(data, '$.n') >= 1",
    "SELECT id, json_type(data, '$.n') FROM event WHERE kind <> 'b' AND (data ->> 'n') IS NOT NULL AND size > 0 ORDER BY size, id",
    "SELECT id FROM event WHERE json_array_length(data, '$.list') > 1 AND kind IN ('a', 'c') ORDER BY id DESC",
    "SELECT id, abs(size) FROM event ORDER BY abs(size), id",
    "SELECT id FROM event WHERE abs(size) > 1 AND size < 3 ORDER BY id",
    // The index has what its second term needs.
    "SELECT count(*), sum(length(data)) FROM event WHERE json_valid(data) AND abs(size) > 1 AND kind = 'a'",
    "SELECT k.title, count(*), max(e.data ->> 'n') FROM event e JOIN kind k ON k.name = e.kind GROUP BY k.title",
    "SELECT e.id, k.title, e.data ->> 'n' FROM event e LEFT JOIN kind k ON k.name = e.kind ORDER BY e.id",
    "SELECT DISTINCT json_type(data, '$.n') FROM event WHERE kind = 'a' ORDER BY 1",
    "SELECT id, data ->> 'n' FROM event WHERE size > (SELECT avg(size) FROM event) AND data ->> 'n' > 1 ORDER BY id",
    "SELECT data ->> 'n' FROM event WHERE kind = 'c' UNION ALL SELECT count(*) FROM kind",
    "SELECT kind, id, row_number() OVER (PARTITION BY kind ORDER BY id) FROM event WHERE data ->> 'n' > 1 ORDER BY 1, 2",
  ])
  func `what fails for a changed row doesn't go unnoticed`(_ sql: String) throws {
    let scene = try StateScene(sql, keepsOrder: true, Self.schema)
    let seed = Soak.seed
    var random = SeededRandom(seed: seed)
    var (followed, failed) = (0, 0)
    for step in 0..<600 {
      if try scene.change(Self.statement(&random)) { followed += 1 }
      let truth = try? scene.truth()
      if truth == nil { failed += 1 }
      guard let rows = scene.rows else { continue }
      #expect(rows == truth, "seed \(seed), step \(step)")
    }
    #expect(
      followed > 200 && failed > 20,
      "seed \(seed): followed \(followed), failed \(failed), \(scene.reason ?? "")")
  }

  @Test(arguments: [
    "SELECT printf('%05.2f of %s', size, kind) FROM event ORDER BY id",
    "SELECT replace(kind, 'a', hex(id)), quote(data), char(65 + id), degrees(id) FROM event ORDER BY id",
    "SELECT json_valid(data), count(*) FROM event GROUP BY 1",
    "SELECT count(*) FROM event WHERE CASE WHEN json_valid(data) THEN data ->> 'n' END = 1",
  ])
  func `what depends on its arguments alone, and doesn't fail, is kept up to date`(
    _ sql: String
  ) throws {
    let scene = try StateScene(sql, keepsOrder: false, Self.schema)
    let seed = Soak.seed
    var random = SeededRandom(seed: seed)
    for step in 0..<200 {
      #expect(try scene.change(Self.statement(&random)), "\(scene.reason ?? "")")
      #expect(try scene.rows == scene.truth(), "seed \(seed), step \(step)")
    }
  }

  private static func statement(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 0..<12, using: &random)
    let kind = ["a", "b", "c"].randomElement(using: &random)!
    // What fails is gone again soon.
    let isBad = random.onceIn(12)
    let number = ["0", "1", "2", "2.0", "3.5", "null", "\"2\"", "[1]"].randomElement(
      using: &random)!
    let data =
      isBad
      ? "{no JSON"
      : "{\"n\": \(number), \"user\": {\"name\": \"u\(id % 3)\"}, \"list\": [1, 2\(id % 2 == 0 ? "" : ", 3")]}"
    let size =
      random.onceIn(isBad ? 2 : 20)
      ? "-9223372036854775808" : "\(Int.random(in: -4...4, using: &random))"
    return switch Int.random(in: 0..<10, using: &random) {
    case 0...4: "INSERT OR REPLACE INTO event VALUES (\(id), '\(kind)', '\(data)', \(size))"
    case 5: "UPDATE event SET kind = '\(kind)' WHERE id % 3 = \(id % 3)"
    case 6: "DELETE FROM event WHERE NOT json_valid(data) OR size < -4"
    case 7: "DELETE FROM event WHERE id = \(id)"
    case 8: "INSERT OR REPLACE INTO kind VALUES ('\(kind)', 'kind \(id % 2)')"
    default: "UPDATE event SET size = \(size) WHERE id = \(id)"
    }
  }
}
