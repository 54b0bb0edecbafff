/// The captured changes of one table in the open transaction.
///
/// Confined to the writer's thread of execution.
final class TableCapture {
  let id: TableID
  /// The table's catalog entry; `nil` for a new table.
  let table: TableCatalog.Table?
  /// How much the followers need; `nil` when no query reads the table.
  let interest: TableInterest?
  /// The stored columns that are captured, in declared order.
  let columns: [Int]
  /// The values of ``columns`` in each row before the transaction, by key; `nil` for a row that did
  /// not exist.
  private(set) var before: [RowChange.Key: [Value]?] = [:]
  /// Why rows are not captured, or no longer.
  private(set) var bulkReason: String? {
    didSet { isBulk = bulkReason != nil }
  }
  private var byteCount = 0

  // What every row change checks, in a form that needs no reference counting.
  /// Whether there is a ``bulkReason``.
  private(set) var isBulk = true
  /// How many columns the table has.
  let columnCount: Int32
  /// The columns of its key; `nil` for a table with rowids.
  let keyColumns: [Int]?
  /// Those of ``keyColumns`` that have REAL affinity.
  private let realKeyColumns: Set<Int>
  private let rowids: Set<Int64>?
  private let rowidBounds: ClosedRange<Int64>

  /// The maximum rows and bytes captured per table; beyond it only "many rows" is known. It bounds
  /// memory, and beyond it comparing costs more than running most queries again.
  static let rowLimit = 50_000
  static let byteLimit = 4_000_000

  init(_ id: TableID, table: TableCatalog.Table?, interest: TableInterest?) {
    self.id = id
    self.table = table
    self.interest = interest
    let wanted = interest?.columns
    columns =
      table?.columns.indices.filter { index in
        wanted?.contains(table!.columns[index].foldedName) ?? true
      } ?? []
    columnCount = Int32(table?.columns.count ?? 0)
    if case .primaryKey(let columns)? = table?.identity {
      keyColumns = columns
      realKeyColumns = Set(
        columns.filter { Affinity(declared: table!.columns[$0].declaredType) == .real })
    } else {
      keyColumns = nil
      realKeyColumns = []
    }
    rowids = interest?.rowids
    rowidBounds =
      if let least = rowids?.min(), let greatest = rowids?.max() { least...greatest } else { 0...0 }
    bulkReason =
      if let table {
        interest == nil ? "no follower requested its rows" : table.untrackableByHooks
      } else {
        "\(id) is new"
      }
    isBulk = bulkReason != nil
  }

  /// Whether a follower needs rows with this rowid.
  func wants(rowid: Int64) -> Bool {
    guard let rowids else { return true }
    return rowidBounds.contains(rowid) && rowids.contains(rowid)
  }

  /// What a column of the key has once it is stored.
  ///
  /// A whole number of a REAL column is an integer in the record, and `sqlite3_preupdate_new` returns that. As another
  /// key than the one that the row has, it would be captured as another row.
  func storedKeyValue(_ value: Value, of column: Int) -> Value {
    guard case .integer(let number) = value, realKeyColumns.contains(column) else { return value }
    return .real(Double(number))
  }

  /// Saves the content of `key` before the transaction, if this is its first change.
  func touch(_ key: RowChange.Key, _ row: () -> [Value]?) {
    guard !isBulk, before[key] == nil else { return }
    // No lookup would find the row.
    guard key.isFaithful else { return turnBulk(RowChange.Key.unfaithful) }
    let row = row()
    before.updateValue(row, forKey: key)
    byteCount += 64 + (row?.reduce(32) { $0 + $1.byteCount } ?? 0)
    if before.count > Self.rowLimit {
      turnBulk("more than \(Self.rowLimit / 1000) 000 rows changed")
    } else if byteCount > Self.byteLimit {
      turnBulk("more than \(Self.byteLimit / 1_000_000) MB of rows changed")
    }
  }

  func turnBulk(_ reason: String) {
    bulkReason = bulkReason ?? reason
    before = [:]
  }
}

extension Value {
  /// Its approximate size in memory.
  package var byteCount: Int {
    switch self {
    case .null, .integer, .real, .date: 16
    case .text(let text): text.utf8.count > 15 ? 48 + text.utf8.count : 16
    case .blob(let bytes): 48 + bytes.count
    }
  }
}
