import CSQLite
import TestSupport

/// What is done to the schema, and to what hangs on it.
extension RandomWork {
  func schemaOperation(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    let names = try tables(writer)
    guard names.count > 3 else { return try makeTable(writer) }
    let table = names[Int.random(in: 0..<names.count, using: &random)]
    switch Int.random(in: 0..<17, using: &random) {
    case 0, 1: try makeTable(writer)
    case 2:
      note("drop table", table)
      try writer.run("DROP TABLE \(table)")
    case 3, 4: try makeIndex(on: table, writer)
    case 5: try dropIndex(writer)
    case 6: try addColumn(to: table, writer)
    case 7: try dropColumn(of: table, writer)
    case 8: try rename(table, writer)
    case 9:
      note("view")
      try writer.run("DROP VIEW IF EXISTS v; CREATE VIEW v AS SELECT \(number) AS n")
    case 10:
      note("analyze", table)
      try writer.run(random.onceIn(2) ? "ANALYZE" : "ANALYZE \(table)")
    case 11, 12:
      note("reindex", table)
      try writer.run("REINDEX \(table)")
    case 13:
      note("user_version")
      try writer.run("PRAGMA user_version = \(number)")
    case 14, 15:
      note("incremental_vacuum")
      try writer.run("PRAGMA incremental_vacuum(\(Int.random(in: 0...9, using: &random)))")
    default:
      note("application_id")
      try writer.run("PRAGMA application_id = \(number)")
    }
  }

  func makeTable(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    let kinds = ["row", "seq", "key", "bag", "mix"]
    let kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
    let name = "\(kind)_\(Int.random(in: 0...3, using: &random))"
    let old = try tables(writer)
    guard !old.contains(name) else { return }
    let source = old.isEmpty ? nil : old[Int.random(in: 0..<old.count, using: &random)]
    if kind == "bag", let source, random.onceIn(2) {
      note("create table as", "\(name) from \(source)")
      try writer.run("CREATE TABLE \(name) AS SELECT a, b, c FROM \(source)")
      return
    }
    note("create table", name)
    try writer.run(DatabaseTraits.declaration(of: name))
    if let source {
      try writer.run(
        "INSERT OR REPLACE INTO \(name) (a, b, c) SELECT a, b, c FROM \(source) WHERE b IS NOT NULL"
      )
    }
  }

  private func makeIndex(
    on table: String, _ writer: PlainConnection
  ) throws(PlainConnection.Failure) {
    let kinds = ["(a)", "(b)", "(c)", "(a, b)", "(b, c, a)", "(a) WHERE a > 900", "(a + 1)"]
    let kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
    note("create index", "\(table) \(kind)")
    try writer.run(
      "CREATE INDEX IF NOT EXISTS i_\(Int.random(in: 0...9, using: &random)) ON \(table) \(kind)")
  }

  private func dropIndex(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    let names = try writer.texts(
      """
      SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name
      """)
    guard !names.isEmpty else { return }
    let name = names[Int.random(in: 0..<names.count, using: &random)]
    note("drop index", name)
    try writer.run("DROP INDEX \(name)")
  }

  private func columns(
    of table: String, _ writer: PlainConnection
  ) throws(PlainConnection.Failure) -> [String] {
    try writer.texts("SELECT name FROM pragma_table_info(?1)", [.text(table)])
  }

  private func addColumn(
    to table: String, _ writer: PlainConnection
  ) throws(PlainConnection.Failure) {
    let count = try columns(of: table, writer).count
    guard count < 8 else { return }
    note("add column", table)
    let name = "x\(number)_\(count)"
    try writer.run("ALTER TABLE \(table) ADD COLUMN \(name) DEFAULT \(number)")
  }

  private func dropColumn(
    of table: String, _ writer: PlainConnection
  ) throws(PlainConnection.Failure) {
    guard let last = try columns(of: table, writer).last, last.hasPrefix("x") else { return }
    note("drop column", table)
    try writer.run("ALTER TABLE \(table) DROP COLUMN \(last)")
  }

  private func rename(
    _ table: String, _ writer: PlainConnection
  ) throws(PlainConnection.Failure) {
    let name = "\(table.prefix(3))_\(Int.random(in: 0...9, using: &random))"
    guard try !tables(writer).contains(name) else { return }
    note("rename table", "\(table) to \(name)")
    try writer.run("ALTER TABLE \(table) RENAME TO \(name)")
  }

  // MARK: - Full-text search

  /// What is done to the shadow tables of a full-text index.
  func documentOperation(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    guard try writer.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'docs'") > 0 else {
      note("create full-text table")
      return try writer.run("CREATE VIRTUAL TABLE docs USING fts5 (b)")
    }
    let count = try writer.integer("SELECT count(*) FROM docs")
    let rowid = try writer.integer("SELECT max(rowid) FROM docs")
    switch Int.random(in: 0..<14, using: &random) {
    case 0..<5 where count < 60:
      note("insert document")
      let words = (0..<Int.random(in: 1...20, using: &random)).map { _ in word }
      try writer.run("INSERT INTO docs (b) VALUES (?1)", [.text(words.joined(separator: " "))])
    case 5, 6:
      note("update document")
      try writer.run("UPDATE docs SET b = ?1 WHERE rowid = ?2", [.text(word), .integer(rowid)])
    case 7, 8:
      note("delete document")
      try writer.run("DELETE FROM docs WHERE rowid = ?1", [.integer(rowid)])
    case 9:
      note("merge documents")
      try writer.run("INSERT INTO docs (docs, rank) VALUES ('merge', 50)")
    case 10:
      note("optimize documents")
      try writer.run("INSERT INTO docs (docs) VALUES ('optimize')")
    case 11:
      note("rebuild documents")
      try writer.run("INSERT INTO docs (docs) VALUES ('rebuild')")
    case 12 where random.onceIn(4):
      note("drop full-text table")
      try writer.run("DROP TABLE docs")
    default:
      note("delete documents")
      try writer.run("DELETE FROM docs WHERE rowid % 3 = 0")
    }
  }
}
