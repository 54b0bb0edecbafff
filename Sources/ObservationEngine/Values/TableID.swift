/// A table by schema and name, both folded as SQLite folds them: ASCII letters without case.
///
/// Tables are compared by their folded names and shown by the declared name.
package struct TableID: Sendable, Hashable, Comparable {
  package let schema: String
  package let name: String
  /// The name as SQLite gave it; for a table in the schema, as declared.
  package let declaredName: String

  package init(schema: String = "main", name: String) {
    self.schema = schema.asciiLowercased
    let folded = name.asciiLowercased
    // If the SQL reads no column of the schema table, the authorizer names it as the SQL does.
    switch folded {
    case "sqlite_schema": self.name = "sqlite_master"
    case "sqlite_temp_schema": self.name = "sqlite_temp_master"
    default:
      self.name = folded
      declaredName = name
      return
    }
    declaredName = self.name
  }

  /// The schema table itself, by the name that SQLite's authorizer gives it.
  package static let schemaTable = TableID(name: "sqlite_master")

  /// Whether it belongs to `main`, not to an attached database or to `temp`.
  package var isInMain: Bool { schema == "main" }

  package static func == (left: TableID, right: TableID) -> Bool {
    left.name.isExactly(right.name) && left.schema.isExactly(right.schema)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(schema)
    hasher.combine(name)
  }

  package static func < (left: TableID, right: TableID) -> Bool {
    left.schema.isExactly(right.schema)
      ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
      : left.schema.utf8.lexicographicallyPrecedes(right.schema.utf8)
  }
}

extension TableID: CustomStringConvertible {
  /// The declared name, prefixed with the schema unless that is `main`.
  package var description: String { isInMain ? declaredName : "\(schema).\(declaredName)" }

  /// The folded name, prefixed with the schema unless that is `main`.
  var folded: String { isInMain ? name : "\(schema).\(name)" }
}

extension String {
  /// The text with A–Z as a–z and everything else unchanged: SQLite's notion of equal identifiers.
  package var asciiLowercased: String {
    guard utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5a }) else { return self }
    return String(
      decoding: utf8.map { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
