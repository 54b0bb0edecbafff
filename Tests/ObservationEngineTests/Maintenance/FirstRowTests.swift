import TestSupport
import Testing

@testable import ObservationEngine

/// SELECTs as values in expressions that are the first of several rows, as the newest of each group.
@Suite
struct FirstRowTests {
  private static let schema = """
    CREATE TABLE sensor (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE reading (id INTEGER PRIMARY KEY, sensor INTEGER, state TEXT, time TEXT);
    CREATE TABLE note (sensor INTEGER, at INTEGER, text TEXT COLLATE NOCASE, PRIMARY KEY (sensor, at)) WITHOUT ROWID;
    CREATE INDEX by_sensor ON reading (sensor, time);
    INSERT INTO sensor VALUES (1, 'door'), (2, 'hall'), (3, 'roof');
    INSERT INTO reading VALUES (1, 1, 'on', '08:00'), (2, 1, 'off', '09:00'), (3, 2, 'on', '08:30'), (4, 1, 'idle', '09:00');
    INSERT INTO note VALUES (1, 10, 'new'), (1, 20, 'old'), (3, 5, 'wet');
    """

  private static func statement(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 1...14, using: &random)
    let sensor = Int.random(in: 1...5, using: &random)
    let state = ["'on'", "'off'", "'idle'", "NULL"].randomElement(using: &random)!
    let time = "'0\(Int.random(in: 1...5, using: &random)):00'"
    return switch Int.random(in: 0..<10, using: &random) {
    case 0...2: "INSERT OR REPLACE INTO reading VALUES (\(id), \(sensor), \(state), \(time))"
    case 3: "DELETE FROM reading WHERE id = \(id)"
    case 4: "UPDATE reading SET time = \(time), state = \(state) WHERE id = \(id)"
    case 5: "UPDATE reading SET sensor = \(sensor) WHERE id = \(id)"
    case 6: "INSERT OR REPLACE INTO note VALUES (\(sensor), \(id), 'n' || \(id % 3))"
    case 7: "DELETE FROM note WHERE sensor = \(sensor) AND at < \(id)"
    case 8: "INSERT OR REPLACE INTO sensor VALUES (\(sensor), 's\(id % 4)')"
    default: "UPDATE reading SET id = -id WHERE id = \(id); DELETE FROM sensor WHERE id = \(sensor)"
    }
  }

  @Test func `the newest row comes and goes, and is followed`() throws {
    let scene = try StateScene(
      """
      SELECT name, (SELECT state FROM reading WHERE sensor = s.id ORDER BY time DESC, id DESC LIMIT 1)
      FROM sensor AS s ORDER BY s.id
      """, [], Self.schema)
    for (statement, state) in [
      ("INSERT INTO reading VALUES (9, 1, 'open', '10:00')", "open"),
      ("UPDATE reading SET time = '07:00' WHERE id = 9", "idle"),
      ("DELETE FROM reading WHERE id = 4", "off"),
      ("UPDATE reading SET sensor = 3 WHERE id = 2", "on"),
    ] {
      try scene.expectToFollow(statement)
      #expect(scene.rows?[0] == ["door", .text(state)], "\(statement)")
    }
  }

  @Test(arguments: [
    "SELECT id, (SELECT state FROM reading WHERE sensor = s.id ORDER BY time DESC, id LIMIT 1) AS last FROM sensor AS s ORDER BY id",
    // The one before.
    "SELECT name, (SELECT time || state FROM reading AS r WHERE r.sensor = s.id ORDER BY r.id DESC LIMIT 1 OFFSET 1) FROM sensor AS s ORDER BY name, id",
    "SELECT id, (SELECT id FROM reading WHERE sensor = s.id ORDER BY state, reading.rowid) FROM sensor AS s ORDER BY id DESC LIMIT 2",
    "SELECT id FROM sensor WHERE coalesce((SELECT state FROM reading WHERE sensor = sensor.id ORDER BY reading.id DESC LIMIT 1), 'on') = 'on' ORDER BY id",
    "SELECT (SELECT state FROM reading WHERE sensor = s.id ORDER BY time, id DESC LIMIT 1) AS last, count(*) FROM sensor AS s GROUP BY last ORDER BY last",
    "SELECT sum(length((SELECT state FROM reading WHERE sensor = s.id ORDER BY id LIMIT 1))) FROM sensor AS s",
    // A key of two columns, of which one is that of the row around it.
    "SELECT id, (SELECT text FROM note WHERE note.sensor = s.id ORDER BY at DESC LIMIT 1) FROM sensor AS s ORDER BY id",
    "SELECT id, (SELECT text FROM note WHERE s.id = sensor ORDER BY text, at LIMIT 1) FROM sensor AS s ORDER BY id",
    "SELECT id, (SELECT state || text FROM reading AS r JOIN note AS n ON n.sensor = r.sensor WHERE r.sensor = s.id ORDER BY n.sensor, n.at, r.id LIMIT 1) FROM sensor AS s ORDER BY id",
    "SELECT s.name, r.time, (SELECT text FROM note WHERE sensor = r.sensor ORDER BY at LIMIT 1) FROM sensor AS s LEFT JOIN reading AS r ON r.sensor = s.id ORDER BY s.id, r.id",
    // However many rows LIMIT leaves.
    "SELECT id FROM sensor AS s WHERE EXISTS (SELECT 1 FROM reading WHERE sensor = s.id AND state = 'on' LIMIT 1) ORDER BY id",
    "SELECT count(*) FROM sensor AS s WHERE NOT EXISTS (SELECT * FROM note WHERE sensor = s.id LIMIT 5)",
    "SELECT id, (SELECT count(*) FROM reading WHERE sensor = s.id LIMIT 1) FROM sensor AS s ORDER BY id",
  ])
  func `it follows random changes`(_ sql: String) throws {
    let scene = try StateScene(sql, [], Self.schema)
    try scene.expectTruth(steps: 150, atLeast: 120, changing: Self.statement)
  }

  @Test(arguments: [
    "ORDER BY time DESC LIMIT 1", "ORDER BY -id LIMIT 1", "LIMIT 1",
    // The alias goes before the column.
    "ORDER BY label LIMIT 1", "ORDER BY 1",
  ])
  func `which row is the first must be certain`(_ end: String) {
    let refusal = #expect(throws: NotMaintainable.self) {
      try StateScene(
        "SELECT (SELECT state AS label FROM reading WHERE sensor = s.id \(end)) FROM sensor AS s ORDER BY id",
        [], Self.schema)
    }
    #expect(
      refusal?.reason
        == "a SELECT as a value whose first row isn't certain: end its ORDER BY with the key")
  }

  @Test(arguments: [
    "SELECT id, (SELECT state FROM reading WHERE sensor = s.id ORDER BY id COLLATE NOCASE LIMIT 1) FROM sensor AS s ORDER BY id",
    "SELECT id, (SELECT text FROM note WHERE sensor = s.name ORDER BY at LIMIT 1) FROM sensor AS s ORDER BY id",
    "SELECT id, (SELECT text FROM note WHERE sensor > s.id ORDER BY at LIMIT 1) FROM sensor AS s ORDER BY id",
    "SELECT id, (SELECT text FROM note WHERE sensor = s.id OR at = 1 ORDER BY at LIMIT 1) FROM sensor AS s ORDER BY id",
    "SELECT id, (SELECT DISTINCT state FROM reading WHERE sensor = s.id ORDER BY id LIMIT 1) FROM sensor AS s ORDER BY id",
    "SELECT id FROM sensor AS s WHERE EXISTS (SELECT 1 FROM reading WHERE sensor = s.id LIMIT 0) ORDER BY id",
    "SELECT id FROM sensor AS s WHERE EXISTS (SELECT 1 FROM reading WHERE sensor = s.id LIMIT 1 OFFSET 1) ORDER BY id",
    "SELECT id FROM sensor AS s WHERE id IN (SELECT sensor FROM reading WHERE id > s.id ORDER BY id LIMIT 1) ORDER BY id",
  ])
  func `anything else is refused`(_ sql: String) {
    #expect(throws: NotMaintainable.self) { try StateScene(sql, [], Self.schema) }
  }
}
