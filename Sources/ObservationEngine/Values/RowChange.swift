/// What a committed transaction did to one row, net: from before its first to after its last change.
public struct RowChange: Sendable, Equatable {
  /// What happened to the row.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// It is new.
    case insert
    /// It has another content.
    case update
    /// It is gone.
    case delete
  }

  /// What identifies a row within its table.
  public enum Key: Sendable, Hashable {
    /// The rowid, or the INTEGER PRIMARY KEY that stands for it.
    case rowid(Int64)
    /// The primary key of a WITHOUT ROWID table, in the order of its declaration.
    case primaryKey([Value])
  }

  /// The table, folded as SQLite folds names.
  public let table: String
  /// Which row. A row that gets another key is delivered as deleted and inserted.
  public let key: Key
  /// The row before; `nil` for one that was inserted.
  public let old: Row?
  /// The row after; `nil` for one that was deleted.
  public let new: Row?

  /// A change made of its parts.
  ///
  /// - Precondition: There is an old row, or a new one, or both.
  package init(table: String, key: Key, old: Row?, new: Row?) {
    precondition(old != nil || new != nil, "a change of a row has an old or a new row")
    self.table = table
    self.key = key
    self.old = old
    self.new = new
  }

  /// What happened to the row.
  public var kind: Kind { old == nil ? .insert : new == nil ? .delete : .update }
}
