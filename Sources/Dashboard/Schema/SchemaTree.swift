import DatabaseConsole
import ObservationEngine

/// Makes the lines of the schema's tree.
struct SchemaTree {
  let description: SchemaDescription
  let opened: Set<SchemaBrowser.Node>

  typealias Line = SchemaBrowser.Line
  typealias Node = SchemaBrowser.Node
  typealias Group = SchemaBrowser.Group

  /// - Complexity: O(shown tables, columns, indexes and triggers).
  var lines: [Line] { Group.allCases.flatMap(lines) }

  static func group(of table: SchemaDescription.Table) -> Group {
    switch table.kind {
    case .table: .tables
    case .view: .views
    case .virtual: .virtual
    case .shadow: .shadow
    }
  }

  private func lines(of group: Group) -> [Line] {
    var children: [Line] = []
    let count: Int
    let isOpen = opened.contains(.group(group))
    switch group {
    case .tables, .views, .virtual, .shadow:
      let tables = description.tables.filter { Self.group(of: $0) == group }
      count = tables.count
      if isOpen { children = tables.flatMap(lines) }
    case .indexes:
      let named = description.tables.flatMap { table in
        table.indexes.map { ($0.name, "\(table.name) \(Self.text($0))") }
      }
      count = named.count
      if isOpen { children = listed(named, in: group) }
    case .triggers:
      let named = description.tables.flatMap { table in
        table.triggers.map { ($0.name, "on \(table.name)") }
      }
      count = named.count
      if isOpen { children = listed(named, in: group) }
    }
    guard count > 0 || group == .tables else { return [] }
    return [
      Line(
        node: .group(group), depth: 0, isOpen: isOpen, name: group.rawValue, detail: "(\(count))")
    ] + children
  }

  private func listed(_ named: [(String, String)], in group: Group) -> [Line] {
    named.sorted { $0.0 < $1.0 }.map {
      Line(node: .listed(group, name: $0.0), depth: 1, name: $0.0, detail: $0.1)
    }
  }

  private func lines(of table: SchemaDescription.Table) -> [Line] {
    let node = Node.table(table.name)
    let isOpen = opened.contains(node)
    let head = Line(
      node: node, depth: 1, isOpen: isOpen, name: table.name, detail: table.trouble ?? "")
    guard isOpen else { return [head] }
    var lines = [head]
    for column in table.columns {
      lines.append(
        Line(
          node: .column(table: table.name, name: column.name), depth: 2, name: column.name,
          detail: Self.text(column, of: table)))
    }
    for (index, key) in table.foreignKeys.enumerated() {
      let targets = key.targets.isEmpty ? "" : " (\(key.targets.joined(separator: ", ")))"
      let detail = "references \(key.table)\(targets) \(key.actions)"
      lines.append(
        Line(
          node: .foreignKey(table: table.name, index: index), depth: 2,
          name: "(\(key.columns.joined(separator: ", ")))", detail: detail))
    }
    lines += table.indexes.map {
      Line(
        node: .index(table: table.name, name: $0.name), depth: 2, name: $0.name,
        detail: "index " + Self.text($0))
    }
    lines += table.triggers.map {
      Line(
        node: .trigger(table: table.name, name: $0.name), depth: 2, name: $0.name,
        detail: "trigger")
    }
    return lines
  }

  private static func text(
    _ column: SchemaDescription.Column, of table: SchemaDescription.Table
  ) -> String {
    var words = [column.type]
    if column.keyPosition > 0 {
      words.append(table.key.count > 1 ? "PK \(column.keyPosition)" : "PK")
    }
    if column.isNotNull { words.append("NOT NULL") }
    if let value = column.defaultValue { words.append("DEFAULT \(value)") }
    if column.isGenerated { words.append("GENERATED") }
    if table.foreignKeys.contains(where: { $0.columns.contains(column.name) }) {
      words.append("FK")
    }
    return words.filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func text(_ index: SchemaDescription.Index) -> String {
    let columns = index.columns.map { $0 ?? "expression" }.joined(separator: ", ")
    return "(\(columns))" + (index.isUnique ? " unique" : "") + (index.isPartial ? " partial" : "")
  }
}

extension SchemaBrowser.Line {
  init(node: SchemaBrowser.Node, depth: Int, name: String, detail: String) {
    self.init(node: node, depth: depth, isOpen: nil, name: name, detail: detail)
  }
}
