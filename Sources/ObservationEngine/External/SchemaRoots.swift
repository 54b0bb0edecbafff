/// Which b-tree is which table.
struct SchemaRoots {
  /// The table whose rows are in the b-tree with this root: by rowid, or by key for WITHOUT ROWID.
  private var tables: [UInt32: TableID] = [:]
  /// The roots of indexes, which tell the same as their tables.
  private var indexes: Set<UInt32> = []

  /// What the schema says of everything that it has, but for where it is kept.
  let declarations: Set<[Value]>

  /// What is known of a root page.
  enum Tree: Equatable {
    case schema
    case table(TableID)
    case index
    case none
  }

  /// Reads `main`.
  init(reading connection: Connection) throws(DatabaseError) {
    let rows = try connection.fetch(
      engine: "SELECT type, name, rootpage, tbl_name, sql FROM main.sqlite_schema")
    declarations = Set(rows.lazy.map { [$0[0], $0[1], $0[3], $0[4]] })
    for row in rows {
      guard case .integer(let number) = row[2], number > 0, let root = UInt32(exactly: number)
      else { continue }
      if row[0] == .text("table"), case .text(let name) = row[1] {
        tables[root] = TableID(name: name)
      } else {
        indexes.insert(root)
      }
    }
  }

  /// All root pages but that of the schema itself.
  var all: [UInt32] { Array(tables.keys) + indexes }

  func tree(at root: UInt32) -> Tree {
    if root == 1 { return .schema }
    if let table = tables[root] { return .table(table) }
    return indexes.contains(root) ? .index : .none
  }
}
