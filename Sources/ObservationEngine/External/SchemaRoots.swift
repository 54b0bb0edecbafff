/// Which b-tree is which table.
struct SchemaRoots {
  /// The table whose rows are in the b-tree with this root: by rowid, or by key for WITHOUT ROWID.
  private var tables: [UInt32: TableID] = [:]
  /// The roots of indexes, which change whenever their tables do.
  private var indexes: Set<UInt32> = []

  /// Everything that the schema declares, without the root pages.
  let declarations: Set<SchemaReader.Declaration>

  /// What a root page belongs to.
  enum Tree: Equatable {
    case schema
    case table(TableID)
    case index
    case none
  }

  /// Reads `main`.
  init(reading connection: Connection) throws(DatabaseError) {
    let trees = try SchemaReader(connection).trees(in: "main")
    declarations = Set(trees.lazy.map(\.declaration))
    for case (let declaration, let root?) in trees {
      if declaration.kind == .table {
        tables[root] = TableID(name: declaration.name)
      } else {
        indexes.insert(root)
      }
    }
  }

  var tableIDs: [TableID] { Array(tables.values) }

  /// All root pages except that of the schema itself.
  var all: [UInt32] { Array(tables.keys) + indexes }

  func tree(at root: UInt32) -> Tree {
    if root == 1 { return .schema }
    if let table = tables[root] { return .table(table) }
    return indexes.contains(root) ? .index : .none
  }
}
