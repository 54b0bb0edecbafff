import Testing

@testable import ObservationEngine

/// The tables behind a virtual table, told from its declaration.
struct VirtualTableStorageTests {
  private func tables(
    _ sql: String, schema: String = "main", missing: Set<String> = []
  ) -> [String]? {
    VirtualTableStorage.tables(of: TableID(schema: schema, name: "v"), declaredBy: sql) {
      !missing.contains($0.name)
    }?.map { "\($0.schema).\($0.name)" }.sorted()
  }

  @Test(
    arguments: [
      ("CREATE VIRTUAL TABLE v USING fts5(a, b)", "config content data docsize idx"),
      (
        "create virtual table if not exists main.v using FTS5(a, tokenize = 'porter')",
        "config content data docsize idx"
      ),
      ("CREATE VIRTUAL TABLE v USING fts5(a, content='')", "config data docsize idx"),
      (
        "CREATE VIRTUAL TABLE v USING fts5(a, content=\"\", prefix='2 3')",
        "config data docsize idx"
      ),
      ("CREATE VIRTUAL TABLE v USING rtree(id, x0, x1, +label)", "node parent rowid"),
      ("CREATE VIRTUAL TABLE v USING \"rtree_i32\"(id, x0, x1)", "node parent rowid"),
    ])
  func `shadow tables carry the name of the virtual one`(_ sql: String, suffixes: String) {
    #expect(tables(sql) == suffixes.split(separator: " ").map { "main.v_\($0)" })
  }

  @Test(
    arguments: [
      "content='Doc'", "content = Doc , content_rowid='id'", "CONT=[doc]",
      "content_rowid=x, c=`DOC`",
    ])
  func `external content is a table of the same schema`(_ option: String) {
    let found = tables("CREATE VIRTUAL TABLE v USING fts5(a, \(option))", schema: "other")
    #expect(found == ["doc", "v_config", "v_data", "v_docsize", "v_idx"].map { "other.\($0)" })
  }

  @Test
  func `what is no ordinary table, or of another module, is not known`() {
    let sql = "CREATE VIRTUAL TABLE v USING fts5(a, content='doc')"
    #expect(tables(sql, missing: ["doc"]) == nil)
    #expect(tables(sql, missing: ["v_data"]) == nil)
    #expect(tables(sql, missing: ["v_docsize"])?.count == 4)
    for module in ["fts4(a)", "fts5vocab(v, row)", "geopoly(a)", "csv", "dbstat"] {
      #expect(tables("CREATE VIRTUAL TABLE v USING \(module)") == nil)
    }
    #expect(tables("CREATE TABLE v (x)") == nil)
  }
}
