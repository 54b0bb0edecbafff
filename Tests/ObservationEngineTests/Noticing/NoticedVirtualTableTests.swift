import ObservationEngine
import TestSupport
import Testing

/// Virtual tables, of whose rows no hook tells.
@Suite(.fewAtOnce)
struct NoticedVirtualTableTests {
  private static let notes = """
    CREATE VIRTUAL TABLE note USING fts5(title, body);
    INSERT INTO note VALUES ('one', 'the tower'), ('two', 'the bridge')
    """
  private static let boxes = """
    CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1, +label);
    INSERT INTO box VALUES (1, 0, 1, 0, 1, 'a'), (2, 5, 6, 5, 6, 'b')
    """

  @Test(arguments: StorageKind.allCases)
  func `FTS5 rows that come, change and go`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind, Self.notes, "SELECT group_concat(title) FROM note WHERE note MATCH 'tower'")
    try await query.notices("INSERT INTO note VALUES ('three', 'another tower')")
    try await query.notices("UPDATE note SET body = 'tower' WHERE title = 'two'")
    try await query.notices("DELETE FROM note WHERE title = 'one'")
    try await query.notices("DELETE FROM note")
  }

  @Test(arguments: StorageKind.allCases)
  func `an FTS5 UPDATE, when only the rowid or the number of rows is selected`(
    _ kind: StorageKind
  ) async throws {
    let rowid = try await ObservedQuery(
      kind, Self.notes, "SELECT rowid FROM note WHERE note MATCH 'tower'")
    try await rowid.notices("UPDATE note SET body = 'a tower' WHERE rowid = 2")
    let count = try await ObservedQuery(
      kind, Self.notes, "SELECT count(*) FROM note WHERE note MATCH 'tower'")
    try await count.notices("UPDATE note SET body = 'nothing' WHERE rowid = 1")
  }

  @Test(arguments: StorageKind.allCases)
  func `FTS5 over the content of another table`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind,
      """
      CREATE TABLE doc (id INTEGER PRIMARY KEY, body);
      CREATE VIRTUAL TABLE found USING fts5(body, content='doc', content_rowid='id');
      CREATE TRIGGER di AFTER INSERT ON doc
      BEGIN INSERT INTO found(rowid, body) VALUES (new.id, new.body); END;
      INSERT INTO doc(body) VALUES ('the tower')
      """, "SELECT body FROM found WHERE found MATCH 'tower'")
    try await query.notices("INSERT INTO doc(body) VALUES ('a tower')")
    // The index is as it was; what it points to is not.
    try await query.notices("UPDATE doc SET body = 'THE TOWER' WHERE id = 1")
  }

  @Test(arguments: StorageKind.allCases)
  func `FTS5 commands and its vocabulary`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind, "\(Self.notes); CREATE VIRTUAL TABLE word USING fts5vocab(note, row)",
      "SELECT group_concat(term) FROM word")
    try await query.notices("INSERT INTO note VALUES ('three', 'castle')")
    let contentless = try await ObservedQuery(
      kind,
      """
      CREATE VIRTUAL TABLE bare USING fts5(body, content='');
      INSERT INTO bare(rowid, body) VALUES (1, 'tower')
      """, "SELECT count(*) FROM bare WHERE bare MATCH 'tower'")
    try await contentless.notices("INSERT INTO bare(bare) VALUES ('delete-all')")
  }

  @Test(arguments: StorageKind.allCases)
  func `R*Tree boxes that come, move and go`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind, Self.boxes, "SELECT id, label FROM box WHERE x0 < 3 ORDER BY id")
    try await query.notices("INSERT INTO box VALUES (3, 2, 3, 2, 3, 'c')")
    try await query.notices("UPDATE box SET x0 = 1, x1 = 2 WHERE id = 2")
    try await query.notices("UPDATE box SET label = 'z' WHERE id = 1")
    try await query.notices("DELETE FROM box WHERE id = 1")
    try await query.notices("DELETE FROM box")
  }

  @Test(arguments: StorageKind.files)
  func `what another process does to them`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind, "\(Self.notes); \(Self.boxes)",
      "SELECT (SELECT count(*) FROM note WHERE note MATCH 'tower'), (SELECT count(*) FROM box)")
    let other = try await ExternalProcess.serve(query.db.path)
    try await query.notices { _ in
      try await other.send("UPDATE note SET body = 'tower' WHERE rowid = 2")
    }
    try await query.notices { _ in try await other.send("DELETE FROM box WHERE id = 1") }
  }

  @Test(arguments: StorageKind.allCases)
  func `silence when another table changes, of whatever kind`(_ kind: StorageKind) async throws {
    let schema = """
      \(Self.notes); \(Self.boxes); CREATE TABLE t (x);
      CREATE VIRTUAL TABLE other USING fts5(body)
      """
    let note = try await ObservedQuery(
      kind, schema, "SELECT count(*) FROM note WHERE note MATCH 'tower'")
    try await note.ignores("INSERT INTO t VALUES (1); INSERT INTO other VALUES ('tower')")
    try await note.ignores("DELETE FROM box")
    try await note.notices("DELETE FROM note")
    let box = try await ObservedQuery(kind, schema, "SELECT count(*) FROM box WHERE x0 < 3")
    try await box.ignores("INSERT INTO t VALUES (1); DELETE FROM note")
    try await box.notices("DELETE FROM box")
    // The whole of a virtual table of another kind is not known.
    let word = try await ObservedQuery(
      kind, "\(schema); CREATE VIRTUAL TABLE word USING fts5vocab(note, row)",
      "SELECT count(*) FROM word")
    try await word.notices("INSERT INTO note VALUES ('three', 'castle')")
  }
}
