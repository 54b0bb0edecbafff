/// Where a virtual table stores its content: in ordinary tables, whose rows the hooks report.
///
///     CREATE VIRTUAL TABLE note USING fts5(body)          note_data, note_idx, note_content, …
///     CREATE VIRTUAL TABLE found USING fts5(body, content='doc')   found_data, …, and doc
///     CREATE VIRTUAL TABLE box USING rtree(id, x0, x1)    box_node, box_rowid, box_parent
///
/// See https://www.sqlite.org/fts5.html#external_content_and_contentless_tables and
/// https://www.sqlite.org/rtree.html, "Shadow Tables".
enum VirtualTableStorage {
  /// The parts of a declaration that matter here.
  private struct Declaration {
    var module = ""
    /// The `content` option of FTS5; `nil` without one.
    var content: String?
  }

  /// The tables that store the content of the virtual table `id`.
  ///
  /// - Parameters:
  ///   - sql: Its CREATE VIRTUAL TABLE.
  ///   - isOrdinary: Whether there is an ordinary table of this name.
  /// - Returns: `nil` when they are unknown: another module, or content that isn't in an ordinary
  ///   table.
  static func tables(
    of id: TableID, declaredBy sql: String, isOrdinary: (TableID) -> Bool
  ) -> [TableID]? {
    guard let declaration = declaration(SQLTokenizer.tokens(of: sql)) else { return nil }
    func shadow(_ suffix: String) -> TableID {
      TableID(schema: id.schema, name: "\(id.declaredName)_\(suffix)")
    }
    var tables: [TableID]
    switch declaration.module {
    case "rtree", "rtree_i32":
      tables = ["node", "rowid", "parent"].map(shadow)
    case "fts5":
      tables = ["data", "idx", "config"].map(shadow)
      // There is none with columnsize=0.
      if isOrdinary(shadow("docsize")) { tables.append(shadow("docsize")) }
      switch declaration.content {
      case nil: tables.append(shadow("content"))
      case "": break
      case let name?: tables.append(TableID(schema: id.schema, name: name))
      }
    default:
      return nil
    }
    return tables.allSatisfy(isOrdinary) ? tables : nil
  }

  private static func declaration(_ tokens: [SQLToken]) -> Declaration? {
    guard let using = tokens.firstIndex(where: { $0.isWord("using") }), using + 1 < tokens.count,
      let module = tokens[using + 1].name
    else { return nil }
    var declaration = Declaration(module: module.asciiLowercased)
    let options = tokens[(using + 2)...]
    for index in options.indices where tokens[index].isSymbol("=") {
      guard index + 1 < tokens.count, let option = tokens[index - 1].name?.asciiLowercased,
        // FTS5 accepts abbreviations.
        !option.isEmpty, "content".hasPrefix(option)
      else { continue }
      declaration.content = tokens[index + 1].text
    }
    return declaration
  }
}
