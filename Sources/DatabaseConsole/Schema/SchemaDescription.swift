/// What a database is made of, for a person who looks around in it: the schema `main`.
package struct SchemaDescription: Sendable, Equatable {
  /// A table, a view or a virtual table. SQLite's own are left out.
  package struct Table: Sendable, Equatable {
    package enum Kind: String, Sendable {
      case table, view, virtual
      /// A table in which a virtual table keeps what it has.
      case shadow
    }

    package var name: String
    package var kind: Kind
    package var columns: [Column] = []
    package var foreignKeys: [ForeignKey] = []
    package var indexes: [Index] = []
    package var triggers: [Trigger] = []
    /// The name under which its rowid can be reached; `nil` where it has none.
    package var rowid: String?
    /// The columns of its primary key, in order.
    package var key: [String] = []
    package var isStrict = false
    /// The statement that made it.
    package var sql: String?
    /// Why its columns are not known: a view may name a table that is gone.
    package var trouble: String?

    package init(name: String, kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }

  package struct Column: Sendable, Equatable {
    package var name: String
    /// As it was declared; empty for none.
    package var type: String
    package var isNotNull: Bool
    /// The expression after DEFAULT.
    package var defaultValue: String?
    /// Its place in the primary key, from 1 on; 0 for none.
    package var keyPosition: Int
    package var isGenerated: Bool
  }

  package struct ForeignKey: Sendable, Equatable {
    package var columns: [String]
    package var table: String
    /// Empty for the primary key of that table.
    package var targets: [String]
    /// What happens on DELETE and UPDATE, where that is not NO ACTION: `ON DELETE CASCADE`.
    package var actions: String
  }

  package struct Index: Sendable, Equatable {
    package var name: String
    /// `nil` for an expression.
    package var columns: [String?]
    package var isUnique: Bool
    package var isPartial: Bool
    /// The statement that made it; `nil` for one that a constraint made.
    package var sql: String?
  }

  package struct Trigger: Sendable, Equatable {
    package var name: String
    package var sql: String?
  }

  /// In the order of their names.
  package var tables: [Table]
  /// SQLite's count of schema changes.
  package var version: Int64

  package init(tables: [Table], version: Int64) {
    self.tables = tables
    self.version = version
  }
}

/// How many rows a table has, as far as it was worth counting.
package enum RowCount: Sendable, Equatable {
  case exact(Int64)
  /// So many at most, and about so many if few were deleted: the span of the rowids.
  case estimate(Int64)
  /// More than that; how many was not counted.
  case moreThan(Int64)
}
