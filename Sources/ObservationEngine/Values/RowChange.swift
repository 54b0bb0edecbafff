/// What a committed transaction did to one row, net: from before its first change to after its
/// last.
public struct RowChange: Sendable, Equatable {
  /// What happened to the row.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The row is new.
    case insert
    /// The row's content differs.
    case update
    /// The row is gone.
    case delete
  }

  /// What identifies a row within its table.
  public enum Key: Sendable, Hashable {
    /// The rowid, or the INTEGER PRIMARY KEY that is its alias.
    case rowid(Int64)
    /// The primary key of a WITHOUT ROWID table, in the order of its declaration.
    case primaryKey([Value])
  }

  /// The table's name, folded as SQLite folds names.
  public let table: String
  /// The row's key. A row whose key changes is reported as one deleted and one inserted row.
  public let key: Key
  /// The row before; `nil` for an inserted row.
  public let old: Row?
  /// The row after; `nil` for a deleted row.
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

extension RowChange.Key {
  static let unfaithful = "a key has a text that may not be UTF-8"

  /// Whether it certainly is the key that is stored.
  var isFaithful: Bool {
    switch self {
    case .rowid: true
    case .primaryKey(let values): values.allSatisfy(\.isFaithful)
    }
  }
}
