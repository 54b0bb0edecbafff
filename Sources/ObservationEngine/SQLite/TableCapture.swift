internal import CSQLite

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
  /// Whether a follower needs columns that are computed when they are read: then all stored ones are captured, from which
  /// they are computed.
  let wantsComputed: Bool
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
  private let hooked: HookedColumns?
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
    let all = table?.columns ?? []
    let wanted = all.indices.filter { interest?.columns?.contains(all[$0].foldedName) ?? true }
    wantsComputed = wanted.contains { all[$0].isComputed }
    columns = (wantsComputed ? Array(all.indices) : wanted).filter { !all[$0].isComputed }
    columnCount = Int32(all.count)
    keyColumns = if case .primaryKey(let columns)? = table?.identity { columns } else { nil }
    rowids = interest?.rowids
    rowidBounds =
      if let least = rowids?.min(), let greatest = rowids?.max() { least...greatest } else { 0...0 }
    switch table?.hooked {
    case nil: (hooked, bulkReason) = (nil, "\(id) is new")
    case .failure(let unknown)?: (hooked, bulkReason) = (nil, table?.untrackable ?? unknown.reason)
    case .success(let columns)?: (hooked, bulkReason) = (columns, table?.untrackable)
    }
    if table != nil, interest == nil { bulkReason = "no follower requested its rows" }
    isBulk = bulkReason != nil
  }

  /// Whether a follower needs rows with this rowid.
  func wants(rowid: Int64) -> Bool {
    guard let rowids else { return true }
    return rowidBounds.contains(rowid) && rowids.contains(rowid)
  }

  /// The key of a row that is being changed; `nil` when rows are not captured any longer.
  func key(
    _ columns: [Int], _ handle: OpaquePointer, _ source: HookedColumns.Source
  ) -> RowChange.Key? {
    values(columns, handle, source).map { .primaryKey($0) }
  }

  /// The captured columns of the row that is being changed, before that; `nil` when rows are not captured any longer.
  private func oldRow(_ handle: OpaquePointer) -> [Value]? {
    values(columns, handle, sqlite3_preupdate_old)
  }

  private func values(
    _ columns: [Int], _ handle: OpaquePointer, _ source: HookedColumns.Source
  ) -> [Value]? {
    guard let hooked else { return nil }
    var values: [Value] = []
    values.reserveCapacity(columns.count)
    for column in columns {
      guard let value = hooked.value(column, handle, source) else {
        turnBulk("SQLite doesn't report all values of \(id) exactly")
        return nil
      }
      values.append(value)
    }
    return values
  }

  /// Saves the content of `key` before the transaction, if this is its first change.
  ///
  /// - Parameter handle: To read the row by; `nil` for a row that doesn't exist yet.
  func touch(_ key: RowChange.Key, _ handle: OpaquePointer?) {
    guard !isBulk, before[key] == nil else { return }
    // No lookup would find the row.
    guard key.isFaithful else { return turnBulk(RowChange.Key.unfaithful) }
    var row: [Value]?
    if let handle {
      row = oldRow(handle)
      if isBulk { return }
    }
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
