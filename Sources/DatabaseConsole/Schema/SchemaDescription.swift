/// The contents of a database's schema `main`, for a user who browses it.
package struct SchemaDescription: Sendable, Equatable {
  /// A table, a view or a virtual table. SQLite's own tables are left out.
  package struct Table: Sendable, Equatable {
    package enum Kind: String, Sendable {
      case table, view, virtual
      /// A table in which a virtual table stores its content.
      case shadow
    }

    package var name: String
    package var kind: Kind
    package var columns: [Column] = []
    package var foreignKeys: [ForeignKey] = []
    package var indexes: [Index] = []
    package var triggers: [Trigger] = []
    /// The name for accessing its rowid; `nil` if it has none.
    package var rowid: String?
    /// The columns of its primary key, in order.
    package var key: [String] = []
    package var isStrict = false
    /// The statement that created it.
    package var sql: String?
    /// Why its columns are unknown: a view may name a table that is gone.
    package var trouble: String?

    package init(name: String, kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }

  package struct Column: Sendable, Equatable {
    package var name: String
    /// The declared type; empty for none.
    package var type: String
    package var isNotNull: Bool
    /// The expression after DEFAULT.
    package var defaultValue: String?
    /// Its position in the primary key, from 1; 0 for none.
    package var keyPosition: Int
    package var isGenerated: Bool

    package init(
      name: String, type: String, isNotNull: Bool, defaultValue: String?, keyPosition: Int,
      isGenerated: Bool
    ) {
      self.name = name
      self.type = type
      self.isNotNull = isNotNull
      self.defaultValue = defaultValue
      self.keyPosition = keyPosition
      self.isGenerated = isGenerated
    }
  }

  package struct ForeignKey: Sendable, Equatable {
    package var columns: [String]
    package var table: String
    /// Empty for the primary key of that table.
    package var targets: [String]
    /// What happens on DELETE and UPDATE, if that is not NO ACTION: `ON DELETE CASCADE`.
    package var actions: String

    package init(columns: [String], table: String, targets: [String], actions: String) {
      self.columns = columns
      self.table = table
      self.targets = targets
      self.actions = actions
    }
  }

  package struct Index: Sendable, Equatable {
    package var name: String
    /// `nil` for an expression.
    package var columns: [String?]
    package var isUnique: Bool
    package var isPartial: Bool
    /// The statement that created it; `nil` for an index that a constraint created.
    package var sql: String?

    package init(
      name: String, columns: [String?], isUnique: Bool, isPartial: Bool, sql: String?
    ) {
      self.name = name
      self.columns = columns
      self.isUnique = isUnique
      self.isPartial = isPartial
      self.sql = sql
    }
  }

  package struct Trigger: Sendable, Equatable {
    package var name: String
    package var sql: String?

    package init(name: String, sql: String?) {
      self.name = name
      self.sql = sql
    }
  }

  /// Ordered by name.
  package var tables: [Table]
  /// SQLite's count of schema changes; nil for a server.
  package var version: Int64?

  package init(tables: [Table], version: Int64?) {
    self.tables = tables
    self.version = version
  }
}

/// How many rows a table has, as far as counting is cheap.
package enum RowCount: Sendable, Equatable {
  case exact(Int64)
  /// At most this many, and about this many if few were deleted: the span of the rowids.
  case estimate(Int64)
  /// More than this; the rest was not counted.
  case moreThan(Int64)
}
